//go:build cgo && unix

/* The floor under an upcall: C on one stack asks C on another, by a switch that keeps
 * what a compiler can't be told of (stack pointer, frame pointer, where to go on) and
 * nothing else. */
#include "callback.h"

#include <errno.h>
#include <stdlib.h>

struct place {
	void *pc, *sp, *fp;
};

struct answerer {
	struct place asker, self;
	struct seam_callback_item *item;
};

enum { STACK = 64 << 10 };

#if defined(__x86_64__) && defined(__LP64__)
#define CAN_SWITCH 1
#ifdef __AVX512F__
#define WIDE , "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24", "xmm25", "xmm26", "xmm27", \
	"xmm28", "xmm29", "xmm30", "xmm31", "k0", "k1", "k2", "k3", "k4", "k5", "k6", "k7"
#else
#define WIDE
#endif
static inline __attribute__((always_inline)) void go_on(struct place *from, struct place *to)
{
	__asm__ volatile(
		"leaq 1f(%%rip), %%rax\n\t"
		"movq %%rax, 0(%%rdi)\n\t"
		"movq %%rsp, 8(%%rdi)\n\t"
		"movq %%rbp, 16(%%rdi)\n\t"
		"movq 8(%%rsi), %%rsp\n\t"
		"movq 16(%%rsi), %%rbp\n\t"
		"jmpq *0(%%rsi)\n"
		"1:\n\t"
		"endbr64\n\t"
		: "+D"(from), "+S"(to)
		:
		: "rax", "rbx", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "memory", "cc",
		  "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7",
		  "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15",
		  "st", "st(1)", "st(2)", "st(3)", "st(4)", "st(5)", "st(6)", "st(7)",
		  "mm0", "mm1", "mm2", "mm3", "mm4", "mm5", "mm6", "mm7" WIDE);
}
#elif defined(__aarch64__)
#define CAN_SWITCH 1
static inline __attribute__((always_inline)) void go_on(struct place *from, struct place *to)
{
	register struct place *x0 __asm__("x0") = from;
	register struct place *x1 __asm__("x1") = to;
	__asm__ volatile(
		"adr x2, 1f\n\t"
		"mov x3, sp\n\t"
		"stp x2, x3, [x0]\n\t"
		"str x29, [x0, #16]\n\t"
		"ldp x2, x3, [x1]\n\t"
		"ldr x29, [x1, #16]\n\t"
		"mov sp, x3\n\t"
		"br x2\n"
		"1:\n\t"
		"hint #36\n\t" /* bti j */
		: "+r"(x0), "+r"(x1)
		:
		: "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16", "x17", "x18",
		  "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28", "x30", "memory", "cc",
		  "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15",
		  "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31");
}
#endif

#ifdef CAN_SWITCH
/* The answerer's stack holds nothing else: it is put there by the first switch. */
static __attribute__((noinline, used)) void answers(struct answerer *a)
{
	for (;;) {
		a->item->result = a->item->value + 1;
		go_on(&a->self, &a->asker);
	}
}

/* Where the other stack begins: its first word is the answerer. */
void seam_callback_bare_begin(void);
#if defined(__x86_64__)
__asm__(".text\n.globl seam_callback_bare_begin\n.hidden seam_callback_bare_begin\n"
	"seam_callback_bare_begin:\n\tendbr64\n\tmovq 0(%rsp), %rdi\n\tcall answers\n\tud2\n");
#else
__asm__(".text\n.globl seam_callback_bare_begin\n.hidden seam_callback_bare_begin\n"
	"seam_callback_bare_begin:\n\thint #36\n\tldr x0, [sp]\n\tbl answers\n\tudf #0\n");
#endif

int seam_callback_bare(struct seam_callback_loop *l)
{
	char *stack = aligned_alloc(64, STACK);
	if (!stack)
		return ENOMEM;
	struct answerer a = {.self.pc = (void *)seam_callback_bare_begin, .self.sp = stack + STACK - 64};
	*(struct answerer **)a.self.sp = &a;
	int64_t sum = 0;
	for (int64_t i = 0; i < l->n; i++) {
		struct seam_callback_item item = {i, 0};
		a.item = &item;
		go_on(&a.asker, &a.self);
		sum += item.result;
	}
	l->sum = sum;
	free(stack);
	return 0;
}
#else
int seam_callback_bare(struct seam_callback_loop *l)
{
	(void)l;
	return ENOTSUP;
}
#endif
