//go:build linux && !android && gc && !asan && !msan && go1.25 && !go1.28

#include "textflag.h"

// func currentG() uintptr
TEXT ·currentG(SB), NOSPLIT, $0-8
	MOVD g, R0
	MOVD R0, ret+0(FP)
	RET

// func stackPointer() uintptr
TEXT ·stackPointer(SB), NOSPLIT, $0-8
	MOVD $ret+0(FP), R0
	MOVD R0, ret+0(FP)
	RET

// func threadPointer() uintptr
TEXT ·threadPointer(SB), NOSPLIT, $0-8
	MRS  TPIDR_EL0, R0
	MOVD R0, ret+0(FP)
	RET

// A C function: the thread's g. It keeps R27, which a load from a symbol would change.
TEXT thisG<>(SB), NOSPLIT|NOFRAME, $0-0
	MOVD $·gSlot(SB), R9
	MOVD (R9), R9
	MRS  TPIDR_EL0, R10
	ADD  R10, R9
	MOVD (R9), R0
	RET

// func thisGPC() uintptr
TEXT ·thisGPC(SB), NOSPLIT, $0-8
	MOVD $thisG<>(SB), R0
	MOVD R0, ret+0(FP)
	RET
