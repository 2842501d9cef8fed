/* seam/coro_switch.h: how a coroutine switches to Go. Only coro.h includes it.
 *
 * The switch is inline assembly that saves nothing itself. It tells the compiler that every
 * register changes, so the compiler saves what it still needs and no more. Which registers
 * there are depends on the target of the file: a function with a target attribute of its
 * own (target("avx512f")) must not switch out. The switch jumps to Go instead of calling or
 * returning, because a return that does not match a call costs 15 ns in the processor's
 * return predictor. Go comes back by a jump to the label after it.
 *
 * The switch also keeps the stack and frame pointers and the floating-point control word
 * (rounding, exceptions), of which Go has its own value.
 */
#ifndef SEAM_CORO_SWITCH_H
#define SEAM_CORO_SWITCH_H

#ifndef SEAM_CORO_H
#error "include seam/coro.h"
#endif

#if defined(__SANITIZE_ADDRESS__)
#define SEAM_ASAN_ 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SEAM_ASAN_ 1
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__linux__) && !defined(__ANDROID__) && (defined(__x86_64__) && defined(__LP64__) || defined(__aarch64__) && !defined(__AARCH64EB__))
#define SEAM_CORO_NATIVE_ 1
#endif

/* For symbols of the library, and for those that only some programs have. Where weak symbols
 * need a definition, the library must be linked. */
#ifdef __ELF__
#define SEAM_WEAK_ __attribute__((weak))
#else
#define SEAM_WEAK_
#endif

#if defined(SEAM_CORO_NATIVE_) && defined(__x86_64__)
#ifdef __AVX__
#define SEAM_VZEROUPPER_ "vzeroupper\n\t"
#else
#define SEAM_VZEROUPPER_ ""
#endif
#ifdef __AVX512F__
#define SEAM_AVX512_ , "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", \
	"xmm24", "xmm25", "xmm26", "xmm27", "xmm28", "xmm29", "xmm30", "xmm31", \
	"k0", "k1", "k2", "k3", "k4", "k5", "k6", "k7"
#else
#define SEAM_AVX512_
#endif
#ifdef __APX_F__
#define SEAM_APX_ , "r16", "r17", "r18", "r19", "r20", "r21", "r22", "r23", "r24", "r25", "r26", "r27", "r28", "r29", "r30", "r31"
#else
#define SEAM_APX_
#endif
static inline __attribute__((always_inline)) void seam_switch_native_(seam_coro *co) {
	__asm__ volatile(
		SEAM_VZEROUPPER_
		"leaq 1f(%%rip), %%rax\n\t"
		"movq %%rax, 0(%%rdi)\n\t"
		"movq %%rsp, 8(%%rdi)\n\t"
		"movq %%rbp, 16(%%rdi)\n\t"
		"stmxcsr %c[mxcsr](%%rdi)\n\t"
		"movq 24(%%rdi), %%rsp\n\t"
		"movq 40(%%rdi), %%rbp\n\t"
		"jmpq *32(%%rdi)\n"
		"1:\n\t"
		"endbr64\n\t"
		: "+D"(co)
		: [mxcsr] "i"(offsetof(seam_coro, fpcontrol))
		: "rax", "rbx", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "memory", "cc",
		  "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7",
		  "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15",
		  "st", "st(1)", "st(2)", "st(3)", "st(4)", "st(5)", "st(6)", "st(7)",
		  "mm0", "mm1", "mm2", "mm3", "mm4", "mm5", "mm6", "mm7" SEAM_AVX512_ SEAM_APX_);
}
#endif

#if defined(SEAM_CORO_NATIVE_) && defined(__aarch64__)
#ifdef __ARM_FEATURE_SVE
#define SEAM_SVE_ , "p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7", "p8", "p9", "p10", "p11", "p12", "p13", "p14", "p15", "ffr"
#else
#define SEAM_SVE_
#endif
static inline __attribute__((always_inline)) void seam_switch_native_(seam_coro *co) {
	register seam_coro *x0 __asm__("x0") = co;
	__asm__ volatile(
		"adr x1, 1f\n\t"
		"mov x2, sp\n\t"
		"stp x1, x2, [x0]\n\t"
		"mrs x3, fpcr\n\t"
		"str x29, [x0, #16]\n\t"
		"str w3, [x0, %[fpcr]]\n\t"
		"ldp x1, x2, [x0, #24]\n\t"
		"ldr x29, [x0, #40]\n\t"
		"mov sp, x1\n\t"
		"br x2\n"
		"1:\n\t"
		"hint #36\n\t" /* bti j */
		: "+r"(x0)
		: [fpcr] "i"(offsetof(seam_coro, fpcontrol))
		: "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16", "x17", "x18",
		  "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28", "x30", "memory", "cc",
		  "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15",
		  "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31" SEAM_SVE_);
}
#endif

/* Tells on which coroutine's stack we are, see seam_self. One byte for each 64 MB of the
 * address space: 0 if it has no coroutine stacks, else 1 + the logarithm to base 2 of the
 * size of their slots. */
#ifdef SEAM_CORO_NATIVE_
#define SEAM_CHUNK_BITS_ 26
#define SEAM_CHUNKS_ (1 << (48 - SEAM_CHUNK_BITS_))
extern unsigned char seam_coro_chunks[SEAM_CHUNKS_] SEAM_WEAK_;
#endif
/* The fallback: the coroutine that runs on this thread. */
extern seam_coro *seam_coro_fallback_self(void) SEAM_WEAK_;

/* seam_on_stack_ returns the coroutine whose stack we are on, or NULL. */
static inline seam_coro *seam_on_stack_(void) {
#ifdef SEAM_CORO_NATIVE_
	if (seam_coro_chunks) {
		uintptr_t sp = (uintptr_t)__builtin_frame_address(0);
		unsigned bits = 0;
		if (sp >> 48 == 0)
			bits = seam_coro_chunks[sp >> SEAM_CHUNK_BITS_];
		if (bits) {
			uintptr_t size = (uintptr_t)1 << (bits - 1);
			return (seam_coro *)((sp & ~(size - 1)) + size - SEAM_CORO_ROOM_);
		}
	}
#endif
	return NULL;
}

/* seam_self returns the coroutine that is running, or NULL outside of one. It uses the stack
 * pointer, so it is right on whatever thread the coroutine is resumed. */
static inline seam_coro *seam_self(void) {
	seam_coro *co = seam_on_stack_();
	if (co)
		return co;
#ifdef __ELF__
	if (!seam_coro_fallback_self)
		return NULL;
#endif
	return seam_coro_fallback_self();
}

/* seam_runs_ returns 1 if co is the coroutine that runs here, and no other's nor another
 * thread's. A control block is at the end of its stack, so two comparisons with the stack
 * pointer tell, and need no look at what may be NULL. In the fallback stack_low is beyond
 * every address. */
static inline int seam_runs_(const seam_coro *co) {
#ifdef SEAM_CORO_NATIVE_
	/* Not __builtin_frame_address, which would make callers keep a frame pointer; volatile, or
	 * they would keep the value across switches, in memory. */
	uintptr_t sp;
#ifdef __x86_64__
	__asm__ volatile("movq %%rsp, %0" : "=r"(sp));
#else
	__asm__ volatile("mov %0, sp" : "=r"(sp));
#endif
	if (__builtin_expect(sp < (uintptr_t)co && sp >= (uintptr_t)co->stack_low, 1))
		return 1;
#endif
#ifdef __ELF__
	if (!seam_coro_fallback_self) /* a library that is loaded without the program's symbols */
		return co && (co->flags & SEAM_CORO_FALLBACK);
#endif
	return co && seam_coro_fallback_self() == co;
}

/* AddressSanitizer must know which stack a thread is on. It expects a call before the switch
 * and one after it. The Go side can make neither, so this side makes both, around
 * instructions that AddressSanitizer does not watch. */
extern void seam_asan_start_(void **fake, const void *bottom, size_t size) __asm__("__sanitizer_start_switch_fiber") SEAM_WEAK_;
extern void seam_asan_finish_(void *fake, const void **bottom, size_t *size) __asm__("__sanitizer_finish_switch_fiber") SEAM_WEAK_;

/* The coroutine has just been entered or resumed: announce its stack. */
static inline void seam_asan_arrive_(seam_coro *co) {
	seam_asan_start_(&co->go_fake_stack, co->stack_low, (size_t)(co->stack_high - co->stack_low));
	seam_asan_finish_(co->fake_stack, (const void **)&co->go_stack_low, &co->go_stack_size);
}

/* It is about to switch to Go: announce the thread's stack. */
static inline void seam_asan_leave_(seam_coro *co) {
	seam_asan_start_(&co->fake_stack, co->go_stack_low, co->go_stack_size);
	seam_asan_finish_(co->go_fake_stack, NULL, NULL);
}

/* seam_switch_ passes the request in co to Go and returns when Go has served it. */
static inline __attribute__((always_inline)) void seam_switch_(seam_coro *co) {
#ifdef SEAM_CORO_NATIVE_
	if (__builtin_expect(!(co->flags & SEAM_CORO_FALLBACK), 1)) {
#ifdef SEAM_ASAN_
		seam_asan_leave_(co);
#endif
		seam_switch_native_(co);
#ifdef SEAM_ASAN_
		seam_asan_arrive_(co);
#endif
		return;
	}
#endif
	co->go_switch(co);
}

/* Where the C++ run-time keeps a thread's exceptions in flight. */
extern void **seam_cxa_globals_(void) __asm__("__cxa_get_globals") SEAM_WEAK_;

#ifdef SEAM_CORO_NATIVE_
/* seam_errno_ returns the address of this thread's errno, without a call. It has a fixed place
 * among the thread's variables, because libc is there before any thread starts. */
static inline int *seam_errno_(uint64_t error_at) {
	uintptr_t thread;
#ifdef __x86_64__
	__asm__ volatile("movq %%fs:0, %0" : "=r"(thread));
#else
	__asm__ volatile("mrs %0, tpidr_el0" : "=r"(thread));
#endif
	return (int *)(thread + (uintptr_t)error_at);
}
#endif

/* What C keeps for each thread and what must go with the coroutine if others may run on the
 * thread during the switch, or if the coroutine may change threads: errno, the exceptions in
 * flight and the settings of the x87 floating-point unit, which Go does not use. */
typedef struct {
	void *caught, *uncaught;
	int error;
	uint16_t x87;
} seam_kept_;

/* seam_keep_ saves what the thread has and clears it, so there is nothing to put back for a
 * coroutine that had none. It returns 0 if the header's version is not the library's. */
static __attribute__((noinline, unused)) int seam_keep_(seam_coro *co, seam_kept_ *kept) {
	kept->caught = kept->uncaught = NULL;
	kept->x87 = 0;
	if (co->abi != SEAM_CORO_ABI) {
		co->status = SEAM_EABI;
		return 0;
	}
	if (!(co->flags & SEAM_CORO_SHARES_THREAD))
		return 1;
#ifdef SEAM_CORO_NATIVE_
	kept->error = *seam_errno_(co->error_at);
	if (co->keep)
		((void (*)(seam_coro *, int))(uintptr_t)co->keep)(co, 0);
#endif
#ifdef __ELF__
	if (seam_cxa_globals_) {
		void **eh = seam_cxa_globals_();
		void *uncaught = (void *)(uintptr_t)(uint32_t)(uintptr_t)eh[1]; /* an int, then padding */
		if (eh[0] || uncaught) {
			kept->caught = eh[0];
			kept->uncaught = uncaught;
			eh[0] = NULL;
			eh[1] = NULL;
		}
	}
#endif
#if defined(SEAM_CORO_NATIVE_) && defined(__x86_64__)
	uint16_t mine, usual = 0x37f; /* with which the ABI starts a process */
	__asm__ volatile("fnstcw %0" : "=m"(mine));
	if (mine != usual) {
		kept->x87 = mine;
		__asm__ volatile("fldcw %0" : : "m"(usual));
	}
#endif
	return 1;
}

/* seam_put_back_ restores what was saved on the thread that the coroutine is on now. */
static __attribute__((noinline, unused)) void seam_put_back_(seam_coro *co, const seam_kept_ *kept) {
	if (!(co->flags & SEAM_CORO_SHARES_THREAD))
		return;
	(void)kept; /* elsewhere nothing is */
#ifdef __ELF__
	if (kept->caught || kept->uncaught) {
		void **eh = seam_cxa_globals_();
		eh[0] = kept->caught;
		eh[1] = kept->uncaught;
	}
#endif
#if defined(SEAM_CORO_NATIVE_) && defined(__x86_64__)
	/* Also the usual ones: this thread may have others from C that was there before, or from the
	 * thread that made it, if that was in a callback of such C. */
	uint16_t found, mine = kept->x87 ? kept->x87 : 0x37f;
	__asm__ volatile("fnstcw %0" : "=m"(found));
	if (found != mine)
		__asm__ volatile("fldcw %0" : : "m"(mine));
#endif
#ifdef SEAM_CORO_NATIVE_
	if (co->keep)
		((void (*)(seam_coro *, int))(uintptr_t)co->keep)(co, 1);
	*seam_errno_(co->error_at) = kept->error;
#endif
}

/* seam_switch_shared_ is seam_switch_ for every request: one comparison reports whether there is
 * anything to save. Like seam_switch_ it must be inlined: the processor would take Go's
 * return for that of a function called here. */
static inline __attribute__((always_inline)) void seam_switch_shared_(seam_coro *co) {
	seam_kept_ kept;
#if defined(SEAM_CORO_NATIVE_) && !defined(SEAM_ASAN_)
	uint32_t abi_and_flags;
	__builtin_memcpy(&abi_and_flags, &co->abi, sizeof abi_and_flags);
	if (__builtin_expect(abi_and_flags == SEAM_CORO_ABI, 1)) {
		seam_switch_native_(co);
		return;
	}
#endif
	if (seam_keep_(co, &kept)) {
		seam_switch_(co);
		seam_put_back_(co, &kept);
	}
}

#ifdef __cplusplus
}
#endif
#endif
