//go:build cgo && linux && (amd64 || arm64)

// Walking a stack by the tables.
//
// No load can fault. All of them are of the stack that the thread is on, or was on when a
// signal came: the window of what may be read begins at the stack pointer and grows upwards
// page by page, each asked of the kernel first. So what is read is connected with the stack
// in use by readable memory; nobody unmaps the stack of a running thread, and a guard page
// ends it. A page costs a system call of some 100 ns, and most stacks need one or two; none
// where the handler knows the thread's stack.
#include "traceback.h"

#ifdef SEAM_UNWIND
#include <stdatomic.h>

enum {
	PAGE = 4096,       // or a part of one
	MOST_PAGES = 1024, // of one walk: frames of 4 MB in all, and 0.1 ms
	MOST_SIGNALS = 8,
};

typedef struct {
	uintptr_t low, high; // what may be read
	int pages;           // how many more may be asked for
	const char *copy;    // of it; NULL where it is read itself
	int overflowed;      // the stack pointer may lie before the first page that is there
} csys_window;

static SEAM_PLAIN void csys_move(csys_window *w, uintptr_t sp) {
	if (w->copy) // a handler's stack may be another: it is not in the copy
		return;
	w->low = sp & ~(uintptr_t)7;
	w->high = sp & ~(uintptr_t)(PAGE - 1);
}

static inline SEAM_PLAIN __attribute__((always_inline)) int csys_load(csys_window *w, uintptr_t addr, uintptr_t *v) {
	if ((addr & 7) || addr < w->low || addr > UINTPTR_MAX - PAGE)
		return 0;
	if (w->copy) {
		if (addr > w->high - 8)
			return 0;
		__builtin_memcpy(v, w->copy + (addr - w->low), 8);
		return 1;
	}
	if (addr >= w->high && (addr - w->high) / PAGE >= (uintptr_t)w->pages)
		return 0;
	while (addr >= w->high) {
		w->pages--;
		if (csys_readable(w->high))
			w->overflowed = 0;
		else if (w->overflowed)
			w->low = w->high + PAGE;
		else
			return 0;
		w->high += PAGE;
	}
	if (addr < w->low)
		return 0;
	*v = *(const volatile uintptr_t *)addr;
	return 1;
}

#include "step.h"

#ifdef __aarch64__
// A handler returns to code of the kernel's, which is listed as an object only where it is in
// the vDSO; an emulator may have it elsewhere. What the kernel lays below it begins its
// floating-point registers with a magic number and their size.
static SEAM_PLAIN int is_signal_frame(csys_window *w, const seam_regs *r) {
	uintptr_t v;
	return csys_load(w, r->sp + 128 + 176 + 288, &v) && v == ((uintptr_t)0x210 << 32 | 0x46508001);
}
#endif

// By frame pointers: a pair of the caller's frame pointer and the return address.
static SEAM_PLAIN enum csys_step pair(csys_window *w, seam_regs *r) {
	uintptr_t fp = r->fp, next, ra;
	if (fp == 0)
		return CSYS_TOP;
	if (fp < r->sp || !csys_load(w, fp, &next) || !csys_load(w, fp + 8, &ra))
		return CSYS_FAILED;
	*r = (seam_regs){seam_plain(ra), fp + 16, next, 0};
	return CSYS_NEXT;
}

// What a walk has found for a program counter is kept in the slot that it falls on. A slot belongs
// to a snapshot and goes with it. Threads write its two words without a lock, so that one may be
// of another writer: check is made of both, and then fits no program counter.
static inline SEAM_PLAIN uint64_t check_of(uintptr_t pc, uint64_t row) {
	return pc ^ (row ^ 0x2545f4914f6cdd1d) * 0x9e3779b97f4a7c15; // of an empty slot's it is an address that no code has
}

// Go's code in a plugin, or in a library with a Go of its own, has no table, as assembly in C has
// none. It ends a walk as Go's in the program does.
enum { GO_ROW = 1 << 3 | SEAM_NO_TABLE };

// seam_find and seam_find_row for one program counter.
static SEAM_PLAIN int find(seam_snapshot *s, uintptr_t pc, seam_row *row) {
	seam_slot *slot = &s->slots[pc * 0x9e3779b97f4a7c15 >> (64 - SEAM_SLOT_BITS)];
	uint64_t v = atomic_load_explicit(&slot->row, memory_order_relaxed);
	if (atomic_load_explicit(&slot->check, memory_order_relaxed) == check_of(pc, v)) {
		*row = (seam_row){0, (int32_t)(uint32_t)v, (int16_t)(uint16_t)(v >> 32), (int16_t)(uint16_t)(v >> 48)};
		return 1;
	}
	const seam_object *o = seam_find(s, pc);
	if (!o)
		return 0;
	*row = seam_find_row(o, pc);
	if (o->has_go && (row->cfa & 7) == SEAM_NO_TABLE)
		row->cfa = GO_ROW;
	v = (uint32_t)row->cfa | (uint64_t)(uint16_t)row->fp << 32 | (uint64_t)(uint16_t)row->ra << 48;
	atomic_store_explicit(&slot->row, v, memory_order_relaxed);
	atomic_store_explicit(&slot->check, check_of(pc, v), memory_order_relaxed);
	return 1;
}

// Goes from a frame to its caller's. known says that an object has the frame's code, and row
// what its table says of it.
static SEAM_PLAIN enum csys_step step(csys_window *w, const seam_snapshot *s, seam_regs *r, int exact, int known, seam_row row) {
	if ((row.cfa & 7) != SEAM_NO_TABLE)
		return csys_step(w, r, row);
	(void)s, (void)exact, (void)known; // arm64's
#ifdef __aarch64__
	if (!exact && !known && is_signal_frame(w, r))
		return csys_signal_frame(w, r);
	// A stub of the PLT, for which ld writes no table: it changes neither.
	if (exact && r->lr && seam_find(s, seam_plain(r->lr) - 1)) {
		r->pc = seam_plain(r->lr);
		r->lr = 0;
		return CSYS_NEXT;
	}
#endif
	return pair(w, r);
}

static SEAM_PLAIN int is_go(uintptr_t pc) { return pc >= seam_go_low && pc < seam_go_high; }

void seam_truncated(void) {}
void seam_recursion(void) { __asm__ volatile(""); } // not the same function
void seam_omitted(void) { __asm__ volatile("" ::: "memory"); }

// Where a walk's program counters go. While they fit they are stored as they come. When they no
// longer do, cycles of calls are folded, each to its innermost round and seam_recursion behind it;
// and if that isn't enough, the innermost half stays, and of the others the outermost ones, in a
// ring, with seam_omitted in between.
enum { PERIOD = 8 }; // functions of a cycle, at most

typedef struct {
	uintptr_t *pcs;
	uint32_t *times; // of each: how many rounds or frames it stands for; may be NULL
	size_t n, max;
	int folding;
	size_t period, at; // of the cycle that the walk is in: its functions lie before the mark; 0: in none
	size_t ring, turn; // where the ring begins, 0 where there is none yet; and its oldest
} trail;

static SEAM_PLAIN void append(trail *t, uintptr_t pc) {
	if (!t->ring && t->n == t->max) {
		if (t->max < 4)
			return;
		t->ring = t->max / 2;
		t->turn = 0;
		if (t->times)
			t->times[t->ring] = 1;
		t->pcs[t->ring++] = (uintptr_t)seam_omitted; // in the place of one
		t->period = 0;
	}
	if (!t->ring) {
		if (t->times)
			t->times[t->n] = 1;
		t->pcs[t->n++] = pc;
		return;
	}
	if (t->times)
		t->times[t->ring - 1]++;
	t->pcs[t->ring + t->turn] = pc;
	if (t->times)
		t->times[t->ring + t->turn] = 1;
	t->turn = (t->turn + 1) % (t->max - t->ring);
}

// The length of the cycle whose last two rounds end the trail; 0 where there is none.
static SEAM_PLAIN size_t cycle(const trail *t) {
	for (size_t p = 1; p <= PERIOD && 2 * p <= t->n; p++) {
		const uintptr_t *end = t->pcs + t->n;
		size_t i = 1;
		while (i <= p && end[-(ptrdiff_t)i] == end[-(ptrdiff_t)(i + p)] && end[-(ptrdiff_t)i] != (uintptr_t)seam_recursion)
			i++;
		if (i > p)
			return p;
	}
	return 0;
}

static SEAM_PLAIN void add_folded(trail *t, uintptr_t pc) {
	if (t->period && !t->ring) {
		const uintptr_t *round = t->pcs + t->n - 1 - t->period;
		if (pc == round[t->at]) {
			if (++t->at == t->period) {
				t->at = 0;
				if (t->times)
					t->times[t->n - 1]++;
			}
			return;
		}
		uintptr_t part[PERIOD];
		size_t n = t->at;
		for (size_t i = 0; i < n; i++)
			part[i] = round[i];
		t->period = t->at = 0;
		for (size_t i = 0; i < n; i++)
			append(t, part[i]);
	}
	append(t, pc);
	size_t p = t->ring ? 0 : cycle(t);
	if (p) {
		t->n -= p;
		append(t, (uintptr_t)seam_recursion);
		if (t->times)
			t->times[t->n - 1] = (uint32_t)p << SEAM_ROUNDS | 2;
		t->period = p;
		t->at = 0;
	}
}

static SEAM_PLAIN void add(trail *t, uintptr_t pc) {
	if (!t->folding && t->n == t->max) {
		t->folding = 1;
		size_t had = t->n; // what is read lies before what is written, but for the mark: a round is dropped for it
		t->n = 0;
		for (size_t i = 0; i < had; i++)
			add_folded(t, t->pcs[i]);
	}
	if (t->folding)
		add_folded(t, pc);
	else
		append(t, pc);
}

static SEAM_PLAIN void reverse(trail *t, size_t from, size_t to) {
	for (; from + 1 < to; from++, to--) {
		uintptr_t pc = t->pcs[from];
		t->pcs[from] = t->pcs[to - 1];
		t->pcs[to - 1] = pc;
		if (t->times) {
			uint32_t n = t->times[from];
			t->times[from] = t->times[to - 1];
			t->times[to - 1] = n;
		}
	}
}

// The trail's end, with the ring in order. How many there are.
static SEAM_PLAIN size_t finish(trail *t) {
	if (t->period && !t->ring) { // it ends within a round
		uintptr_t part[PERIOD];
		size_t n = t->at;
		for (size_t i = 0; i < n; i++)
			part[i] = t->pcs[t->n - 1 - t->period + i];
		t->period = 0;
		for (size_t i = 0; i < n; i++)
			append(t, part[i]);
	}
	if (!t->ring)
		return t->n;
	reverse(t, t->ring, t->ring + t->turn);
	reverse(t, t->ring + t->turn, t->max);
	reverse(t, t->ring, t->max);
	return t->max;
}

static _Atomic uint64_t walks;

uint64_t seam_walks(void) { return atomic_load_explicit(&walks, memory_order_relaxed); }

static SEAM_PLAIN size_t walk(csys_window w, seam_regs r, int exact, uintptr_t *pcs, uint32_t *times, size_t max, seam_regs *end) {
	trail t = {.pcs = pcs, .times = times, .max = max};
	int signals = 0, epoch;
	if (max == 0)
		return 0;
	seam_snapshot *s = seam_enter(&epoch);
	// A library may be at the place of one that is gone.
	uint64_t before = seam_walks(); // two at once may count as one
	atomic_store_explicit(&walks, before + 1, memory_order_relaxed);
	if (before % 128 == 127)
		seam_stale();
	uintptr_t readable = w.copy || w.high == 0 ? 0 : (w.high + PAGE - 1) & ~(uintptr_t)(PAGE - 1); // so is the rest of its page
	csys_move(&w, r.sp);
	if (readable > r.sp)
		w.high = readable;
	enum csys_step last = CSYS_TOP;
	if (exact && r.pc == 0) { // a call of NULL
#ifdef __x86_64__
		if (csys_load(&w, r.sp, &r.pc))
			r.sp += 8;
#else
		r.pc = seam_plain(r.lr);
		r.lr = 0;
#endif
		exact = 0;
	}
	while (r.pc != 0 && !is_go(r.pc)) {
		uintptr_t pc = exact ? r.pc : r.pc - 1;
		seam_row row = {0, SEAM_NO_TABLE, SEAM_LOST, SEAM_LOST};
		int known = find(s, pc, &row);
		if (!known)
			seam_stale();
		else if (row.cfa == GO_ROW)
			break;
		last = step(&w, s, &r, exact, known, row);
		if (last == CSYS_INTERRUPTED && ++signals > MOST_SIGNALS)
			last = CSYS_FAILED;
		// What belongs to nothing has been loaded since, or a compiler at run time has made it, or
		// it is no address of code at all: it counts if frame pointers lead from it to what is
		// known.
		if (!known && ((last == CSYS_NEXT && !is_go(r.pc) && !seam_find(s, r.pc - 1)) || (last == CSYS_TOP && !exact)))
			last = CSYS_FAILED;
		if (known || exact || last == CSYS_NEXT)
			add(&t, pc);
		if (last == CSYS_TOP || last == CSYS_FAILED)
			break;
		exact = last == CSYS_INTERRUPTED;
	}
	if (last == CSYS_FAILED)
		add(&t, (uintptr_t)seam_truncated);
	seam_leave(epoch);
	*end = r;
	return finish(&t);
}

SEAM_PLAIN size_t seam_walk(seam_regs r, int exact, uintptr_t readable, uintptr_t *pcs, size_t max) {
	seam_regs end;
	return walk((csys_window){0, readable, MOST_PAGES, NULL, 0}, r, exact, pcs, NULL, max, &end);
}

size_t seam_walk_to(seam_regs r, int exact, uintptr_t readable, uintptr_t *pcs, size_t max, seam_regs *end) {
	return walk((csys_window){0, readable, MOST_PAGES, NULL, 0}, r, exact, pcs, NULL, max, end);
}

size_t seam_walk_fault(seam_regs r, uintptr_t *pcs, uint32_t *times, size_t max) {
	enum { PAGES = 1 << 18 }; // a gigabyte, in 30 ms
	seam_regs end;
	return walk((csys_window){0, 0, PAGES, NULL, 1}, r, 1, pcs, times, max, &end);
}

size_t seam_walk_copy(seam_regs r, const char *copy, size_t size, uintptr_t *pcs, size_t max, seam_regs *end) {
	*end = r;
	if (size < 8 || r.sp > UINTPTR_MAX - size)
		return 0;
	return walk((csys_window){r.sp, r.sp + size, 0, copy, 0}, r, 1, pcs, NULL, max, end);
}
#endif
