//go:build linux && !android && gc && cgo && !asan && !msan && go1.25 && !go1.28

#include "textflag.h"
#include "go_asm.h"

// func resume(c *control)
//
// It continues the coroutine and returns when the coroutine switches out
// (seam_switch_native_ in coro_switch.h jumps to back, whose address is in goPC). As in
// package leaf, and for the reasons given there, the goroutine's saved context is set and
// the thread's g is g0 while C runs. The RET in back, with the stack pointer that C
// restores, matches the CALL that led here.
TEXT ·resume(SB), NOSPLIT|NOFRAME, $0-8
	MOVQ c+0(FP), DI
	LEAQ ·mustNotCallGo+1(SB), CX
	MOVQ SP, const_gSchedSP(R14)
	MOVQ CX, const_gSchedPC(R14)
	MOVQ SP, control_goSP(DI)
	MOVQ BP, control_goFP(DI)
	MOVQ R14, control_goG(DI)
	MOVQ const_gM(R14), CX
	MOVQ const_mG0(CX), CX
	MOVQ TLS, R13
	MOVQ CX, 0(R13)(TLS*1)
	MOVQ control_sp(DI), SP
	MOVQ control_fp(DI), BP
	MOVQ control_pc(DI), AX
	JMP  AX

// Where C comes back, with DI as it was.
TEXT back<>(SB), NOSPLIT|NOFRAME, $0-0
	MOVQ  control_goG(DI), R14
	MOVQ  TLS, R13
	MOVQ  R14, 0(R13)(TLS*1)
	MOVL  control_fpControl(DI), AX
	XORL  control_goFPControl(DI), AX
	TESTL $0xFFC0, AX                 // the low six bits of mxcsr are flags, not settings
	JNE   settings
	RET

settings:
	// Restore Go's. C gets its own by a detour when it continues.
	LDMXCSR control_goFPControl(DI)
	MOVQ    control_pc(DI), AX
	MOVQ    AX, control_realPC(DI)
	LEAQ    detour<>(SB), AX
	MOVQ    AX, control_pc(DI)
	RET

TEXT detour<>(SB), NOSPLIT|NOFRAME, $0-0
	LDMXCSR control_fpControl(DI)
	MOVQ    control_realPC(DI), AX
	JMP     AX

// func backPC() uintptr
TEXT ·backPC(SB), NOSPLIT, $0-8
	LEAQ back<>(SB), AX
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

// func argumentAt() uintptr
//
// The frame is that of resume.
TEXT ·argumentAt(SB), NOSPLIT|NOFRAME, $0-8
	LEAQ ret+0(FP), AX
	SUBQ SP, AX
	MOVQ AX, ret+0(FP)
	RET

// func fpControl() uint32
//
// STMXCSR takes 5 ns (Zen 5), so this finds out by computing whether rounding and
// denormals are as usual, and reads the register only if not. Exceptions that somebody has
// unmasked for the thread (feenableexcept) it doesn't see; a coroutine has them all the
// same, and the thread loses them when C first switches out.
TEXT ·fpControl(SB), NOSPLIT, $8-4
	CMPB    ·hot+hotState_rounds(SB), $0
	JEQ     read
	ROUNDPS $12, quarters<>(SB), X0      // by the thread's setting, without raising anything
	MOVUPS  denormals<>(SB), X1
	ADDPS   X1, X1                       // 0 with DAZ or FTZ
	POR     X1, X0
	PXOR    usual<>(SB), X0
	PTEST   X0, X0
	JNE     read
	MOVL    $0x1F80, ret+0(FP)
	RET

read:
	STMXCSR word-8(SP)
	MOVL    word-8(SP), AX
	MOVL    AX, ret+0(FP)
	RET

DATA quarters<>+0(SB)/4, $0.75
DATA quarters<>+4(SB)/4, $0.25
DATA quarters<>+8(SB)/4, $-0.25
DATA quarters<>+12(SB)/4, $-0.75
GLOBL quarters<>(SB), RODATA|NOPTR, $16

DATA denormals<>+0(SB)/8, $0x0000000100000001
DATA denormals<>+8(SB)/8, $0x0000000100000001
GLOBL denormals<>(SB), RODATA|NOPTR, $16

// 1, 0, -0, -1 and twice the smallest denormal.
DATA usual<>+0(SB)/4, $0x3F800002
DATA usual<>+4(SB)/4, $0x00000002
DATA usual<>+8(SB)/4, $0x80000002
DATA usual<>+12(SB)/4, $0xBF800002
GLOBL usual<>(SB), RODATA|NOPTR, $16

// func roundps() bool
TEXT ·roundps(SB), NOSPLIT, $0-1
	MOVL $1, AX
	XORL CX, CX
	CPUID
	SHRL $19, CX       // SSE4.1
	ANDL $1, CX
	MOVB CX, ret+0(FP)
	RET

// func mustNotCallGo(c *control) uintptr
//
// Its address, one byte in, stands for C in tracebacks. Called, it returns that.
TEXT ·mustNotCallGo(SB), NOSPLIT|NOFRAME, $0-16
	BYTE $0x90
	LEAQ ·mustNotCallGo+1(SB), AX
	MOVQ AX, ret+8(FP)
	RET
