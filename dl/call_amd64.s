//go:build linux && !android && gc && !asan && !msan && go1.25 && !go1.28

#include "textflag.h"
#include "go_asm.h"

// ENTER runs R11() on the system stack with the argument registers as they are. It is
// package leaf's (leaf/call_amd64.s has the argument why it is right), with R10 in place of
// CX, which holds an argument here, and AL 0: a variadic function gets no floats this way.
#define ENTER \
	LEAQ ·mustNotCallGo+1(SB), R10 \
	MOVQ SP, const_gSchedSP(R14)   \
	MOVQ R10, const_gSchedPC(R14)  \
	MOVQ R14, R12                  \
	MOVQ SP, BX                    \
	MOVQ const_gM(R14), R10        \
	MOVQ const_mG0(R10), R10       \
	MOVQ TLS, R13                  \
	MOVQ R10, 0(R13)(TLS*1)        \
	MOVQ const_gSchedSP(R10), SP   \
	ANDQ $~15, SP                  \
	XORL AX, AX                    \
	CALL R11                       \
	MOVQ BX, SP                    \
	MOVQ R12, 0(R13)(TLS*1)

// func call(f *function, args unsafe.Pointer)
//
// The function's entry is one of those below. The jump leaves the arguments where they are.
TEXT ·call(SB), NOSPLIT|NOFRAME, $0-16
	MOVQ f+0(FP), AX
	MOVQ function_entry(AX), CX
	JMP  CX

// The entry of functions that are timed, announced or closed.
TEXT slow<>(SB), NOSPLIT|NOFRAME, $0-16
	JMP ·callSlow(SB)

#define ARGS MOVQ args+8(FP), R10
#define FN MOVQ function_fn(AX), R11

#define W0 FN
#define W1 FN; ARGS; MOVQ 0(R10), DI
#define W2 W1; MOVQ 8(R10), SI
#define W3 W2; MOVQ 16(R10), DX
#define W4 W3; MOVQ 24(R10), CX
#define W5 W4; MOVQ 32(R10), R8
#define W6 W5; MOVQ 40(R10), R9

#define D1 FN; ARGS; MOVSD 0(R10), X0
#define D2 D1; MOVSD 8(R10), X1
#define D3 D2; MOVSD 16(R10), X2
#define D4 D3; MOVSD 24(R10), X3

// ENTRY is the entry of functions whose arguments load loads. move brings the result, at
// off of the arguments.
#define ENTRY(name, load, move, reg, off) \
TEXT name<>(SB), NOSPLIT|NOFRAME, $0-16 \
	load               \
	ENTER              \
	ARGS               \
	move reg, off(R10) \
	RET

#define VOID(name, load) \
TEXT name<>(SB), NOSPLIT|NOFRAME, $0-16 \
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
ENTRY(q0, W0, MOVQ, AX, 0)
ENTRY(q1, W1, MOVQ, AX, 8)
ENTRY(q2, W2, MOVQ, AX, 16)
ENTRY(q3, W3, MOVQ, AX, 24)
ENTRY(q4, W4, MOVQ, AX, 32)
ENTRY(q5, W5, MOVQ, AX, 40)
ENTRY(q6, W6, MOVQ, AX, 48)
ENTRY(l0, W0, MOVL, AX, 0)
ENTRY(l1, W1, MOVL, AX, 8)
ENTRY(l2, W2, MOVL, AX, 16)
ENTRY(l3, W3, MOVL, AX, 24)
ENTRY(l4, W4, MOVL, AX, 32)
ENTRY(l5, W5, MOVL, AX, 40)
ENTRY(l6, W6, MOVL, AX, 48)
ENTRY(d0, W0, MOVSD, X0, 0)
ENTRY(d1, W1, MOVSD, X0, 8)
ENTRY(d2, W2, MOVSD, X0, 16)
ENTRY(d3, W3, MOVSD, X0, 24)
ENTRY(d4, W4, MOVSD, X0, 32)
ENTRY(d5, W5, MOVSD, X0, 40)
ENTRY(d6, W6, MOVSD, X0, 48)
ENTRY(f1, D1, MOVSD, X0, 8)
ENTRY(f2, D2, MOVSD, X0, 16)
ENTRY(f3, D3, MOVSD, X0, 24)
ENTRY(f4, D4, MOVSD, X0, 32)

// The entry of all other functions: invoke moves the arguments.
TEXT planned<>(SB), NOSPLIT|NOFRAME, $0-16
	MOVQ AX, DI
	MOVQ args+8(FP), SI
	XORL DX, DX
	LEAQ invoke<>(SB), R11
	ENTER
	RET

// func direct(f *function, args unsafe.Pointer)
//
// It is a leaf call of any function, whatever its entry is now.
TEXT ·direct(SB), NOSPLIT|NOFRAME, $0-16
	MOVQ f+0(FP), AX
	MOVQ function_fast(AX), CX
	JMP  CX

// PROCESSOR loads the place of the goroutine's processor in a table of type processors, or jumps
// to none if it has no place there.
#define PROCESSOR(to, none) \
	MOVQ const_gM(R14), to         \
	MOVQ const_mP(to), to          \
	MOVL const_pID(to), to         \
	CMPL to, $const_processorsN    \
	JCC  none                      \
	SHLQ $const_processorShift, to

// The entry of functions that are announced while their library is open. That it is open and that
// the call is counted is one step: a goroutine in assembly can't be stopped.
TEXT counted<>(SB), NOSPLIT|NOFRAME, $0-16
	MOVQ function_lib(AX), DX
	CMPL Lib_closed(DX), $0
	JNE  uncounted
	PROCESSOR(CX, uncounted)
	INCQ Lib_running(DX)(CX*1)
	MOVQ args+8(FP), BX
	MOVQ ·counted(SB), DX
	MOVQ (DX), CX
	JMP  CX

uncounted:
	JMP ·callSlow(SB)

// func uncount(c *processors) (done bool)
TEXT ·uncount(SB), NOSPLIT|NOFRAME, $0-9
	MOVQ c+0(FP), DX
	PROCESSOR(CX, none)
	DECQ (DX)(CX*1)
	MOVB $1, done+8(FP)
	RET

none:
	MOVB $0, done+8(FP)
	RET

// func mustNotCallGo(f *function, args unsafe.Pointer) uintptr
//
// Its address, one byte in, stands for the C function in tracebacks. Called, it returns
// that. Like the entries it has no frame.
TEXT ·mustNotCallGo(SB), NOSPLIT|NOFRAME, $0-24
	BYTE $0x90
	LEAQ ·mustNotCallGo+1(SB), AX
	MOVQ AX, ret+16(FP)
	RET

// EXTEND loads a value with insn, which widens it as C wants it in a register.
#define EXTEND(kind, next, insn) \
	CMPL AX, $kind        \
	JNE  next             \
	insn (R12)(R13*1), CX \
	MOVQ CX, (SP)(R11*1)  \
	JMP  move

// COPY copies DX bytes from SI to DI and goes on at next.
#define COPY(words, bytes, next) \
words:  \
	SUBQ $8, DX   \
	JLT  bytes    \
	MOVQ (SI), CX \
	MOVQ CX, (DI) \
	ADDQ $8, SI   \
	ADDQ $8, DI   \
	JMP  words    \
	bytes:          \
	ADDQ   $8, DX   \
	JEQ    next     \
	MOVB   (SI), CX \
	MOVB   CX, (DI) \
	INCQ   SI       \
	INCQ   DI       \
	SUBQ   $9, DX   \
	JMP    bytes

// invoke is a C function, int invoke(function *DI, void *SI, uintptr DX), which returns 0. On C's stack it
// builds, from the bottom, the words that the call passes on the stack, an image of the
// argument registers, and room for what is passed or returned by address, as the function's
// plan says. It loads the registers, calls, stores the result registers into the image, and moves the
// result to the arguments.
//
// DX is the end of the goroutine's stack if the arguments are there and C may call Go, else
// 0. Go may have moved the stack by the time C returns. Its contents keep their distance from its
// end.
//
// BX is the function, R12 the arguments, R14 the end of the stack, BP our frame.
TEXT invoke<>(SB), NOSPLIT|NOFRAME|TOPFRAME, $0
	PUSHQ BP
	MOVQ  SP, BP
	PUSHQ BX
	PUSHQ R12
	PUSHQ R13
	PUSHQ R14
	PUSHQ R15
	MOVQ  DI, BX
	MOVQ  SI, R12
	MOVQ  DX, R14
	MOVQ  function_plan(BX), R8
	LEAQ  -8(SP), R9
	SUBQ  plan_frame(R8), R9
	MOVQ  R9, SP
	MOVQ  plan_args(R8), R9
	MOVQ  plan_nargs(R8), R10

move:
	SUBQ $1, R10
	JLT  load
	MOVL op_src(R9), R13
	MOVL op_dst(R9), R11
	MOVL op_kind(R9), AX
	MOVL op_n(R9), DX
	ADDQ $op__size, R9
	CMPL AX, $const_opWord
	JNE  notWord
	MOVQ (R12)(R13*1), CX
	MOVQ CX, (SP)(R11*1)
	JMP  move

notWord:
	EXTEND(const_opInt32, notInt32, MOVLQSX)

notInt32:
	EXTEND(const_opUint32, notUint32, MOVL)

notUint32:
	EXTEND(const_opInt16, notInt16, MOVWQSX)

notInt16:
	EXTEND(const_opUint16, notUint16, MOVWQZX)

notUint16:
	EXTEND(const_opInt8, notInt8, MOVBQSX)

notInt8:
	EXTEND(const_opUint8, notUint8, MOVBQZX)

notUint8:
	CMPL AX, $const_opAddress
	JNE  copy
	LEAQ (SP)(R13*1), CX
	MOVQ CX, (SP)(R11*1)
	JMP  move

copy:
	LEAQ (R12)(R13*1), SI
	LEAQ (SP)(R11*1), DI
	COPY(copyWords, copyBytes, move)

load:
	MOVQ  plan_image(R8), R13
	ADDQ  SP, R13
	MOVQ  plan_floats(R8), AX
	TESTL AX, AX
	JEQ   ints
	MOVSD image_floats+0(R13), X0
	MOVSD image_floats+8(R13), X1
	MOVSD image_floats+16(R13), X2
	MOVSD image_floats+24(R13), X3
	MOVSD image_floats+32(R13), X4
	MOVSD image_floats+40(R13), X5
	MOVSD image_floats+48(R13), X6
	MOVSD image_floats+56(R13), X7

ints:
	MOVQ  image_ints+0(R13), DI
	MOVQ  image_ints+8(R13), SI
	MOVQ  image_ints+16(R13), DX
	MOVQ  image_ints+24(R13), CX
	MOVQ  image_ints+32(R13), R8
	MOVQ  image_ints+40(R13), R9
	MOVQ  function_fn(BX), R10
	CALL  R10
	MOVQ  AX, image_ints+0(R13)
	MOVQ  DX, image_ints+8(R13)
	MOVSD X0, image_floats+0(R13)
	MOVSD X1, image_floats+8(R13)
	MOVQ  function_plan(BX), R8
	MOVQ  plan_errno(R8), AX
	TESTQ AX, AX
	JEQ   moved
	CALL  AX
	MOVL  (AX), AX
	MOVL  AX, image_errno(R13)
	MOVQ  function_plan(BX), R8

moved:
	TESTQ R14, R14
	JEQ   results
	MOVQ  TLS, CX
	MOVQ  0(CX)(TLS*1), CX
	MOVQ  const_gM(CX), CX
	MOVQ  const_mCurg(CX), CX
	SUBQ  R14, R12
	ADDQ  const_gStackHi(CX), R12

results:
	MOVQ plan_results(R8), R9
	MOVQ plan_nresults(R8), R10

result:
	SUBQ $1, R10
	JLT  done
	MOVL op_src(R9), SI
	MOVL op_dst(R9), DI
	MOVL op_n(R9), DX
	ADDQ SP, SI
	ADDQ R12, DI
	ADDQ $op__size, R9
	COPY(resultWords, resultBytes, result)

done:
	XORL AX, AX
	LEAQ -40(BP), SP
	POPQ R15
	POPQ R14
	POPQ R13
	POPQ R12
	POPQ BX
	POPQ BP
	RET

// WORD loads an argument at off into reg, unless all are loaded.
#define WORD(off, reg) \
	SUBQ $1, AX        \
	JLT  loaded        \
	MOVQ off(R12), reg

// announced is a C function, int announced(record *DI), which runtime.cgocall calls. It returns 0 if it
// has called the function, and 1 if the record's address is stale.
TEXT announced<>(SB), NOSPLIT|NOFRAME|TOPFRAME, $0
	CMPQ  record_self(DI), DI
	JNE   again
	MOVQ  record_args(DI), SI
	MOVQ  record_stays(DI), AX
	MOVQ  record_f(DI), DI
	XORL  DX, DX
	TESTQ AX, AX
	JNE   stays
	MOVQ  TLS, CX
	MOVQ  0(CX)(TLS*1), CX
	MOVQ  const_gM(CX), CX
	MOVQ  const_mCurg(CX), CX
	CMPQ  SI, const_gStackLo(CX)
	JCS   stays
	CMPQ  SI, const_gStackHi(CX)
	JCC   stays
	MOVQ  const_gStackHi(CX), DX

stays:
	MOVQ  function_plan(DI), R8
	MOVQ  plan_words(R8), AX
	TESTQ AX, AX
	JGE   words
	JMP   invoke<>(SB)

again:
	MOVL $1, AX
	RET

// Words need no plan. The registers are invoke's.
words:
	PUSHQ BP
	MOVQ  SP, BP
	PUSHQ BX
	PUSHQ R12
	PUSHQ R14
	PUSHQ R8
	MOVQ  DI, BX
	MOVQ  SI, R12
	MOVQ  DX, R14
	WORD(0, DI)
	WORD(8, SI)
	WORD(16, DX)
	WORD(24, CX)
	WORD(32, R8)
	WORD(40, R9)

loaded:
	XORL  AX, AX
	CALL  function_fn(BX)
	TESTQ R14, R14
	JEQ   here
	MOVQ  TLS, CX
	MOVQ  0(CX)(TLS*1), CX
	MOVQ  const_gM(CX), CX
	MOVQ  const_mCurg(CX), CX
	SUBQ  R14, R12
	ADDQ  const_gStackHi(CX), R12

here:
	POPQ  R8
	MOVQ  plan_words(R8), CX
	LEAQ  (R12)(CX*8), DI
	MOVQ  plan_result(R8), DX
	CMPQ  DX, $const_wordResult
	JLT   stored
	JEQ   word
	CMPQ  DX, $const_int32Result
	JEQ   int32
	MOVSD X0, (DI)
	JMP   stored

int32:
	MOVL AX, (DI)
	JMP  stored

word:
	MOVQ AX, (DI)

stored:
	XORL AX, AX
	POPQ R14
	POPQ R12
	POPQ BX
	POPQ BP
	RET

// Their addresses, for Go.
DATA ·entryTable+0(SB)/8, $v0<>(SB)
DATA ·entryTable+8(SB)/8, $v1<>(SB)
DATA ·entryTable+16(SB)/8, $v2<>(SB)
DATA ·entryTable+24(SB)/8, $v3<>(SB)
DATA ·entryTable+32(SB)/8, $v4<>(SB)
DATA ·entryTable+40(SB)/8, $v5<>(SB)
DATA ·entryTable+48(SB)/8, $v6<>(SB)
DATA ·entryTable+56(SB)/8, $q0<>(SB)
DATA ·entryTable+64(SB)/8, $q1<>(SB)
DATA ·entryTable+72(SB)/8, $q2<>(SB)
DATA ·entryTable+80(SB)/8, $q3<>(SB)
DATA ·entryTable+88(SB)/8, $q4<>(SB)
DATA ·entryTable+96(SB)/8, $q5<>(SB)
DATA ·entryTable+104(SB)/8, $q6<>(SB)
DATA ·entryTable+112(SB)/8, $l0<>(SB)
DATA ·entryTable+120(SB)/8, $l1<>(SB)
DATA ·entryTable+128(SB)/8, $l2<>(SB)
DATA ·entryTable+136(SB)/8, $l3<>(SB)
DATA ·entryTable+144(SB)/8, $l4<>(SB)
DATA ·entryTable+152(SB)/8, $l5<>(SB)
DATA ·entryTable+160(SB)/8, $l6<>(SB)
DATA ·entryTable+168(SB)/8, $d0<>(SB)
DATA ·entryTable+176(SB)/8, $d1<>(SB)
DATA ·entryTable+184(SB)/8, $d2<>(SB)
DATA ·entryTable+192(SB)/8, $d3<>(SB)
DATA ·entryTable+200(SB)/8, $d4<>(SB)
DATA ·entryTable+208(SB)/8, $d5<>(SB)
DATA ·entryTable+216(SB)/8, $d6<>(SB)
DATA ·entryTable+224(SB)/8, $f1<>(SB)
DATA ·entryTable+232(SB)/8, $f2<>(SB)
DATA ·entryTable+240(SB)/8, $f3<>(SB)
DATA ·entryTable+248(SB)/8, $f4<>(SB)
GLOBL ·entryTable(SB), NOPTR, $256
DATA ·slowEntry(SB)/8, $slow<>(SB)
GLOBL ·slowEntry(SB), NOPTR, $8
DATA ·plannedEntry(SB)/8, $planned<>(SB)
GLOBL ·plannedEntry(SB), NOPTR, $8
DATA ·announcedEntry(SB)/8, $announced<>(SB)
GLOBL ·announcedEntry(SB), NOPTR, $8
DATA ·countedEntry(SB)/8, $counted<>(SB)
GLOBL ·countedEntry(SB), NOPTR, $8
