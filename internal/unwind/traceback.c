//go:build cgo && linux && (amd64 || arm64)

// What runtime.SetCgoTraceback wants: see its documentation for who calls what when.
#include "traceback.h"

#ifdef SEAM_UNWIND
#include <stdatomic.h>

// The registers that a call leaves as they are, at a place whose function is still running:
// what a walk can begin with later.
typedef struct {
	seam_regs regs;
} place;

// Each thread has places for callbacks within callbacks, at most so deep. They are in memory
// that exists from the thread's start on (initial-exec), so no call makes it.
enum { SHALLOW = 8, DEEP = 4096 };
static __thread place shallow[SHALLOW] __attribute__((tls_model("initial-exec")));
static __thread unsigned shallow_used __attribute__((tls_model("initial-exec")));

// Deeper ones share these. A callback for which there is no place at all is at nowhere, so
// that the runtime has a context for each.
static place deep[DEEP], nowhere;
static _Atomic uint64_t deep_used[DEEP / 64];

static SEAM_PLAIN place *take(void) {
	// A signal handler that comes in between, and calls Go, gives back what it takes.
	for (unsigned i = 0; i < SHALLOW; i++)
		if (!(shallow_used & 1u << i)) {
			shallow_used |= 1u << i;
			return &shallow[i];
		}
	for (unsigned w = 0; w < DEEP / 64; w++) {
		uint64_t used = atomic_load_explicit(&deep_used[w], memory_order_relaxed);
		while (~used) {
			unsigned bit = (unsigned)__builtin_ctzll(~used);
			if (atomic_compare_exchange_weak(&deep_used[w], &used, used | (uint64_t)1 << bit))
				return &deep[w * 64 + bit];
		}
	}
	return &nowhere;
}

// The innermost callback's, NULL where there is none or where it is among the deep ones.
static SEAM_PLAIN place *innermost(void) {
	return shallow_used && shallow_used < (1u << SHALLOW) - 1 ? &shallow[31 - __builtin_clz(shallow_used)] : NULL;
}

static SEAM_PLAIN void give_back(place *p) {
	if (p >= shallow && p < shallow + SHALLOW)
		shallow_used &= ~(1u << (p - shallow));
	else if (p >= deep && p < deep + DEEP)
		atomic_fetch_and(&deep_used[(p - deep) / 64], ~((uint64_t)1 << (p - deep) % 64));
}

// The row of the one place that calls seam_context, in runtime/cgo. It is written once.
static _Atomic int cached;
static uintptr_t cached_pc;
static seam_row cached_row;

static SEAM_PLAIN seam_row row_of_caller(uintptr_t pc) {
	if (atomic_load_explicit(&cached, memory_order_acquire) == 2 && cached_pc == pc)
		return cached_row;
	int epoch, none = 0;
	const seam_snapshot *s = seam_enter(&epoch);
	const seam_object *o = seam_find(s, pc - 1);
	seam_row row = {0, SEAM_NO_TABLE, SEAM_LOST, SEAM_LOST};
	if (o)
		row = seam_find_row(o, pc - 1);
	seam_leave(epoch);
	if (o && atomic_compare_exchange_strong(&cached, &none, 1)) {
		cached_pc = pc;
		cached_row = row;
		atomic_store_explicit(&cached, 2, memory_order_release);
	}
	return row;
}

// A word that the caller has saved in its frame, or v if it has not.
static SEAM_PLAIN int saved(uintptr_t sp, uintptr_t cfa, int16_t words, uintptr_t *v) {
	uintptr_t at = cfa + (uintptr_t)((intptr_t)words * 8);
	if (words == SEAM_SAME)
		return 1;
	if (at < sp || at >= cfa || (at & 7))
		return 0;
	*v = *(const uintptr_t *)at;
	return 1;
}

// Goes from a call by a function whose frame is small, and still there, to that function's
// caller. The frame is read as it is: it is ours.
static SEAM_PLAIN int leave_caller(seam_regs *r) {
	enum { SMALL = 512 };
	seam_row row = row_of_caller(r->pc);
	int rule = row.cfa & 7;
	uintptr_t cfa = (rule == SEAM_FP ? r->fp : r->sp) + (uintptr_t)(intptr_t)(row.cfa >> 3);
	if ((rule != SEAM_SP && rule != SEAM_FP) || cfa <= r->sp || cfa - r->sp > SMALL || row.ra == SEAM_SAME ||
	    !saved(r->sp, cfa, row.ra, &r->pc) || !saved(r->sp, cfa, row.fp, &r->fp))
		return 0;
	r->pc = seam_plain(r->pc);
	r->sp = cfa;
	return 1;
}

// seam_context is called by _cgo_wait_runtime_init_done, in runtime/cgo, which the C wrapper
// of an exported Go function calls before it calls Go. That wrapper is what still runs while
// Go does. So one frame is left out. A walk would ask the kernel for a page, which takes longer
// than the callback.
SEAM_PLAIN __attribute__((noinline)) void seam_context(seam_context_arg *arg) {
	if (arg->context) {
		give_back((place *)arg->context);
		return;
	}
	place *p = take();
	arg->context = (uintptr_t)p;
	if (p == &nowhere)
		return;
	const uintptr_t *frame = __builtin_frame_address(0);
	seam_regs r = {(uintptr_t)__builtin_extract_return_addr(__builtin_return_address(0)), (uintptr_t)__builtin_dwarf_cfa(), frame[0], 0};
	if (!leave_caller(&r))
		r.pc = 0;
	p->regs = r;
}

SEAM_PLAIN void seam_traceback(seam_traceback_arg *arg) {
	size_t n = 0;
	if (arg->context)
		n = seam_walk(((const place *)arg->context)->regs, 0, 0, arg->buf, arg->max);
	else if (arg->signal) {
		const void *context = (const void *)arg->signal;
		seam_reached(context);
		seam_regs r = seam_interrupted(context);
		const place *p = innermost();
		if (!arg->max || r.pc < seam_go_low || r.pc >= seam_go_high)
			n = seam_walk(r, 1, seam_stack_end(context, r.sp), arg->buf, arg->max);
		else if (seam_is_announced(context))
			arg->buf[n++] = r.pc + 1; // Go's, on the way to C or back: Go wants return addresses of its own
		else if (p && seam_is_entering(context, (uintptr_t)p, p->regs.sp)) {
			arg->buf[n++] = r.pc + 1;
			n += seam_walk(p->regs, 0, seam_stack_end(context, p->regs.sp), arg->buf + n, arg->max - n);
		}
	}
	// With neither the runtime asks for its own caller, which no version of Go does.
	if (n < arg->max)
		arg->buf[n] = 0;
}
#endif
