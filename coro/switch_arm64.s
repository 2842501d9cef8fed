//go:build linux && !android && gc && cgo && !asan && !msan && go1.25 && !go1.28

#include "textflag.h"
#include "go_asm.h"

// func resume(c *control)
//
// See switch_amd64.s. The signal handler takes g from a thread-local word and not from
// R28, so that word too holds g0 while C runs. The thread may be another one afterwards.
// The frame is that of mustNotCallGo, for tracebacks.
TEXT ·resume(SB), NOSPLIT, $8-8
	MOVD c+0(FP), R0
	MOVD const_gM(g), R11
	MOVD const_belowThread(R0), R12
	CMP  R11, R12
	BNE  moved

here:
	MOVD  ·hot+hotState_inC(SB), R10
	MOVD  RSP, R11
	MOVD  R11, const_gSchedSP(g)
	MOVD  R10, const_gSchedPC(g)
	ADR   back, R12
	MOVD  R11, control_goSP(R0)
	MOVD  R12, control_goPC(R0)
	MOVD  R29, control_goFP(R0)
	MOVD  g, control_goG(R0)
	MOVWU control_fpControl(R0), R1
	MOVWU control_goFPControl(R0), R2
	CMPW  R1, R2
	BEQ   enter
	MOVD  R1, FPCR

enter:
	MOVD ·hot+hotState_gSlot(SB), R9
	MRS  TPIDR_EL0, R10
	ADD  R10, R9
	MOVD const_gM(g), R11
	MOVD const_mG0(R11), g
	MOVD g, (R9)
	MOVD control_sp(R0), R12
	MOVD control_fp(R0), R29
	MOVD control_pc(R0), R11
	MOVD R12, RSP
	JMP  (R11)

moved:
	CBZ   R12, take
	MOVHU control_flags(R0), R1
	TBZ   $const_sharesThreadBit, R1, strange

take:
	MOVD R11, const_belowThread(R0)
	B    here

strange:
	// As if our caller had called it: Go can't walk past a function that writes the stack pointer.
	MOVD   -8(RSP), R29
	MOVD.P 32(RSP), R30    // as RET does: the frame is 8 bytes, R30, R29 and what makes it a multiple of 16
	JMP    ·leftThread(SB)

back:
	MOVD  control_goG(R0), g
	MOVD  ·hot+hotState_gSlot(SB), R9
	MRS   TPIDR_EL0, R10
	ADD   R10, R9
	MOVD  g, (R9)
	MOVWU control_fpControl(R0), R1
	MOVWU control_goFPControl(R0), R2
	CMPW  R1, R2
	BEQ   done
	MOVD  R2, FPCR

done:
	// Without a call in it the function would return to R30 as it is.
	MOVD 0(RSP), R30
	RET

// func argumentAt() uintptr
//
// The frame is that of resume.
TEXT ·argumentAt(SB), NOSPLIT, $8-8
	MOVD $ret+0(FP), R0
	MOVD RSP, R1
	SUB  R1, R0
	MOVD R0, ret+0(FP)
	RET

// func fpControl() uint32
TEXT ·fpControl(SB), NOSPLIT, $0-4
	MOVD FPCR, R0
	MOVW R0, ret+0(FP)
	RET

// func backPC() uintptr
//
// resume sets goPC itself: its frame is open when C comes back.
TEXT ·backPC(SB), NOSPLIT, $0-8
	MOVD $0, R0
	MOVD R0, ret+0(FP)
	RET

// func mustNotCallGo(c *control) uintptr
TEXT ·mustNotCallGo(SB), NOSPLIT, $8-16
	ADR here, R0

here:
	MOVD R0, ret+8(FP)
	RET

// func resumePC() uintptr
TEXT ·resumePC(SB), NOSPLIT|NOFRAME, $0-8
	MOVD $·resume(SB), R0
	MOVD R0, ret+0(FP)
	RET

// func beginPC() uintptr
//
// resume notes the thread.
TEXT ·beginPC(SB), NOSPLIT, $0-8
	MOVD ·hot+hotState_entry(SB), R0
	MOVD R0, ret+0(FP)
	RET
