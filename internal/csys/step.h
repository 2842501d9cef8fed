// From a frame to its caller's. Who includes this says before how the stack is read: a csys_window with csys_load, which
// stores a word of it and returns 0 where there is none, and csys_move, for a stack pointer that may be of another stack.
#ifndef SEAM_CSYS_STEP_H
#define SEAM_CSYS_STEP_H

#include "cfi.h"

enum csys_step { CSYS_FAILED, CSYS_NEXT, CSYS_TOP, CSYS_INTERRUPTED };

// The offsets of registers in what the kernel lays on the stack for a handler, from the stack
// pointer at the handler's return on.
#ifdef __x86_64__
enum { CSYS_SIGNAL_PC = 168, CSYS_SIGNAL_SP = 160, CSYS_SIGNAL_FP = 120 };
#else
enum { CSYS_SIGNAL_REGS = 128 + 176 + 8, CSYS_SIGNAL_FP = CSYS_SIGNAL_REGS + 29 * 8, CSYS_SIGNAL_LR = CSYS_SIGNAL_REGS + 30 * 8, CSYS_SIGNAL_SP = CSYS_SIGNAL_REGS + 31 * 8, CSYS_SIGNAL_PC = CSYS_SIGNAL_SP + 8 };
#endif

CSYS SEAM_PLAIN enum csys_step csys_signal_frame(csys_window *w, seam_regs *r) {
	seam_regs n = {0};
	if (!csys_load(w, r->sp + CSYS_SIGNAL_PC, &n.pc) || !csys_load(w, r->sp + CSYS_SIGNAL_SP, &n.sp) || !csys_load(w, r->sp + CSYS_SIGNAL_FP, &n.fp))
		return CSYS_FAILED;
#ifdef __aarch64__
	if (!csys_load(w, r->sp + CSYS_SIGNAL_LR, &n.lr))
		return CSYS_FAILED;
#endif
	*r = n;
	csys_move(w, n.sp); // the handler may have had a stack of its own
	return CSYS_INTERRUPTED;
}

// csys_step goes from a frame to its caller's by the row that a table has for it. Each step moves the stack pointer up,
// except one from a function without a frame that takes its return address from the register, which is known only to
// the innermost.
CSYS SEAM_PLAIN enum csys_step csys_step(csys_window *w, seam_regs *r, seam_row row) {
	uintptr_t cfa, ra;
	intptr_t offset = row.cfa >> 3;
	switch (row.cfa & 7) {
	case SEAM_SP: cfa = r->sp + (uintptr_t)offset; break;
	case SEAM_FP: cfa = r->fp + (uintptr_t)offset; break;
	case SEAM_DEREF:
		if (!csys_load(w, r->fp + (uintptr_t)offset, &cfa))
			return CSYS_FAILED;
		break;
	case SEAM_PLT: cfa = r->sp + 8 + ((r->pc & 15) >= (uintptr_t)offset ? 8 : 0); break;
	case SEAM_SIGNAL: return csys_signal_frame(w, r);
	case SEAM_OUTERMOST: return CSYS_TOP;
	default: return CSYS_FAILED;
	}
	if (row.ra == SEAM_SAME) {
		if (!r->lr || cfa < r->sp)
			return CSYS_FAILED;
		ra = r->lr;
	} else if (row.ra == SEAM_LOST || cfa <= r->sp || !csys_load(w, cfa + (uintptr_t)((intptr_t)row.ra * 8), &ra))
		return CSYS_FAILED;
	if (row.fp == SEAM_AT_FP) {
		if (!csys_load(w, r->fp, &r->fp))
			r->fp = 1; // lost: odd, so that no load takes it
	} else if (row.fp == SEAM_LOST || (row.fp != SEAM_SAME && !csys_load(w, cfa + (uintptr_t)((intptr_t)row.fp * 8), &r->fp)))
		r->fp = 1;
	r->pc = seam_plain(ra);
	r->sp = cfa;
	r->lr = 0;
	return CSYS_NEXT;
}

#endif
