//go:build linux && !android && gc && cgo && !asan && !msan && go1.25 && !go1.28

#include "textflag.h"
#include "go_asm.h"

// func SeamCall(fn, arg unsafe.Pointer) int32
//
// This is leaf·direct, instruction by instruction; see leaf/call_amd64.s for
// why each is right.
TEXT ·SeamCall(SB), NOSPLIT|NOFRAME, $0-20
	MOVQ fn+0(FP), AX
	MOVQ arg+8(FP), DI
	LEAQ ·seamWeldedFunctionCalledGo+1(SB), CX
	MOVQ SP, const_seamGSchedSP(R14)
	MOVQ CX, const_seamGSchedPC(R14)
	MOVQ R14, R12
	MOVQ SP, BX
	MOVQ const_seamGM(R14), CX
	MOVQ const_seamMG0(CX), CX
	MOVQ TLS, R13
	MOVQ CX, 0(R13)(TLS*1)
	MOVQ const_seamGSchedSP(CX), SP
	ANDQ $~15, SP
	CALL AX
	MOVQ R12, 0(R13)(TLS*1)
	MOVQ BX, SP
	MOVL AX, ret+16(FP)
	RET

// func seamWeldedFunctionCalledGo(fn, arg unsafe.Pointer) uintptr
TEXT ·seamWeldedFunctionCalledGo(SB), NOSPLIT|NOFRAME, $0-24
	BYTE $0x90
	MOVQ $0, ret+16(FP)
	RET

// The rest is that of internal/abi, which package runtime/cgo can't import either.

// func seamG() uintptr
TEXT ·seamG(SB), NOSPLIT, $0-8
	MOVQ TLS, CX
	MOVQ 0(CX)(TLS*1), AX
	MOVQ AX, ret+0(FP)
	RET

// func seamSP() uintptr
TEXT ·seamSP(SB), NOSPLIT, $0-8
	MOVQ SP, ret+0(FP)
	RET

// func seamLoad(addr uintptr) uintptr
TEXT ·seamLoad(SB), NOSPLIT, $0-16
	MOVQ addr+0(FP), AX
	MOVQ (AX), AX
	MOVQ AX, ret+8(FP)
	RET

// func seamProbe(addr uintptr) int
//
// rt_sigprocmask(-1, addr, NULL, 8)
TEXT ·seamProbe(SB), NOSPLIT, $0-16
	MOVQ $-1, DI
	MOVQ addr+0(FP), SI
	MOVQ $0, DX
	MOVQ $8, R10
	MOVQ $14, AX
	SYSCALL
	MOVQ AX, ret+8(FP)
	RET
