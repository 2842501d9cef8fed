//go:build gc

#include "textflag.h"

#define REVERSE16(v) VREV16 v.B16, v.B16
#define REVERSE32(v) VREV32 v.B16, v.B16
#define REVERSE64(v) VREV64 v.B16, v.B16
#define TRUTH(v) VUMIN V31.B16, v.B16, v.B16

// EACH applies an operation to every 16 bytes of an area. The last 16 may
// overlap those before. They are loaded first and stored last, so that they are
// right also where dst is src. More than 16 bytes are left at "one".
#define EACH(op) \
	ADD    R2, R1, R3                               \
	SUB    $16, R3                                  \
	VLD1   (R3), [V4.B16]                           \
	op(V4)                                          \
	ADD    R2, R0, R3                               \
	SUB    $16, R3                                  \
	SUBS   $64, R2                                  \
	BLT    rest                                     \
	many:                                           \
	VLD1.P 64(R1), [V0.B16, V1.B16, V2.B16, V3.B16] \
	op(V0)                                          \
	op(V1)                                          \
	op(V2)                                          \
	op(V3)                                          \
	VST1.P [V0.B16, V1.B16, V2.B16, V3.B16], 64(R0) \
	SUBS   $64, R2                                  \
	BGE    many                                     \
	rest:                                           \
	ADDS   $48, R2                                  \
	BLE    end                                      \
	one:                                            \
	VLD1.P 16(R1), [V0.B16]                         \
	op(V0)                                          \
	VST1.P [V0.B16], 16(R0)                         \
	SUBS   $16, R2                                  \
	BGT    one                                      \
	end:                                            \
	VST1   [V4.B16], (R3)                           \
	RET

// func reverse16(dst, src *byte, n int)
TEXT ·reverse16(SB), NOSPLIT, $0-24
	MOVD dst+0(FP), R0
	MOVD src+8(FP), R1
	MOVD n+16(FP), R2
	EACH(REVERSE16)

// func reverse32(dst, src *byte, n int)
TEXT ·reverse32(SB), NOSPLIT, $0-24
	MOVD dst+0(FP), R0
	MOVD src+8(FP), R1
	MOVD n+16(FP), R2
	EACH(REVERSE32)

// func reverse64(dst, src *byte, n int)
TEXT ·reverse64(SB), NOSPLIT, $0-24
	MOVD dst+0(FP), R0
	MOVD src+8(FP), R1
	MOVD n+16(FP), R2
	EACH(REVERSE64)

// func truth(dst, src *byte, n int)
TEXT ·truth(SB), NOSPLIT, $0-24
	MOVD  dst+0(FP), R0
	MOVD  src+8(FP), R1
	MOVD  n+16(FP), R2
	VMOVI $1, V31.B16
	EACH(TRUTH)
