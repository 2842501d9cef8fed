//go:build linux && !android && gc && cgo && !asan && !msan && go1.25 && !go1.28

#include "textflag.h"
#include "go_asm.h"

// func call(fn, arg unsafe.Pointer) int32
//
// It has no frame, so that it can pass its caller's arguments on by jumping.
TEXT ·call(SB), NOSPLIT|NOFRAME, $0-20
	MOVBU ·hot+hotState_slow(SB), R9
	CBNZ  R9, slow
	B     ·direct(SB)

slow:
	B ·callSlow(SB)

// func direct(fn, arg unsafe.Pointer) int32
//
// The goroutine's saved context is used as on amd64, with two differences. The
// runtime's signal handler takes g from a thread-local word and not from R28, so
// that word too must hold g0 while C runs. And a traceback reads the return
// address from the frame: ours is that of mustNotCallGo, as both functions are
// declared with the same size. R19 to R28 survive C (AAPCS64).
TEXT ·direct(SB), NOSPLIT, $8-20
	MOVD fn+0(FP), R9
	MOVD arg+8(FP), R0
	MOVD ·hot+hotState_gSlot(SB), R21
	MRS  TPIDR_EL0, R10
	ADD  R10, R21
	MOVD ·hot+hotState_inC(SB), R10
	MOVD RSP, R19
	MOVD g, R20
	MOVD R19, const_gSchedSP(g)
	MOVD R10, const_gSchedPC(g)
	MOVD const_gM(g), R11
	MOVD const_mG0(R11), g
	MOVD g, (R21)
	MOVD const_gSchedSP(g), R12
	AND  $~15, R12
	MOVD R12, RSP
	CALL (R9)
	MOVD R20, g
	MOVD R19, RSP
	MOVD g, (R21)
	MOVW R0, ret+16(FP)
	RET

// func mustNotCallGo(fn, arg unsafe.Pointer) uintptr
//
// It returns an address inside itself, which stands for the C function in
// tracebacks.
TEXT ·mustNotCallGo(SB), NOSPLIT, $8-24
	ADR here, R0

here:
	MOVD R0, ret+16(FP)
	RET

// func entries() (call, direct uintptr)
TEXT ·entries(SB), NOSPLIT|NOFRAME, $0-16
	MOVD $·call(SB), R0
	MOVD R0, call+0(FP)
	MOVD $·direct(SB), R0
	MOVD R0, direct+8(FP)
	RET

// func argumentAt() uintptr
//
// The frame is that of direct.
TEXT ·argumentAt(SB), NOSPLIT, $8-8
	MOVD $ret+0(FP), R0
	MOVD RSP, R1
	SUB  R1, R0
	MOVD R0, ret+0(FP)
	RET
