//go:build linux && !android && gc && !asan && !msan && go1.25 && !go1.28

#include "textflag.h"
#include "go_asm.h"

// A trampoline puts its number into R12, which C lets it use, and goes to arrive.
#define T(i) MOVD $(i), R12; B arrive<>(SB)
#define T4(i) T(i); T(i+1); T(i+2); T(i+3)
#define T16(i) T4(i); T4(i+4); T4(i+8); T4(i+12)
#define T64(i) T16(i); T16(i+16); T16(i+32); T16(i+48)
#define T256(i) T64(i); T64(i+64); T64(i+128); T64(i+192)

TEXT trampolines<>(SB), NOSPLIT|NOFRAME, $0
	T256(0)
	T256(256)
	T256(512)
	T256(768)
	RET

DATA ·trampolineTable(SB)/8, $trampolines<>(SB)
GLOBL ·trampolineTable(SB), NOPTR, $8

// arrive is where C arrives, on its own stack. It stores the registers that carry arguments in
// an incoming and has runtime/cgo's crosscall2, which keeps the registers that are C's, run
// comeIn with it: what a callback that cgo has made does too. R27 is C's, and the assembler
// uses it to load a variable.
TEXT arrive<>(SB), NOSPLIT|NOFRAME|TOPFRAME, $0
	SUB   $(incoming__size+32), RSP
	STP   (R29, R30), (incoming__size+0)(RSP)
	MOVD  R27, (incoming__size+16)(RSP)
	ADD   $incoming__size, RSP, R29
	STP   (R0, R1), (incoming_image+image_ints+0)(RSP)
	STP   (R2, R3), (incoming_image+image_ints+16)(RSP)
	STP   (R4, R5), (incoming_image+image_ints+32)(RSP)
	STP   (R6, R7), (incoming_image+image_ints+48)(RSP)
	MOVD  R8, (incoming_image+image_ints+64)(RSP)
	FSTPD (F0, F1), (incoming_image+image_floats+0)(RSP)
	FSTPD (F2, F3), (incoming_image+image_floats+16)(RSP)
	FSTPD (F4, F5), (incoming_image+image_floats+32)(RSP)
	FSTPD (F6, F7), (incoming_image+image_floats+48)(RSP)
	ADD   $(incoming__size+32), RSP, R9
	MOVD  R9, incoming_stack(RSP)
	MOVD  R12, incoming_place(RSP)

	MOVD ·comeIn(SB), R0
	MOVD (R0), R0
	MOVD RSP, R1
	MOVD $0, R2
	MOVD $0, R3
	BL   crosscall2(SB)

	LDP   (incoming_image+image_ints+0)(RSP), (R0, R1)
	FLDPD (incoming_image+image_floats+0)(RSP), (F0, F1)
	FLDPD (incoming_image+image_floats+16)(RSP), (F2, F3)
	MOVD  (incoming__size+16)(RSP), R27
	LDP   (incoming__size+0)(RSP), (R29, R30)
	ADD   $(incoming__size+32), RSP
	RET
