//go:build linux && !android && gc && cgo && !asan && !msan && go1.25 && !go1.28

#include "textflag.h"
#include "go_asm.h"
#include "funcdata.h"

// Both calls of C that may call Go: to C, and back.
#define SEAM_TO_C(standin) \
	MOVQ fn+0(FP), AX                \
	MOVQ arg+8(FP), DI               \
	LEAQ standin+1(SB), CX           \
	MOVQ SP, const_seamGSchedSP(R14) \
	MOVQ CX, const_seamGSchedPC(R14) \
	MOVQ R14, R12                    \
	MOVQ const_seamGM(R14), CX       \
	MOVQ const_seamMG0(CX), CX       \
	MOVQ TLS, R13                    \
	MOVQ CX, 0(R13)(TLS*1)           \
	MOVQ const_seamGSchedSP(CX), SP  \
	ANDQ $~15, SP                    \
	CALL AX                          \
	MOVQ const_seamGSchedSP(R12), SP \
	MOVQ R12, 0(R13)(TLS*1)          \
	POPQ BP

// What stands for C in tracebacks. seamAnnounce goes on at the second byte of such a
// function, with g in R14.
#define SEAM_STANDIN \
	MOVQ  ·seamLock(SB), DX   \
	TESTQ DX, DX              \
	JEQ   late                \
	XORPS X15, X15            \
	MOVQ  (DX), CX            \
	CALL  CX                  \
	late:                     \
	CALL  ·seamLate(SB)       \
	MOVQ  TLS, R14            \
	MOVQ  0(R14)(TLS*1), R14  \
	XORPS X15, X15            \
	MOVQ  ·seamUnlock(SB), DX \
	MOVQ  (DX), CX            \
	CALL  CX                  \
	JMP   ·seamResume(SB)

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
	MOVQ BX, SP
	MOVQ R12, 0(R13)(TLS*1)
	MOVL AX, ret+16(FP)
	RET

// func seamWeldedFunctionCalledGo(fn, arg unsafe.Pointer) uintptr
TEXT ·seamWeldedFunctionCalledGo(SB), NOSPLIT|NOFRAME, $0-24
	BYTE $0x90
	SEAM_STANDIN

// func SeamCallOpen(fn, arg unsafe.Pointer) int32
//
// SeamCall with another address in the saved context, by which callbacks know it, and
// with a frame, so that frame pointers lead from a callback to our caller. The stack may
// have moved meanwhile: its pointer is taken from the saved context, which is right
// again after callbacks, and the frame pointer from the stack.
TEXT ·SeamCallOpen(SB), NOSPLIT|NOFRAME, $0-20
	PUSHQ BP
	MOVQ  SP, BP
	SEAM_TO_C(·seamWeldedFunctionCallsGo)
	MOVL  AX, ret+16(FP)
	RET

// func SeamCallCoro(fn, arg unsafe.Pointer) uintptr
//
// While C runs, the result's word is the seamLateCall of its last callback, 0 before the first,
// which has locked the thread.
TEXT ·SeamCallCoro(SB), NOSPLIT|NOFRAME, $0-24
	PUSHQ BP
	MOVQ  SP, BP
	MOVQ  $0, ret+16(FP)
	SEAM_TO_C(·seamCFunctionCallsGo)
	MOVL  AX, AX
	MOVQ  ret+16(FP), CX
	MOVQ  AX, ret+16(FP)
	TESTQ CX, CX
	JNE   locked
	RET

locked:
	JMP ·seamUnlocked(SB)

// seamUnlocked unlocks the thread and returns for SeamCallCoro. C has kept g in R14.
TEXT ·seamUnlocked(SB), NOSPLIT, $8-0
	XORPS X15, X15
	MOVQ  ·seamUnlock(SB), DX
	MOVQ  (DX), CX
	CALL  CX
	RET

// func seamWeldedFunctionCallsGo(fn, arg unsafe.Pointer) uintptr
//
// Where seamAnnounce goes on the frame is that of SeamCallOpen. The processor sees calls
// and returns in pairs all the way, which predicts them.
TEXT ·seamWeldedFunctionCallsGo(SB), NOSPLIT|NOFRAME, $0-24
	PUSHQ BP
	SEAM_STANDIN

// func seamCFunctionCallsGo(fn, arg unsafe.Pointer) uintptr
//
// seamAnnounce comes with AX = 0 if the thread has still to be locked. The thread is the
// goroutine's when Go returns, unless somebody has unlocked it more often than he has locked it:
// then the next callback locks it again, if this is still the thread with C's frames.
TEXT ·seamCFunctionCallsGo(SB), NOSPLIT|NOFRAME, $0-24
	PUSHQ BP
	NO_LOCAL_POINTERS
	XORPS X15, X15
	TESTQ AX, AX
	JNE   locked
	MOVQ  ·seamLock(SB), DX
	MOVQ  (DX), CX
	CALL  CX

locked:
	MOVQ  ret+16(FP), AX
	MOVQ  ·seamDirectly(SB), DX
	MOVQ  (DX), CX
	ADJSP $8                          // room for its argument
	CALL  CX
	ADJSP $-8
	MOVQ  const_seamGM(R14), CX
	MOVQ  const_seamMG0(CX), CX
	MOVQ  const_seamGSchedSP(CX), CX
	MOVQ  ret+16(FP), AX
	CMPQ  AX, CX
	JNE   elsewhere
	CMPQ  const_seamGLockedM(R14), $0
	JEQ   unlocked

back:
	JMP ·seamResume(SB)

unlocked:
	MOVQ $0, ret+16(FP)
	JMP  back

elsewhere:
	MOVQ  ·seamElsewhere(SB), DX
	MOVQ  (DX), CX
	ADJSP $8
	CALL  CX
	INT   $3

#ifdef SEAM_IN_RUNTIME_CGO
// crosscall2 stands in front of runtime/cgo's own, which is seam_crosscall2 now. C calls it.
TEXT crosscall2(SB), NOSPLIT|NOFRAME, $0-0
	MOVQ  ·seamParkCross(SB), AX
	TESTQ AX, AX
	JNE   cross

here:
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
	INCL  R9
	LEAQ  ·seamCFunctionCallsGo+1(SB), AX
	CMPQ  R11, AX
	JEQ   late

plain:
	JMP seam_crosscall2(SB)

late:
	JMP ·seamAnnounce(SB)

// C may be on a stack of its own, see park.go.
cross:
	PUSHQ DI
	PUSHQ SI
	PUSHQ DX
	PUSHQ CX
	ADJSP $8
	CALL  AX
	ADJSP $-8
	POPQ  CX
	POPQ  DX
	POPQ  SI
	POPQ  DI
	TESTL AX, AX
	JEQ   here
	RET

#else
#define seam_crosscall2 crosscall2
#endif

// IN_CORO goes on in C of a coro function, with no Go in between, and has g0 in R8, the goroutine
// in R10, its saved pc in R11; elsewhere it goes there. AX and R9 are lost.
#define IN_CORO(elsewhere) \
	MOVQ  TLS, AX;                         \
	MOVQ  0(AX)(TLS*1), R8;                \
	TESTQ R8, R8;                          \
	JEQ   elsewhere;                       \
	MOVQ  const_seamGM(R8), R9;            \
	CMPQ  R8, const_seamMG0(R9);           \
	JNE   elsewhere;                       \
	MOVQ  const_seamMCurg(R9), R10;        \
	TESTQ R10, R10;                        \
	JEQ   elsewhere;                       \
	MOVQ  const_seamGSchedPC(R10), R11;    \
	LEAQ  ·seamCFunctionCallsGo+1(SB), AX; \
	CMPQ  R11, AX;                         \
	JNE   elsewhere

// seamFromC stands in front of crosscall2 for the exports of packages with coro functions, which
// come here without having asked whether the runtime has begun.
TEXT ·seamFromC(SB), NOSPLIT|NOFRAME, $0-0
	IN_CORO(slowly)
	MOVL $const_seamByCoro, R9
	JMP  ·seamAnnounce(SB)

slowly:
	MOVQ ·seamSlowly(SB), AX
	JMP  AX                  // a function of C's

// seamInCoro tells C whether its thread is in C of a coro function, with no Go in between: 1, or 2 if it is on
// another stack, as in a signal handler. As a C function: int (*)(void).
TEXT ·seamInCoro(SB), NOSPLIT|NOFRAME, $0-0
	IN_CORO(no)
	CMPQ SP, const_seamGSchedSP(R8)
	JCC  elsewhere
	CMPQ SP, const_seamGStackLo(R8)
	JLS  elsewhere
	MOVL $1, AX
	RET

elsewhere:
	MOVL $2, AX
	RET

no:
	XORL AX, AX
	RET

// seamAnnounce leaves C for the goroutine's stack, where seamLate is called. It has
// crosscall2's arguments in DI, SI and CX, g0 in R8, the goroutine in R10, its saved
// pc in R11, and in R9 by which entry C was called. C's registers are kept above a
// seamLateCall.
TEXT ·seamAnnounce(SB), NOSPLIT|NOFRAME, $0-0
	PUSHQ BP
	PUSHQ BX
	PUSHQ R12
	PUSHQ R13
	PUSHQ R14
	PUSHQ R15
	ADJSP $72                        // C's stack is aligned again
	MOVQ  DI, seamLateCall_fn(SP)
	MOVQ  SI, seamLateCall_a(SP)
	MOVQ  CX, seamLateCall_ctxt(SP)
	MOVQ  R11, seamLateCall_pc(SP)
	MOVQ  R9, seamLateCall_by(SP)
	LEAQ  ·seamContinue(SB), AX
	MOVQ  AX, seamLateCall_run(SP)
	MOVQ  const_seamGSchedSP(R8), AX
	MOVQ  AX, seamLateCall_g0sp(SP)
	MOVQ  R8, R12
	MOVQ  R10, R14
	XORL  AX, AX
	MOVQ  ·seamPause(SB), DX
	TESTQ DX, DX
	JEQ   paused
	CALL  DX                         // a function of C's

paused:
	MOVQ AX, seamLateCall_paused(SP)
	MOVQ const_seamGSchedSP(R14), DI
	XORL BP, BP                                 // SeamCall has no frame
	MOVQ 8(DI), AX                              // its first argument
	CMPL seamLateCall_by(SP), $const_seamByOpen
	JCS  called
	MOVQ DI, BP
	MOVQ 16(DI), AX
	JEQ  called
	MOVQ AX, seamLateCall_entry(SP)
	MOVQ 32(DI), AX                             // the result's word of SeamCallCoro
	MOVQ SP, 32(DI)
	JMP  go

called:
	MOVQ AX, seamLateCall_entry(SP)

go:
	MOVQ SP, const_seamGSchedSP(R12)
	MOVQ seamLateCall_pc(SP), CX
	MOVQ TLS, DX
	MOVQ R14, 0(DX)(TLS*1)
	MOVQ DI, SP
	JMP  CX

// seamResume goes back to C. The stack pointer is that of SeamCallOpen, where the
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
	ADJSP $120                        // to the seamLateCall
	MOVQ  seamLateCall_paused(SP), DI
	TESTQ DI, DI
	JEQ   goes
	MOVQ  (DI), DX
	CALL  DX                          // a function of C's

goes:
	ADJSP $-72
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

// func seamThread() (m, locked uintptr)
TEXT ·seamThread(SB), NOSPLIT, $0-16
	MOVQ TLS, CX
	MOVQ 0(CX)(TLS*1), AX
	MOVQ const_seamGM(AX), DX
	MOVQ const_seamGLockedM(AX), AX
	MOVQ DX, m+0(FP)
	MOVQ AX, locked+8(FP)
	RET

// func seamEntries(into *[5]uintptr)
TEXT ·seamEntries(SB), NOSPLIT|NOFRAME, $0-8
	MOVQ into+0(FP), CX
	LEAQ ·SeamCall(SB), AX
	MOVQ AX, 0(CX)
	LEAQ ·SeamCallOpen(SB), AX
	MOVQ AX, 8(CX)
	LEAQ ·SeamCallCoro(SB), AX
	MOVQ AX, 16(CX)
	LEAQ ·seamAnnounce(SB), AX
	MOVQ AX, 24(CX)
	LEAQ ·seamResume(SB), AX
	MOVQ AX, 32(CX)
	RET

// func seamForC(into *[2]uintptr)
TEXT ·seamForC(SB), NOSPLIT|NOFRAME, $0-8
	MOVQ into+0(FP), CX
	LEAQ ·seamFromC(SB), AX
	MOVQ AX, 0(CX)
	LEAQ ·seamInCoro(SB), AX
	MOVQ AX, 8(CX)
	RET

// func seamStandIns(into *[3]uintptr)
TEXT ·seamStandIns(SB), NOSPLIT|NOFRAME, $0-8
	MOVQ into+0(FP), CX
	LEAQ ·seamWeldedFunctionCalledGo+1(SB), AX
	MOVQ AX, 0(CX)
	LEAQ ·seamWeldedFunctionCallsGo+1(SB), AX
	MOVQ AX, 8(CX)
	LEAQ ·seamCFunctionCallsGo+1(SB), AX
	MOVQ AX, 16(CX)
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
