//go:build linux && !android && gc && !asan && !msan && go1.25 && !go1.28

#include "textflag.h"
#include "go_asm.h"

// A trampoline is a call of arrive, which finds its number by the return address.
#define T4 \
	CALL arrive<>(SB) \
	CALL arrive<>(SB) \
	CALL arrive<>(SB) \
	CALL arrive<>(SB)

#define T16 T4; T4; T4; T4
#define T64 T16; T16; T16; T16
#define T256 T64; T64; T64; T64

TEXT trampolines<>(SB), NOSPLIT|NOFRAME, $0
	T256
	T256
	T256
	T256
	RET

DATA ·trampolineTable(SB)/8, $trampolines<>(SB)
GLOBL ·trampolineTable(SB), NOPTR, $8

// arrive is where C arrives, on its own stack, with a return address in trampolines above that
// of C. It stores the registers that carry arguments in an incoming and has runtime/cgo's
// crosscall2, which keeps the registers that are C's, run comeIn with it: what a callback that cgo has made does too.
TEXT arrive<>(SB), NOSPLIT|NOFRAME|TOPFRAME, $0
	MOVQ  (SP), AX
	LEAQ  8(SP), SP
	PUSHQ BP
	MOVQ  SP, BP
	LEAQ  -incoming__size(SP), SP
	MOVQ  DI, incoming_image+image_ints+0(SP)
	MOVQ  SI, incoming_image+image_ints+8(SP)
	MOVQ  DX, incoming_image+image_ints+16(SP)
	MOVQ  CX, incoming_image+image_ints+24(SP)
	MOVQ  R8, incoming_image+image_ints+32(SP)
	MOVQ  R9, incoming_image+image_ints+40(SP)
	MOVSD X0, incoming_image+image_floats+0(SP)
	MOVSD X1, incoming_image+image_floats+8(SP)
	MOVSD X2, incoming_image+image_floats+16(SP)
	MOVSD X3, incoming_image+image_floats+24(SP)
	MOVSD X4, incoming_image+image_floats+32(SP)
	MOVSD X5, incoming_image+image_floats+40(SP)
	MOVSD X6, incoming_image+image_floats+48(SP)
	MOVSD X7, incoming_image+image_floats+56(SP)
	LEAQ  16(BP), R8
	MOVQ  R8, incoming_stack(SP)

	// The return address is at the end of the trampoline's five bytes.
	LEAQ trampolines<>(SB), CX
	SUBQ CX, AX
	XORL DX, DX
	MOVL $const_trampolineSize, CX
	DIVL CX
	SUBL $1, AX
	MOVQ AX, incoming_place(SP)

	MOVQ ·comeIn(SB), DI
	MOVQ (DI), DI
	MOVQ SP, SI
	XORL DX, DX
	XORL CX, CX
	CALL crosscall2(SB)

	MOVQ  incoming_image+image_ints+0(SP), AX
	MOVQ  incoming_image+image_ints+8(SP), DX
	MOVSD incoming_image+image_floats+0(SP), X0
	MOVSD incoming_image+image_floats+8(SP), X1
	MOVQ  BP, SP
	POPQ  BP
	RET
