//go:build cgo && linux && (amd64 || arm64)

// The Go functions that called C, for a thread that runs C for a goroutine: as waiting.go has it for
// threads that wait.
//
// The thread is our own, so nothing that is read changes meanwhile: its goroutine is in C and stays
// its m's, and a stack isn't moved while its goroutine is in C. Each word that might not be there is
// asked of the kernel first; a goroutine's own stack is there.
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
	if (at < 1 << 16 || at & 7 || at >> 48 || !seam_readable(at))
		return 0;
	*v = *(const volatile uintptr_t *)at;
	return 1;
}

// The goroutine of an m, if this is the thread's.
static uintptr_t curg(uintptr_t m, uint32_t id) {
	uintptr_t number, g, back;
	if (!word(m + M_PROCID, &number) || number != id || !word(m + M_CURG, &g) || !g || !word(g + G_M, &back) || back != m)
		return 0;
	return g;
}

// asmcgocall keeps g on the stack that C runs on.
static uintptr_t goroutine(uintptr_t sp) {
	seam_heap_thread *t = &seam_heap_self;
	enum { WORDS = 64 };
	if (!t->id)
		t->id = (uint32_t)seam_kernel(SYS_gettid, 0, 0, 0, 0, 0, 0);
	uintptr_t g = t->m ? curg(t->m, t->id) : 0;
	if (g)
		return g;
	for (uintptr_t at = sp & ~(uintptr_t)7; at < sp + WORDS * 8; at += 8) {
		uintptr_t m;
		if (!word(at, &g))
			return 0;
		if (word(g + G_M, &m) && curg(m, t->id) == g) {
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
	uintptr_t g = goroutine(end->sp), low, high, sp, pc, fp;
	if (!g || !word(g + G_LO, &low) || !word(g + G_HI, &high) || low >= high)
		return 0;
	if (word(g + G_SYSCALL_SP, &sp) && word(g + G_SYSCALL_PC, &pc) && word(g + G_SYSCALL_BP, &fp) && sp && is_go(pc)) {
		*announced = 1;
		pcs[0] = pc - 1;
		return chain(low, high, fp, pcs, 1, max);
	}
	// A leaf, a welded call: its saved context is what the system stack was entered with.
	if (!word(g + G_SCHED_SP, &sp) || !word(g + G_SCHED_PC, &pc) || !is_go(pc) || sp < low || sp + 8 > high)
		return 0;
	pcs[0] = pc - 1;
#ifdef __aarch64__ // frames lie above the pair
	return chain(low, high, sp - 8, pcs, 1, max);
#else
	pc = *(const uintptr_t *)sp;
	if (!is_go(pc)) // a frame that has the frame pointer alone
		return chain(low, high, sp, pcs, 1, max);
	pcs[1] = pc - 1;
	return chain(sp, high, end->fp, pcs, 2, max);
#endif
}
#endif
