//go:build linux && !android && gc && !asan && !msan && go1.25 && !go1.28

#include "textflag.h"

// func currentG() uintptr
TEXT ·currentG(SB), NOSPLIT, $0-8
	MOVQ TLS, CX
	MOVQ 0(CX)(TLS*1), AX
	MOVQ AX, ret+0(FP)
	RET

// func stackPointer() uintptr
TEXT ·stackPointer(SB), NOSPLIT, $0-8
	LEAQ ret+0(FP), AX
	MOVQ AX, ret+0(FP)
	RET

// A C function: the thread's g.
TEXT thisG<>(SB), NOSPLIT|NOFRAME, $0-0
	MOVQ TLS, CX
	MOVQ 0(CX)(TLS*1), AX
	RET

// func thisGPC() uintptr
TEXT ·thisGPC(SB), NOSPLIT, $0-8
	LEAQ thisG<>(SB), AX
	MOVQ AX, ret+0(FP)
	RET
