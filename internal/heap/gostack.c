//go:build cgo && linux && (amd64 || arm64) && !asan && !msan

// The Go functions that called C, for a thread that runs C for a goroutine: as waiting.go has it for
// threads that wait.
//
// The thread is our own, so nothing that is read changes meanwhile: its goroutine is in C and stays
// its m's, and a stack isn't moved while its goroutine is in C. The m is searched for once, and each
// word of what may be one is asked of the kernel first. Once found it stays as long as the thread, so
// it is there, and its goroutine, of which the runtime never gives the memory back, and that one's
// stack.
#include "heap.h"
#include "kernel.h"

#ifdef SEAM_UNWIND

// As in internal/abi, the same for Go 1.25 to 1.27. Where seam_heap_layout_known isn't set, nothing is
// read by them.
enum {
	G_LO = 0, G_HI = 8, G_M = 48, G_SCHED_SP = 56, G_SCHED_PC = 64, G_SYSCALL_SP = 104, G_SYSCALL_PC = 112, G_SYSCALL_BP = 120,
	M_CURG = 184, M_PROCID = 64,
};
int seam_heap_layout_known;

static int is_go(uintptr_t pc) { return pc >= seam_go_low && pc < seam_go_high; }

static int word(uintptr_t at, uintptr_t *v) {
	if (at < 1 << 16 || at & 7 || at >> 48 || !csys_readable(at))
		return 0;
	*v = *(const volatile uintptr_t *)at;
	return 1;
}

static uintptr_t load(uintptr_t at) { return *(const volatile uintptr_t *)at; }

// asmcgocall keeps g on the stack that C runs on.
static uintptr_t goroutine(uintptr_t sp) {
	seam_heap_thread *t = &seam_heap_self;
	enum { WORDS = 64 };
	if (!t->id)
		t->id = (uint32_t)csys_kernel(SYS_gettid, 0, 0, 0, 0, 0, 0);
	if (t->m)
		return load(t->m + M_PROCID) == t->id ? load(t->m + M_CURG) : 0;
	for (uintptr_t at = sp & ~(uintptr_t)7; at < sp + WORDS * 8; at += 8) {
		uintptr_t g, m, id, curg;
		if (!word(at, &g))
			return 0;
		if (word(g + G_M, &m) && word(m + M_PROCID, &id) && id == t->id && word(m + M_CURG, &curg) && curg == g) {
			t->m = m;
			return g;
		}
	}
	return 0;
}

// Follows frame pointers within [low, high): each points at the caller's, and the return address
// behind it.
static unsigned chain(uintptr_t low, uintptr_t high, uintptr_t fp, uintptr_t *pcs, unsigned n, unsigned max) {
	while (n < max && fp >= low && fp + 16 <= high && !(fp & 7)) {
		uintptr_t next = ((const uintptr_t *)fp)[0], pc = ((const uintptr_t *)fp)[1];
		if (!is_go(pc))
			break;
		pcs[n++] = pc - 1;
		if (next <= fp)
			break;
		fp = next;
	}
	return n;
}

unsigned seam_heap_go(const seam_regs *end, uintptr_t *pcs, unsigned max, int *announced) {
	if (!is_go(end->pc) || !seam_heap_layout_known)
		return 0;
	uintptr_t g = goroutine(end->sp);
	if (!g)
		return 0;
	uintptr_t low = load(g + G_LO), high = load(g + G_HI), sp = load(g + G_SYSCALL_SP), pc = load(g + G_SYSCALL_PC);
	if (sp && is_go(pc)) {
		*announced = 1;
		pcs[0] = pc - 1;
		return chain(low, high, load(g + G_SYSCALL_BP), pcs, 1, max);
	}
	// A leaf, a welded call: its saved context is what the system stack was entered with.
	sp = load(g + G_SCHED_SP);
	pc = load(g + G_SCHED_PC);
	if (!is_go(pc) || sp < low || sp + 8 > high)
		return 0;
	pcs[0] = pc - 1;
#ifdef __aarch64__ // frames lie above the pair
	return chain(low, high, sp - 8, pcs, 1, max);
#else
	pc = load(sp);
	if (!is_go(pc)) // a frame that has the frame pointer alone
		return chain(low, high, sp, pcs, 1, max);
	pcs[1] = pc - 1;
	return chain(sp, high, end->fp, pcs, 2, max);
#endif
}
#endif
