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
	CMPQ CX, const_gSchedPC(R14)
	JNE  stopped

here:
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

stopped:
	// The goroutine has stopped since it last was here, which saves another context; it may be
	// on another thread. So a call of Go that doesn't stop pays nothing for this.
	MOVQ  CX, const_gSchedPC(R14)
	TESTW $const_sharesThread, control_flags(DI)
	JNE   here
	CMPQ  const_belowThread(DI), $0              // it has not begun
	JEQ   here
	MOVQ  const_gM(R14), AX
	CMPQ  AX, const_belowThread(DI)
	JEQ   here
	JMP   ·leftThread(SB)

// Where a coroutine begins: it notes its thread.
TEXT begin<>(SB), NOSPLIT|NOFRAME, $0-0
	MOVQ control_goG(DI), AX
	MOVQ const_gM(AX), AX
	MOVQ AX, const_belowThread(DI)
	MOVQ ·hot+hotState_entry(SB), AX
	JMP  AX

// func beginPC() uintptr
TEXT ·beginPC(SB), NOSPLIT, $0-8
	LEAQ begin<>(SB), AX
	MOVQ AX, ret+0(FP)
	RET

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

// func argumentAt() uintptr
//
// The frame is that of resume.
TEXT ·argumentAt(SB), NOSPLIT|NOFRAME, $0-8
	LEAQ ret+0(FP), AX
	SUBQ SP, AX
	MOVQ AX, ret+0(FP)
	RET

// func fpControl() uint32
TEXT ·fpControl(SB), NOSPLIT, $8-4
	STMXCSR word-8(SP)
	MOVL    word-8(SP), AX
	MOVL    AX, ret+0(FP)
	RET

// func mustNotCallGo(c *control) uintptr
//
// Its address, one byte in, stands for C in tracebacks. Called, it returns that.
TEXT ·mustNotCallGo(SB), NOSPLIT|NOFRAME, $0-16
	BYTE $0x90
	LEAQ ·mustNotCallGo+1(SB), AX
	MOVQ AX, ret+8(FP)
	RET

// func resumePC() uintptr
TEXT ·resumePC(SB), NOSPLIT|NOFRAME, $0-8
	LEAQ ·resume(SB), AX
	MOVQ AX, ret+0(FP)
	RET
