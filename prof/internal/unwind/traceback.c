//go:build cgo && linux && (amd64 || arm64)

// What runtime.SetCgoTraceback wants: see its documentation for who calls what when.
#define _GNU_SOURCE
#include "traceback.h"

#ifdef SEAM_UNWIND
#include <stdatomic.h>
#include <ucontext.h>

SEAM_PLAIN seam_regs seam_registers(const void *context) {
	const ucontext_t *uc = context;
#ifdef __x86_64__
	const greg_t *g = uc->uc_mcontext.gregs;
	return (seam_regs){(uintptr_t)g[REG_RIP], (uintptr_t)g[REG_RSP], (uintptr_t)g[REG_RBP], 0};
#else
	const mcontext_t *m = &uc->uc_mcontext;
	return (seam_regs){m->pc, m->sp, m->regs[29], m->regs[30]};
#endif
}

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

static SEAM_PLAIN void give_back(place *p) {
	if (p >= shallow && p < shallow + SHALLOW)
		shallow_used &= ~(1u << (p - shallow));
	else if (p >= deep && p < deep + DEEP)
		atomic_fetch_and(&deep_used[(p - deep) / 64], ~((uint64_t)1 << (p - deep) % 64));
}

// seam_context is called by _cgo_wait_runtime_init_done, in runtime/cgo, which the C wrapper
// of an exported Go function calls before it calls Go. That wrapper is what still runs while
// Go does. So one frame is left out, by a walk of one step.
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
	if (!seam_caller(&r))
		r.pc = 0;
	p->regs = r;
}

SEAM_PLAIN void seam_traceback(seam_traceback_arg *arg) {
	size_t n = 0;
	if (arg->context)
		n = seam_walk(((const place *)arg->context)->regs, 0, arg->buf, arg->max);
	else if (arg->signal)
		n = seam_walk(seam_interrupted((const void *)arg->signal), 1, arg->buf, arg->max);
	// With neither the runtime asks for its own caller, which no version of Go does.
	if (n < arg->max)
		arg->buf[n] = 0;
}
#endif
