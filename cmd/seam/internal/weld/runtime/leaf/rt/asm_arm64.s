//go:build linux && !android && gc && cgo && !asan && !msan && go1.25 && !go1.28

#include "textflag.h"
#include "go_asm.h"
#include "funcdata.h"

// Both calls of C that may call Go: to C, and back.
#define SEAM_TO_C(standin) \
	MOVD fn+0(FP), R9               \
	MOVD arg+8(FP), R0              \
	MOVD ·seamHot+128(SB), R21      \
	MRS  TPIDR_EL0, R10             \
	ADD  R10, R21                   \
	MOVD ·seamHot+standin(SB), R10  \
	MOVD RSP, R19                   \
	MOVD g, R20                     \
	MOVD R19, const_seamGSchedSP(g) \
	MOVD R10, const_seamGSchedPC(g) \
	MOVD const_seamGM(g), R11       \
	MOVD const_seamMG0(R11), g      \
	MOVD g, (R21)                   \
	MOVD const_seamGSchedSP(g), R12 \
	AND  $~15, R12                  \
	MOVD R12, RSP                   \
	CALL (R9)                       \
	MOVD R20, g                     \
	MOVD const_seamGSchedSP(g), R12 \
	MOVD R12, RSP                   \
	MOVD g, (R21)                   \
	SUB  $8, R12, R29

// What stands for such C in tracebacks.
#define SEAM_STANDIN \
	NO_LOCAL_POINTERS          \
	ADR   here, R0             \
	MOVD  R0, ret+16(FP)       \
	B     out                  \
	here:                      \
	MOVD  ·seamLock(SB), R26   \
	CBZ   R26, late            \
	MOVD  (R26), R0            \
	CALL  (R0)                 \
	late:                      \
	BL    ·seamLate(SB)        \
	MOVD  ·seamUnlock(SB), R26 \
	MOVD  (R26), R0            \
	CALL  (R0)                 \
	B     ·seamResume(SB)      \
	out:                       \
	RET

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
	MOVD R19, RSP
	MOVD g, (R21)
	MOVW R0, ret+16(FP)
	RET

// func seamWeldedFunctionCalledGo(fn, arg unsafe.Pointer) uintptr
//
// Nothing returns to it: its callback ends the program.
TEXT ·seamWeldedFunctionCalledGo(SB), NOSPLIT, $8-24
	SEAM_STANDIN

// func SeamCallOpen(fn, arg unsafe.Pointer) int32
//
// SeamCall with another address in the saved context, by which callbacks know it.
// The stack may have moved meanwhile: its pointer is taken from the saved context,
// which is right again after callbacks, and the frame pointer follows.
TEXT ·SeamCallOpen(SB), NOSPLIT, $8-20
	SEAM_TO_C(144)
	MOVW R0, ret+16(FP)
	RET

// func SeamCallCoro(fn, arg unsafe.Pointer) uintptr
//
// While C runs, the result's word is the seamLateCall of its last callback, 0 before the first,
// which has locked the thread.
TEXT ·SeamCallCoro(SB), NOSPLIT, $8-24
	MOVD  ZR, ret+16(FP)
	SEAM_TO_C(152)
	MOVWU R0, R0
	MOVD  ret+16(FP), R1
	MOVD  R0, ret+16(FP)
	CBNZ  R1, locked
	RET

locked:
	MOVD ·seamUnlock(SB), R26
	MOVD (R26), R0
	CALL (R0)
	RET

// func seamWeldedFunctionCallsGo(fn, arg unsafe.Pointer) uintptr
//
// Called by Go it returns its place here, where seamAnnounce goes on. The processor sees
// calls and returns in pairs all the way, which predicts them.
TEXT ·seamWeldedFunctionCallsGo(SB), NOSPLIT, $8-24
	SEAM_STANDIN

// func seamCFunctionCallsGo(fn, arg unsafe.Pointer) uintptr
//
// seamAnnounce comes with R0 = 0 if the thread has still to be locked. The thread is the
// goroutine's when Go returns, unless somebody has unlocked it more often than he has locked it:
// then the next callback locks it again, if this is still the thread with C's frames.
TEXT ·seamCFunctionCallsGo(SB), NOSPLIT, $8-24
	NO_LOCAL_POINTERS
	ADR  here, R0
	MOVD R0, ret+16(FP)
	B    out

here:
	CBNZ R0, locked
	MOVD ·seamLock(SB), R26
	MOVD (R26), R0
	CALL (R0)

locked:
	MOVD ret+16(FP), R0
	MOVD ·seamDirectly(SB), R26
	MOVD (R26), R1
	CALL (R1)                       // R0 is its argument
	MOVD const_seamGM(g), R1
	MOVD const_seamMG0(R1), R1
	MOVD const_seamGSchedSP(R1), R1
	MOVD ret+16(FP), R0
	CMP  R0, R1
	BNE  elsewhere
	MOVD const_seamGLockedM(g), R1
	CBZ  R1, unlocked

back:
	B ·seamResume(SB)

unlocked:
	MOVD ZR, ret+16(FP)
	B    back

elsewhere:
	MOVD ·seamElsewhere(SB), R26
	MOVD (R26), R1
	CALL (R1)
	UNDEF

out:
	RET

#ifdef SEAM_IN_RUNTIME_CGO
// crosscall2 stands in front of runtime/cgo's own, which is seam_crosscall2 now. C calls it, and
// keeps what it likes in R27, which the assembler takes for addresses.
TEXT crosscall2(SB), NOSPLIT|NOFRAME, $0
	MOVD R27, R15
	MOVD ·seamParkCross(SB), R9
	CBNZ R9, cross

here:
	MOVBU ·seamLayoutFits(SB), R9
	CBZ   R9, plain
	MOVD  ·seamHot+128(SB), R9
	MRS   TPIDR_EL0, R10
	MOVD  (R9)(R10), R9
	CBZ   R9, plain
	MOVD  const_seamGM(R9), R10
	MOVD  const_seamMG0(R10), R11
	CMP   R9, R11
	BNE   plain
	MOVD  const_seamMCurg(R10), R10
	CBZ   R10, plain
	MOVD  const_seamGSchedPC(R10), R11
	MOVD  $0, R12
	MOVD  ·seamHot+136(SB), R13
	CMP   R11, R13
	BEQ   late
	MOVD  $1, R12
	MOVD  ·seamHot+144(SB), R13
	CMP   R11, R13
	BEQ   late
	MOVD  $2, R12
	MOVD  ·seamHot+152(SB), R13
	CMP   R11, R13
	BEQ   late

plain:
	MOVD R15, R27
	B    seam_crosscall2(SB)

late:
	MOVD R15, R27
	B    ·seamAnnounce(SB)

	// C may be on a stack of its own, see park.go.
cross:
	SUB  $64, RSP
	MOVD R15, 8(RSP)
	STP  (R0, R1), 16(RSP)
	STP  (R2, R3), 32(RSP)
	STP  (R29, R30), 48(RSP)
	CALL (R9)
	MOVD R0, R9
	MOVD 8(RSP), R15
	LDP  16(RSP), (R0, R1)
	LDP  32(RSP), (R2, R3)
	LDP  48(RSP), (R29, R30)
	ADD  $64, RSP
	CBZW R9, here
	MOVD R15, R27
	RET

#else
#define seam_crosscall2 crosscall2
#endif

// IN_CORO goes on in C of a coro function, with no Go in between, and has g0 in R9, the goroutine
// in R10, its saved pc in R11; elsewhere it goes there. R13 and R27 are lost.
#define IN_CORO(elsewhere) \
	MOVD ·seamHot+128(SB), R9;         \
	MRS  TPIDR_EL0, R10;               \
	MOVD (R9)(R10), R9;                \
	CBZ  R9, elsewhere;                \
	MOVD const_seamGM(R9), R10;        \
	MOVD const_seamMG0(R10), R11;      \
	CMP  R9, R11;                      \
	BNE  elsewhere;                    \
	MOVD const_seamMCurg(R10), R10;    \
	CBZ  R10, elsewhere;               \
	MOVD const_seamGSchedPC(R10), R11; \
	MOVD ·seamHot+152(SB), R13;        \
	CMP  R11, R13;                     \
	BNE  elsewhere

// seamFromC stands in front of crosscall2 for the exports of packages with coro functions, which
// come here without having asked whether the runtime has begun.
TEXT ·seamFromC(SB), NOSPLIT|NOFRAME, $0
	MOVD R27, R15
	IN_CORO(slowly)
	MOVD $const_seamByCoro, R12
	MOVD R15, R27
	B    ·seamAnnounce(SB)

slowly:
	MOVD ·seamSlowly(SB), R9
	MOVD R15, R27
	B    (R9)                // a function of C's

// seamInCoro tells C whether its thread is in C of a coro function, with no Go in between: 1, or 2 if it is on
// another stack, as in a signal handler. As a C function: int (*)(void).
TEXT ·seamInCoro(SB), NOSPLIT|NOFRAME, $0
	MOVD R27, R15
	IN_CORO(no)
	MOVD R15, R27
	MOVD RSP, R12
	MOVD const_seamGSchedSP(R9), R10
	MOVD const_seamGStackLo(R9), R11
	CMP  R10, R12
	BHS  elsewhere
	CMP  R11, R12
	BLS  elsewhere
	MOVD $1, R0
	RET

elsewhere:
	MOVD $2, R0
	RET

no:
	MOVD R15, R27
	MOVD $0, R0
	RET

// seamAnnounce leaves C for the goroutine's stack, where seamLate is called. It has
// crosscall2's arguments in R0, R1 and R3, g0 in R9, the goroutine in R10, its saved
// pc in R11, and in R12 by which entry C was called. C's registers are kept above a
// seamLateCall.
TEXT ·seamAnnounce(SB), NOSPLIT|NOFRAME, $0
	SUB   $256, RSP
	STP   (R19, R20), 80(RSP)
	STP   (R21, R22), 96(RSP)
	STP   (R23, R24), 112(RSP)
	STP   (R25, R26), 128(RSP)
	STP   (R27, g), 144(RSP)
	STP   (R29, R30), 160(RSP)
	FSTPD (F8, F9), 176(RSP)
	FSTPD (F10, F11), 192(RSP)
	FSTPD (F12, F13), 208(RSP)
	FSTPD (F14, F15), 224(RSP)
	MOVD  R0, seamLateCall_fn(RSP)
	MOVD  R1, seamLateCall_a(RSP)
	MOVD  R3, seamLateCall_ctxt(RSP)
	MOVD  R11, seamLateCall_pc(RSP)
	MOVD  R12, seamLateCall_by(RSP)
	MOVD  $·seamContinue(SB), R4
	MOVD  R4, seamLateCall_run(RSP)
	MOVD  const_seamGSchedSP(R9), R4
	MOVD  R4, seamLateCall_g0sp(RSP)
	MOVD  R9, R19
	MOVD  R10, R20
	MOVD  $0, R0
	MOVD  ·seamPause(SB), R4
	CBZ   R4, paused
	CALL  (R4)                       // a function of C's

paused:
	MOVD R0, seamLateCall_paused(RSP)
	MOVD const_seamGSchedSP(R20), R5
	MOVD 40(R5), R4                   // the first argument of SeamCall, whose frame has 32 bytes
	MOVD R4, seamLateCall_entry(RSP)
	MOVD seamLateCall_by(RSP), R6
	CMP  $const_seamByCoro, R6
	BNE  go
	MOVD 56(R5), R0                   // the result's word of SeamCallCoro
	MOVD RSP, R4
	MOVD R4, 56(R5)

go:
	MOVD RSP, R4
	MOVD R4, const_seamGSchedSP(R19)
	MOVD seamLateCall_pc(RSP), R8
	MOVD ·seamHot+128(SB), R6
	MRS  TPIDR_EL0, R7
	MOVD R20, (R6)(R7)
	MOVD R20, g
	MOVD R5, RSP
	SUB  $8, R5, R29
	B    (R8)

// seamResume goes back to C. The stack pointer is that of SeamCallOpen, where the
// stack is now.
TEXT ·seamResume(SB), NOSPLIT|NOFRAME, $0
	MOVD ·seamHot+128(SB), R6
	MRS  TPIDR_EL0, R7
	MOVD (R6)(R7), R10
	MOVD const_seamGM(R10), R8
	MOVD const_seamMG0(R8), R9
	MOVD const_seamGSchedSP(R9), R4
	MOVD RSP, R5
	MOVD R5, const_seamGSchedSP(R10)
	MOVD seamLateCall_pc(R4), R5
	MOVD R5, const_seamGSchedPC(R10)
	MOVD seamLateCall_g0sp(R4), R5
	MOVD R5, const_seamGSchedSP(R9)
	MOVD R9, (R6)(R7)
	MOVD R29, R11                     // nobody needs it, but go vet wants it saved
	MOVD R4, RSP
	MOVD seamLateCall_paused(RSP), R0
	CBZ  R0, goes
	MOVD (R0), R4
	CALL (R4)                         // a function of C's

goes:
	LDP   80(RSP), (R19, R20)
	LDP   96(RSP), (R21, R22)
	LDP   112(RSP), (R23, R24)
	LDP   128(RSP), (R25, R26)
	LDP   144(RSP), (R27, g)
	LDP   160(RSP), (R29, R30)
	FLDPD 176(RSP), (F8, F9)
	FLDPD 192(RSP), (F10, F11)
	FLDPD 208(RSP), (F12, F13)
	FLDPD 224(RSP), (F14, F15)
	ADD   $256, RSP
	RET

// seamContinue is the C function that seamCallback calls with a seamLateCall: the old
// crosscall2, with the arguments of the new one.
TEXT ·seamContinue(SB), NOSPLIT|NOFRAME, $0
	MOVD.W R30, -16(RSP)
	MOVD   seamLateCall_a(R0), R1
	MOVD   seamLateCall_ctxt(R0), R3
	MOVD   seamLateCall_fn(R0), R0
	MOVD   $0, R2
	BL     seam_crosscall2(SB)
	MOVD.P 16(RSP), R30
	MOVD   $0, R0
	RET

// func seamLateFrame() *seamLateCall
TEXT ·seamLateFrame(SB), NOSPLIT, $0-8
	MOVD const_seamGM(g), R0
	MOVD const_seamMG0(R0), R0
	MOVD const_seamGSchedSP(R0), R0
	MOVD R0, ret+0(FP)
	RET

// func seamAbandon(sp uintptr)
TEXT ·seamAbandon(SB), NOSPLIT, $0-8
	MOVD const_seamGM(g), R0
	MOVD const_seamMG0(R0), R0
	MOVD sp+0(FP), R1
	MOVD R1, const_seamGSchedSP(R0)
	RET

// func seamThread() (m, locked uintptr)
TEXT ·seamThread(SB), NOSPLIT, $0-16
	MOVD const_seamGM(g), R0
	MOVD const_seamGLockedM(g), R1
	MOVD R0, m+0(FP)
	MOVD R1, locked+8(FP)
	RET

// func seamForC(into *[2]uintptr)
TEXT ·seamForC(SB), NOSPLIT|NOFRAME, $0-8
	MOVD into+0(FP), R1
	MOVD $·seamFromC(SB), R0
	MOVD R0, 0(R1)
	MOVD $·seamInCoro(SB), R0
	MOVD R0, 8(R1)
	RET

// func seamEntries(into *[5]uintptr)
TEXT ·seamEntries(SB), NOSPLIT|NOFRAME, $0-8
	MOVD into+0(FP), R1
	MOVD $·SeamCall(SB), R0
	MOVD R0, 0(R1)
	MOVD $·SeamCallOpen(SB), R0
	MOVD R0, 8(R1)
	MOVD $·SeamCallCoro(SB), R0
	MOVD R0, 16(R1)
	MOVD $·seamAnnounce(SB), R0
	MOVD R0, 24(R1)
	MOVD $·seamResume(SB), R0
	MOVD R0, 32(R1)
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
