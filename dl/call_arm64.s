//go:build linux && !android && gc && !asan && !msan && go1.25 && !go1.28

#include "textflag.h"
#include "go_asm.h"

// ENTER runs R9() on the system stack with the argument registers as they are. It is
// package leaf's (leaf/call_arm64.s has the argument why it is right). R19 to R28
// survive C.
#define ENTER \
	MOVD ·hot+hotState_gSlot(SB), R21 \
	MRS  TPIDR_EL0, R10               \
	ADD  R10, R21                     \
	MOVD ·hot+hotState_inC(SB), R10   \
	MOVD RSP, R19                     \
	MOVD g, R20                       \
	MOVD R19, const_gSchedSP(g)       \
	MOVD R10, const_gSchedPC(g)       \
	MOVD const_gM(g), R11             \
	MOVD const_mG0(R11), g            \
	MOVD g, (R21)                     \
	MOVD const_gSchedSP(g), R12       \
	AND  $~15, R12                    \
	MOVD R12, RSP                     \
	CALL (R9)                         \
	MOVD R20, g                       \
	MOVD R19, RSP                     \
	MOVD g, (R21)

// func call(f *function, args unsafe.Pointer)
//
// The function's entry is one of those below. This has no frame, so that it can pass its
// caller's arguments on by jumping.
TEXT ·call(SB), NOSPLIT|NOFRAME, $0-16
	MOVD f+0(FP), R9
	MOVD function_entry(R9), R10
	JMP  (R10)

// The entry of functions that are timed, announced or closed.
TEXT slow<>(SB), NOSPLIT|NOFRAME, $0-16
	B ·callSlow(SB)

#define ARGS MOVD args+8(FP), R13
#define FN MOVD f+0(FP), R9; MOVD function_fn(R9), R9

#define W0 FN
#define W1 FN; ARGS; MOVD 0(R13), R0
#define W2 W1; MOVD 8(R13), R1
#define W3 W2; MOVD 16(R13), R2
#define W4 W3; MOVD 24(R13), R3
#define W5 W4; MOVD 32(R13), R4
#define W6 W5; MOVD 40(R13), R5
#define W7 W6; MOVD 48(R13), R6
#define W8 W7; MOVD 56(R13), R7

#define D1 FN; ARGS; FMOVD 0(R13), F0
#define D2 D1; FMOVD 8(R13), F1
#define D3 D2; FMOVD 16(R13), F2
#define D4 D3; FMOVD 24(R13), F3

// ENTRY is the entry of functions whose arguments load loads. move brings the result, at
// off of the arguments. All have the frame of mustNotCallGo, in whose place tracebacks see it.
#define ENTRY(name, load, move, reg, off) \
TEXT name<>(SB), NOSPLIT, $8-16 \
	load               \
	ENTER              \
	ARGS               \
	move reg, off(R13) \
	RET

#define VOID(name, load) \
TEXT name<>(SB), NOSPLIT, $8-16 \
	load  \
	ENTER \
	RET

VOID(v0, W0)
VOID(v1, W1)
VOID(v2, W2)
VOID(v3, W3)
VOID(v4, W4)
VOID(v5, W5)
VOID(v6, W6)
VOID(v7, W7)
VOID(v8, W8)
ENTRY(q0, W0, MOVD, R0, 0)
ENTRY(q1, W1, MOVD, R0, 8)
ENTRY(q2, W2, MOVD, R0, 16)
ENTRY(q3, W3, MOVD, R0, 24)
ENTRY(q4, W4, MOVD, R0, 32)
ENTRY(q5, W5, MOVD, R0, 40)
ENTRY(q6, W6, MOVD, R0, 48)
ENTRY(q7, W7, MOVD, R0, 56)
ENTRY(q8, W8, MOVD, R0, 64)
ENTRY(l0, W0, MOVW, R0, 0)
ENTRY(l1, W1, MOVW, R0, 8)
ENTRY(l2, W2, MOVW, R0, 16)
ENTRY(l3, W3, MOVW, R0, 24)
ENTRY(l4, W4, MOVW, R0, 32)
ENTRY(l5, W5, MOVW, R0, 40)
ENTRY(l6, W6, MOVW, R0, 48)
ENTRY(l7, W7, MOVW, R0, 56)
ENTRY(l8, W8, MOVW, R0, 64)
ENTRY(d0, W0, FMOVD, F0, 0)
ENTRY(d1, W1, FMOVD, F0, 8)
ENTRY(d2, W2, FMOVD, F0, 16)
ENTRY(d3, W3, FMOVD, F0, 24)
ENTRY(d4, W4, FMOVD, F0, 32)
ENTRY(d5, W5, FMOVD, F0, 40)
ENTRY(d6, W6, FMOVD, F0, 48)
ENTRY(d7, W7, FMOVD, F0, 56)
ENTRY(d8, W8, FMOVD, F0, 64)
ENTRY(f1, D1, FMOVD, F0, 8)
ENTRY(f2, D2, FMOVD, F0, 16)
ENTRY(f3, D3, FMOVD, F0, 24)
ENTRY(f4, D4, FMOVD, F0, 32)

// The entry of all other functions: invoke moves the arguments.
TEXT planned<>(SB), NOSPLIT, $8-16
	MOVD f+0(FP), R0
	MOVD args+8(FP), R1
	MOVD $0, R2
	MOVD $invoke<>(SB), R9
	ENTER
	RET

// func direct(f *function, args unsafe.Pointer)
//
// It is a leaf call of any function, whatever its entry is now.
TEXT ·direct(SB), NOSPLIT|NOFRAME, $0-16
	MOVD f+0(FP), R9
	MOVD function_fast(R9), R10
	JMP  (R10)

// PROCESSOR adds the place of the goroutine's processor in a table of type processors to R9, or
// jumps to none if it has no place there.
#define PROCESSOR(none) \
	MOVD  const_gM(g), R10              \
	MOVD  const_mP(R10), R10            \
	MOVWU const_pID(R10), R10           \
	CMPW  $const_processorsN, R10       \
	BHS   none                          \
	ADD   R10<<const_processorShift, R9

// The entry of functions that are announced while their library is open. That it is open and that
// the call is counted is one step: a goroutine in assembly can't be stopped.
TEXT counted<>(SB), NOSPLIT|NOFRAME, $0-16
	MOVD  function_lib(R9), R9
	MOVWU Lib_closed(R9), R10
	CBNZ  R10, uncounted
	ADD   $Lib_running, R9
	PROCESSOR(uncounted)
	MOVD  (R9), R10
	ADD   $1, R10
	MOVD  R10, (R9)
	MOVD  f+0(FP), R0
	MOVD  args+8(FP), R1
	MOVD  ·counted(SB), R26
	MOVD  (R26), R10
	JMP   (R10)

uncounted:
	B ·callSlow(SB)

// func uncount(c *processors) (done bool)
TEXT ·uncount(SB), NOSPLIT|NOFRAME, $0-9
	MOVD c+0(FP), R9
	PROCESSOR(none)
	MOVD (R9), R10
	SUB  $1, R10
	MOVD R10, (R9)
	MOVD $1, R10
	MOVB R10, done+8(FP)
	RET

none:
	MOVB ZR, done+8(FP)
	RET

// func mustNotCallGo(f *function, args unsafe.Pointer) uintptr
//
// It returns an address inside itself, which stands for the C function in
// tracebacks.
TEXT ·mustNotCallGo(SB), NOSPLIT, $8-24
	ADR here, R0

here:
	MOVD R0, ret+16(FP)
	RET

// EXTEND loads a value with insn, which widens it as C wants it in a register.
#define EXTEND(kind, next, insn) \
	CMPW $kind, R12 \
	BNE  next       \
	insn (R11), R15 \
	MOVD R15, (R14) \
	B    move

// COPY copies R13 bytes from R11 to R14 and goes on at next.
#define COPY(words, tail, bytes, next) \
words:  \
	SUBS    $8, R13, R13 \
	BLT     tail         \
	MOVD.P  8(R11), R15  \
	MOVD.P  R15, 8(R14)  \
	B       words        \
	tail:                \
	ADDS    $8, R13, R13 \
	BEQ     next         \
	bytes:               \
	MOVBU.P 1(R11), R15  \
	MOVB.P  R15, 1(R14)  \
	SUBS    $1, R13, R13 \
	BNE     bytes        \
	B       next

// invoke is a C function, int invoke(function *R0, void *R1, uintptr R2), which returns 0. On C's stack it
// builds, from the bottom, the words that the call passes on the stack, an image of the
// argument registers, and room for what is passed or returned by address, as the function's
// plan says. It loads the registers, calls, stores the result registers into the image, and
// moves the result to the arguments.
//
// R2 is the end of the goroutine's stack if the arguments are there and C may call Go, else
// 0. Go may have moved the stack by the time C returns. Its contents keep their distance
// from its end.
//
// R19 is the function, R20 the arguments, R21 the end of the stack, R22 the image, R23 the
// bottom. g is g0, here and after C.
TEXT invoke<>(SB), NOSPLIT|NOFRAME|TOPFRAME, $0
	SUB  $64, RSP
	STP  (R29, R30), 0(RSP)
	STP  (R19, R20), 16(RSP)
	STP  (R21, R22), 32(RSP)
	MOVD R23, 48(RSP)
	MOVD RSP, R29
	MOVD R0, R19
	MOVD R1, R20
	MOVD R2, R21
	MOVD function_plan(R19), R8
	MOVD plan_frame(R8), R9
	SUB  R9, R29, R23
	MOVD R23, RSP
	MOVD plan_image(R8), R22
	ADD  R23, R22
	MOVD plan_args(R8), R9
	MOVD plan_nargs(R8), R10

move:
	SUBS  $1, R10, R10
	BLT   load
	MOVWU op_kind(R9), R12
	MOVWU op_n(R9), R13
	MOVWU op_src(R9), R11
	MOVWU op_dst(R9), R14
	ADD   $op__size, R9
	ADD   R23, R14
	CMPW  $const_opAddress, R12
	BNE   value
	ADD   R23, R11
	MOVD  R11, (R14)
	B     move

value:
	ADD R20, R11
	EXTEND(const_opWord, notWord, MOVD)

notWord:
	EXTEND(const_opInt32, notInt32, MOVW)

notInt32:
	EXTEND(const_opUint32, notUint32, MOVWU)

notUint32:
	EXTEND(const_opInt16, notInt16, MOVH)

notInt16:
	EXTEND(const_opUint16, notUint16, MOVHU)

notUint16:
	EXTEND(const_opInt8, notInt8, MOVB)

notInt8:
	EXTEND(const_opUint8, copy, MOVBU)

copy:
	COPY(copyWords, copyTail, copyBytes, move)

load:
	FMOVD image_floats+0(R22), F0
	FMOVD image_floats+8(R22), F1
	FMOVD image_floats+16(R22), F2
	FMOVD image_floats+24(R22), F3
	FMOVD image_floats+32(R22), F4
	FMOVD image_floats+40(R22), F5
	FMOVD image_floats+48(R22), F6
	FMOVD image_floats+56(R22), F7
	MOVD  image_ints+0(R22), R0
	MOVD  image_ints+8(R22), R1
	MOVD  image_ints+16(R22), R2
	MOVD  image_ints+24(R22), R3
	MOVD  image_ints+32(R22), R4
	MOVD  image_ints+40(R22), R5
	MOVD  image_ints+48(R22), R6
	MOVD  image_ints+56(R22), R7
	MOVD  image_ints+64(R22), R8
	MOVD  function_fn(R19), R9
	CALL  (R9)
	MOVD  R0, image_ints+0(R22)
	MOVD  R1, image_ints+8(R22)
	FMOVD F0, image_floats+0(R22)
	FMOVD F1, image_floats+8(R22)
	FMOVD F2, image_floats+16(R22)
	FMOVD F3, image_floats+24(R22)
	MOVD  function_plan(R19), R8
	MOVD  plan_errno(R8), R9
	CBZ   R9, moved
	CALL  (R9)
	MOVW  (R0), R0
	MOVW  R0, image_errno(R22)

moved:
	CBZ  R21, results
	MOVD const_gM(g), R9
	MOVD const_mCurg(R9), R9
	MOVD const_gStackHi(R9), R9
	SUB  R21, R20
	ADD  R9, R20

results:
	MOVD function_plan(R19), R8
	MOVD plan_results(R8), R9
	MOVD plan_nresults(R8), R10

result:
	SUBS  $1, R10, R10
	BLT   done
	MOVWU op_n(R9), R13
	MOVWU op_src(R9), R11
	MOVWU op_dst(R9), R14
	ADD   R23, R11
	ADD   R20, R14
	ADD   $op__size, R9
	COPY(resultWords, resultTail, resultBytes, result)

done:
	MOVD R29, RSP
	LDP  16(RSP), (R19, R20)
	LDP  32(RSP), (R21, R22)
	MOVD 48(RSP), R23
	LDP  0(RSP), (R29, R30)
	ADD  $64, RSP
	MOVD $0, R0
	RET

// WORD loads an argument at off into reg, unless all are loaded.
#define WORD(off, reg) \
	SUBS $1, R9, R9    \
	BLT  loaded        \
	MOVD off(R20), reg

// announced is a C function, int announced(record *R0), which runtime.cgocall calls. It returns 0 if it
// has called the function, and 1 if the record's address is stale.
TEXT announced<>(SB), NOSPLIT|NOFRAME|TOPFRAME, $0
	MOVD record_self(R0), R9
	CMP  R0, R9
	BNE  again
	MOVD record_args(R0), R1
	MOVD record_stays(R0), R10
	MOVD record_f(R0), R0
	MOVD $0, R2
	CBNZ R10, stays
	MOVD const_gM(g), R9
	MOVD const_mCurg(R9), R9
	MOVD const_gStackLo(R9), R10
	CMP  R10, R1
	BLO  stays
	MOVD const_gStackHi(R9), R10
	CMP  R10, R1
	BHS  stays
	MOVD R10, R2

stays:
	MOVD function_plan(R0), R8
	MOVD plan_words(R8), R9
	TBZ  $63, R9, words
	B    invoke<>(SB)

again:
	MOVD $1, R0
	RET

// Words need no plan. The registers are invoke's, but for R22, the plan.
words:
	SUB  $48, RSP
	STP  (R29, R30), 0(RSP)
	STP  (R19, R20), 16(RSP)
	STP  (R21, R22), 32(RSP)
	MOVD RSP, R29
	MOVD R0, R19
	MOVD R1, R20
	MOVD R2, R21
	MOVD R8, R22
	WORD(0, R0)
	WORD(8, R1)
	WORD(16, R2)
	WORD(24, R3)
	WORD(32, R4)
	WORD(40, R5)
	WORD(48, R6)
	WORD(56, R7)

loaded:
	MOVD function_fn(R19), R9
	CALL (R9)
	CBZ  R21, here
	MOVD const_gM(g), R9
	MOVD const_mCurg(R9), R9
	MOVD const_gStackHi(R9), R9
	SUB  R21, R20
	ADD  R9, R20

here:
	MOVD  plan_words(R22), R9
	ADD   R9<<3, R20
	MOVD  plan_result(R22), R9
	CMP   $const_wordResult, R9
	BLT   stored
	BEQ   word
	CMP   $const_int32Result, R9
	BEQ   int32
	FMOVD F0, (R20)
	B     stored

int32:
	MOVW R0, (R20)
	B    stored

word:
	MOVD R0, (R20)

stored:
	MOVD $0, R0
	LDP  32(RSP), (R21, R22)
	LDP  16(RSP), (R19, R20)
	LDP  0(RSP), (R29, R30)
	ADD  $48, RSP
	RET

// Their addresses, for Go.
DATA ·entryTable+0(SB)/8, $v0<>(SB)
DATA ·entryTable+8(SB)/8, $v1<>(SB)
DATA ·entryTable+16(SB)/8, $v2<>(SB)
DATA ·entryTable+24(SB)/8, $v3<>(SB)
DATA ·entryTable+32(SB)/8, $v4<>(SB)
DATA ·entryTable+40(SB)/8, $v5<>(SB)
DATA ·entryTable+48(SB)/8, $v6<>(SB)
DATA ·entryTable+56(SB)/8, $v7<>(SB)
DATA ·entryTable+64(SB)/8, $v8<>(SB)
DATA ·entryTable+72(SB)/8, $q0<>(SB)
DATA ·entryTable+80(SB)/8, $q1<>(SB)
DATA ·entryTable+88(SB)/8, $q2<>(SB)
DATA ·entryTable+96(SB)/8, $q3<>(SB)
DATA ·entryTable+104(SB)/8, $q4<>(SB)
DATA ·entryTable+112(SB)/8, $q5<>(SB)
DATA ·entryTable+120(SB)/8, $q6<>(SB)
DATA ·entryTable+128(SB)/8, $q7<>(SB)
DATA ·entryTable+136(SB)/8, $q8<>(SB)
DATA ·entryTable+144(SB)/8, $l0<>(SB)
DATA ·entryTable+152(SB)/8, $l1<>(SB)
DATA ·entryTable+160(SB)/8, $l2<>(SB)
DATA ·entryTable+168(SB)/8, $l3<>(SB)
DATA ·entryTable+176(SB)/8, $l4<>(SB)
DATA ·entryTable+184(SB)/8, $l5<>(SB)
DATA ·entryTable+192(SB)/8, $l6<>(SB)
DATA ·entryTable+200(SB)/8, $l7<>(SB)
DATA ·entryTable+208(SB)/8, $l8<>(SB)
DATA ·entryTable+216(SB)/8, $d0<>(SB)
DATA ·entryTable+224(SB)/8, $d1<>(SB)
DATA ·entryTable+232(SB)/8, $d2<>(SB)
DATA ·entryTable+240(SB)/8, $d3<>(SB)
DATA ·entryTable+248(SB)/8, $d4<>(SB)
DATA ·entryTable+256(SB)/8, $d5<>(SB)
DATA ·entryTable+264(SB)/8, $d6<>(SB)
DATA ·entryTable+272(SB)/8, $d7<>(SB)
DATA ·entryTable+280(SB)/8, $d8<>(SB)
DATA ·entryTable+288(SB)/8, $f1<>(SB)
DATA ·entryTable+296(SB)/8, $f2<>(SB)
DATA ·entryTable+304(SB)/8, $f3<>(SB)
DATA ·entryTable+312(SB)/8, $f4<>(SB)
GLOBL ·entryTable(SB), NOPTR, $320
DATA ·slowEntry(SB)/8, $slow<>(SB)
GLOBL ·slowEntry(SB), NOPTR, $8
DATA ·plannedEntry(SB)/8, $planned<>(SB)
GLOBL ·plannedEntry(SB), NOPTR, $8
DATA ·announcedEntry(SB)/8, $announced<>(SB)
GLOBL ·announcedEntry(SB), NOPTR, $8
DATA ·countedEntry(SB)/8, $counted<>(SB)
GLOBL ·countedEntry(SB), NOPTR, $8
