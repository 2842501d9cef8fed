//go:build linux && !android && gc && cgo && !asan && !msan && go1.25 && !go1.28

#include "textflag.h"
#include "go_asm.h"

// ENTER runs AX(DI) on the system stack. It is used only in functions without a
// frame that compiled Go code of this package calls, so R14 holds g, which saves
// a load from thread-local storage. BX, R12 and R13 survive C (System V ABI);
// Go's ABI0 lets us clobber everything. MOVQ TLS, R13 assembles to nothing in an
// executable at fixed addresses; in a position-independent one it loads the
// distance of g's slot.
//
// While C runs, the goroutine's saved context says "in mustNotCallGo, called by
// our caller, with the stack down to here". The traceback of a crash in C starts
// there. A callback from C continues on the goroutine's stack below it, so it
// overwrites nothing before the runtime finds that no system call was announced,
// and throws.
//
// The thread-local g is g0 meanwhile, so that the runtime reports a fault in C as
// such. With the user's g it would try to panic on C's stack. Afterwards the stack pointer
// is restored first: a profile's signal between the two finds g0, as before the call, and
// not a goroutine on a stack that isn't its own.
#define ENTER \
	LEAQ ·mustNotCallGo+1(SB), CX \
	MOVQ SP, const_gSchedSP(R14)  \
	MOVQ CX, const_gSchedPC(R14)  \
	MOVQ R14, R12                 \
	MOVQ SP, BX                   \
	MOVQ const_gM(R14), CX        \
	MOVQ const_mG0(CX), CX        \
	MOVQ TLS, R13                 \
	MOVQ CX, 0(R13)(TLS*1)        \
	MOVQ const_gSchedSP(CX), SP   \
	ANDQ $~15, SP                 \
	CALL AX                       \
	MOVQ BX, SP                   \
	MOVQ R12, 0(R13)(TLS*1)

// func call(fn, arg unsafe.Pointer) int32
TEXT ·call(SB), NOSPLIT|NOFRAME, $0-20
	CMPB ·hot+hotState_slow(SB), $0
	JNE  slow
	MOVQ fn+0(FP), AX
	MOVQ arg+8(FP), DI
	ENTER
	MOVL AX, ret+16(FP)
	RET

slow:
	JMP ·callSlow(SB)

// func direct(fn, arg unsafe.Pointer) int32
TEXT ·direct(SB), NOSPLIT|NOFRAME, $0-20
	MOVQ fn+0(FP), AX
	MOVQ arg+8(FP), DI
	ENTER
	MOVL AX, ret+16(FP)
	RET

// func mustNotCallGo(fn, arg unsafe.Pointer) uintptr
//
// Its address, one byte in, stands for the C function in tracebacks. Called, it returns
// that. Like call and direct it has no frame.
TEXT ·mustNotCallGo(SB), NOSPLIT|NOFRAME, $0-24
	BYTE $0x90
	LEAQ ·mustNotCallGo+1(SB), AX
	MOVQ AX, ret+16(FP)
	RET

// func entries() (call, direct uintptr)
TEXT ·entries(SB), NOSPLIT|NOFRAME, $0-16
	LEAQ ·call(SB), AX
	MOVQ AX, call+0(FP)
	LEAQ ·direct(SB), AX
	MOVQ AX, direct+8(FP)
	RET

// func argumentAt() uintptr
//
// The frame is that of call and direct.
TEXT ·argumentAt(SB), NOSPLIT|NOFRAME, $0-8
	LEAQ ret+0(FP), AX
	SUBQ SP, AX
	MOVQ AX, ret+0(FP)
	RET
