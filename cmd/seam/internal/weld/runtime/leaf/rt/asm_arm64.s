//go:build linux && !android && gc && cgo && !asan && !msan && go1.25 && !go1.28

#include "textflag.h"
#include "go_asm.h"

// func SeamCall(fn, arg unsafe.Pointer) int32
//
// This is leaf·direct, instruction by instruction; see leaf/call_arm64.s for
// why each is right.
TEXT ·SeamCall(SB), NOSPLIT, $8-20
	MOVD fn+0(FP), R9
	MOVD arg+8(FP), R0
	MOVD ·seamHot+128(SB), R21
	MRS  TPIDR_EL0, R10
	ADD  R10, R21
	MOVD ·seamHot+136(SB), R10
	MOVD RSP, R19
	MOVD g, R20
	MOVD R19, const_seamGSchedSP(g)
	MOVD R10, const_seamGSchedPC(g)
	MOVD const_seamGM(g), R11
	MOVD const_seamMG0(R11), g
	MOVD g, (R21)
	MOVD const_seamGSchedSP(g), R12
	AND  $~15, R12
	MOVD R12, RSP
	CALL (R9)
	MOVD R20, g
	MOVD g, (R21)
	MOVD R19, RSP
	MOVW R0, ret+16(FP)
	RET

// func seamWeldedFunctionCalledGo(fn, arg unsafe.Pointer) uintptr
TEXT ·seamWeldedFunctionCalledGo(SB), NOSPLIT, $8-24
	ADR here, R0

here:
	MOVD R0, ret+16(FP)
	RET

// The rest is that of internal/abi, which package runtime/cgo can't import either.

// func seamG() uintptr
TEXT ·seamG(SB), NOSPLIT, $0-8
	MOVD g, R0
	MOVD R0, ret+0(FP)
	RET

// func seamSP() uintptr
TEXT ·seamSP(SB), NOSPLIT, $0-8
	MOVD RSP, R0
	MOVD R0, ret+0(FP)
	RET

// func seamScan(counts *uint8, words int)
TEXT ·seamScan(SB), NOSPLIT, $0-16
	MOVD counts+0(FP), R4
	MOVD words+8(FP), R5
	MRS  TPIDR_EL0, R6
	B    readable

next:
	TST $4095, R6
	BNE word

readable:
	// rt_sigprocmask(-1, R6, NULL, 8) answers EINVAL if it could read.
	MOVD $-1, R0
	MOVD R6, R1
	MOVD $0, R2
	MOVD $8, R3
	MOVD $135, R8
	SVC
	CMN  $22, R0
	BNE  done

word:
	MOVD  (R6), R7
	CMP   g, R7
	BNE   differs
	MOVBU (R4), R7
	ADD   $1, R7
	MOVB  R7, (R4)

differs:
	ADD  $8, R6
	ADD  $1, R4
	SUB  $1, R5
	CBNZ R5, next

done:
	RET

// func seamLoad(addr uintptr) uintptr
TEXT ·seamLoad(SB), NOSPLIT, $0-16
	MOVD addr+0(FP), R0
	MOVD (R0), R0
	MOVD R0, ret+8(FP)
	RET

// func seamProbe(addr uintptr) int
//
// rt_sigprocmask(-1, addr, NULL, 8)
TEXT ·seamProbe(SB), NOSPLIT, $0-16
	MOVD $-1, R0
	MOVD addr+0(FP), R1
	MOVD $0, R2
	MOVD $8, R3
	MOVD $135, R8
	SVC
	MOVD R0, ret+8(FP)
	RET
