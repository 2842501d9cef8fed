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

// func SeamCallOpen(fn, arg unsafe.Pointer) int32
//
// SeamCall with another address in the saved context, by which callbacks know it.
// The stack may have moved meanwhile: its pointer is taken from the saved context,
// which is right again after callbacks. BP is not, until our caller has returned: so it is behind
// the runtime's asmcgocall.
TEXT ·SeamCallOpen(SB), NOSPLIT|NOFRAME, $0-20
	MOVQ fn+0(FP), AX
	MOVQ arg+8(FP), DI
	LEAQ ·seamWeldedFunctionCallsGo+1(SB), CX
	MOVQ SP, const_seamGSchedSP(R14)
	MOVQ CX, const_seamGSchedPC(R14)
	MOVQ R14, R12
	MOVQ const_seamGM(R14), CX
	MOVQ const_seamMG0(CX), CX
	MOVQ TLS, R13
	MOVQ CX, 0(R13)(TLS*1)
	MOVQ const_seamGSchedSP(CX), SP
	ANDQ $~15, SP
	CALL AX
	MOVQ R12, 0(R13)(TLS*1)
	MOVQ const_seamGSchedSP(R12), SP
	MOVL AX, ret+16(FP)
	RET

// func seamWeldedFunctionCallsGo(fn, arg unsafe.Pointer) uintptr
//
// seamLate returns to its second byte.
TEXT ·seamWeldedFunctionCallsGo(SB), NOSPLIT|NOFRAME, $0-24
	BYTE $0x90
	JMP  ·seamResume(SB)

#ifdef SEAM_IN_RUNTIME_CGO
// crosscall2 stands in front of runtime/cgo's own, which is seam_crosscall2 now. C calls it.
TEXT crosscall2(SB), NOSPLIT|NOFRAME, $0-0
	CMPB  ·seamLayoutFits(SB), $0
	JEQ   plain
	MOVQ  TLS, AX
	MOVQ  0(AX)(TLS*1), R8
	TESTQ R8, R8
	JEQ   plain
	MOVQ  const_seamGM(R8), R9
	CMPQ  R8, const_seamMG0(R9)
	JNE   plain
	MOVQ  const_seamMCurg(R9), R10
	TESTQ R10, R10
	JEQ   plain
	XORL  R9, R9
	MOVQ  const_seamGSchedPC(R10), R11
	LEAQ  ·seamWeldedFunctionCalledGo+1(SB), AX
	CMPQ  R11, AX
	JEQ   late
	INCL  R9
	LEAQ  ·seamWeldedFunctionCallsGo+1(SB), AX
	CMPQ  R11, AX
	JEQ   late

plain:
	JMP seam_crosscall2(SB)

late:
	JMP ·seamAnnounce(SB)

#else
#define seam_crosscall2 crosscall2
#endif

// seamAnnounce leaves a leaf for the goroutine's stack, as seamLate's caller. It has
// crosscall2's arguments in DI, SI and CX, g0 in R8, the goroutine in R10, its saved
// pc in R11, and in R9 whether it may. C's registers are kept above a seamLateCall.
TEXT ·seamAnnounce(SB), NOSPLIT|NOFRAME, $0-0
	PUSHQ BP
	PUSHQ BX
	PUSHQ R12
	PUSHQ R13
	PUSHQ R14
	PUSHQ R15
	ADJSP $72                          // C's stack is aligned again
	MOVQ  DI, seamLateCall_fn(SP)
	MOVQ  SI, seamLateCall_a(SP)
	MOVQ  CX, seamLateCall_ctxt(SP)
	MOVQ  R11, seamLateCall_pc(SP)
	MOVQ  R9, seamLateCall_mayCall(SP)
	LEAQ  ·seamContinue(SB), AX
	MOVQ  AX, seamLateCall_run(SP)
	MOVQ  const_seamGSchedSP(R8), AX
	MOVQ  AX, seamLateCall_g0sp(SP)
	MOVQ  const_seamGSchedSP(R10), DI
	MOVQ  8(DI), AX                    // the first argument of SeamCall
	MOVQ  AX, seamLateCall_entry(SP)
	MOVQ  SP, const_seamGSchedSP(R8)
	MOVQ  R10, R14
	MOVQ  TLS, AX
	MOVQ  R10, 0(AX)(TLS*1)
	MOVQ  R11, -8(DI)
	LEAQ  -8(DI), SP
	JMP   ·seamLate(SB)

// seamResume goes back to the leaf. The stack pointer is that of SeamCallOpen, where the
// stack is now.
TEXT ·seamResume(SB), NOSPLIT|NOFRAME, $0-0
	MOVQ  TLS, DX
	MOVQ  0(DX)(TLS*1), R10
	MOVQ  const_seamGM(R10), R9
	MOVQ  const_seamMG0(R9), R8
	MOVQ  const_seamGSchedSP(R8), AX
	MOVQ  SP, const_seamGSchedSP(R10)
	MOVQ  seamLateCall_pc(AX), CX
	MOVQ  CX, const_seamGSchedPC(R10)
	MOVQ  seamLateCall_g0sp(AX), CX
	MOVQ  CX, const_seamGSchedSP(R8)
	MOVQ  R8, 0(DX)(TLS*1)
	LEAQ  120(AX), SP
	ADJSP $48                         // to the pushed registers
	POPQ  R15
	POPQ  R14
	POPQ  R13
	POPQ  R12
	POPQ  BX
	POPQ  BP
	RET

// seamContinue is the C function that seamCallback calls with a seamLateCall: the old
// crosscall2, with the arguments of the new one.
TEXT ·seamContinue(SB), NOSPLIT|NOFRAME, $0-0
	ADJSP $8
	MOVQ  seamLateCall_ctxt(DI), CX
	MOVQ  seamLateCall_a(DI), SI
	MOVQ  seamLateCall_fn(DI), DI
	XORL  DX, DX
	CALL  seam_crosscall2(SB)
	ADJSP $-8
	XORL  AX, AX
	RET

// func seamLateFrame() *seamLateCall
TEXT ·seamLateFrame(SB), NOSPLIT|NOFRAME, $0-8
	MOVQ TLS, CX
	MOVQ 0(CX)(TLS*1), AX
	MOVQ const_seamGM(AX), AX
	MOVQ const_seamMG0(AX), AX
	MOVQ const_seamGSchedSP(AX), AX
	MOVQ AX, ret+0(FP)
	RET

// func seamAbandon(sp uintptr)
TEXT ·seamAbandon(SB), NOSPLIT|NOFRAME, $0-8
	MOVQ TLS, CX
	MOVQ 0(CX)(TLS*1), AX
	MOVQ const_seamGM(AX), AX
	MOVQ const_seamMG0(AX), AX
	MOVQ sp+0(FP), CX
	MOVQ CX, const_seamGSchedSP(AX)
	RET

// func seamM() uintptr
TEXT ·seamM(SB), NOSPLIT|NOFRAME, $0-8
	MOVQ TLS, CX
	MOVQ 0(CX)(TLS*1), AX
	MOVQ const_seamGM(AX), AX
	MOVQ AX, ret+0(FP)
	RET

// func seamThread() (m, locked uintptr)
TEXT ·seamThread(SB), NOSPLIT, $0-16
	MOVQ TLS, CX
	MOVQ 0(CX)(TLS*1), AX
	MOVQ const_seamGM(AX), DX
	MOVQ const_seamGLockedM(AX), AX
	MOVQ DX, m+0(FP)
	MOVQ AX, locked+8(FP)
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
