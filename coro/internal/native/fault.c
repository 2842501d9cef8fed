//go:build cgo

// What the program says when a signal ends it while C runs on a coroutine's stack.
//
// Go's handler takes such a signal for one on the thread's system stack. From 1.26 on it fails
// itself when it dumps that stack from a stack pointer outside of it, and prints "panic
// during panic" and a second report. So a handler in front of it says where C was, and shows
// Go a stack pointer just above the system stack, from where there is nothing to dump. Go
// passes no signal on that it finds in a coroutine (it knows of no C there), so nobody else
// sees that value; should Go's handler return, it is put back.
#define _GNU_SOURCE
#include "native.h"

#ifdef SEAM_CORO_NATIVE_
#include "dump.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

static seam_runtime rt;
static struct sigaction before[65];

// Those with which C, or who sends them, ends a program.
static const int watched[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGQUIT, SIGSYS};

#ifdef __x86_64__
#define CONTEXT_PC(uc) ((uc)->uc_mcontext.gregs[REG_RIP])
#define CONTEXT_SP(uc) ((uc)->uc_mcontext.gregs[REG_RSP])
#else
#define CONTEXT_PC(uc) ((uc)->uc_mcontext.pc)
#define CONTEXT_SP(uc) ((uc)->uc_mcontext.sp)
#endif

// Whether co is what runs on the thread that has this g0. The g of a coroutine's last
// goroutine may have ended, but the memory of a g is never given back. If that g is on this
// thread, and stopped in coro.resume with co as the argument, then co runs: before any other
// code can run on g0 for a goroutine, Go saves another program counter in its g.
static int runs(const seam_coro *co, uintptr_t g0) {
	if (!co || !seam_is_whole(co) || !co->go_g)
		return 0;
	uintptr_t g = (uintptr_t)co->go_g;
	return seam_word(g + rt.g_m) == seam_word(g0 + rt.g_m) && seam_word(g + rt.g_sched_pc) == rt.in_c &&
	       seam_word(seam_word(g + rt.g_sched_sp) + rt.resume_arg) == (uintptr_t)co;
}

static int is_g0(uintptr_t g) { return g != 0 && g == seam_word(seam_word(g + rt.g_m) + rt.m_g0); }

// The coroutine that runs on the thread, or NULL. It is that on whose stack we are, unless
// a large frame has led from its stack into another or out of all of them. broken says that
// some control block has been overwritten.
static seam_coro *running(uintptr_t g0, uintptr_t sp, int *broken) {
	seam_coro *co = seam_block_at(sp);
	seam_blocks all = {0, 0};
	while (!runs(co, g0)) {
		*broken |= co && !seam_is_whole(co);
		if (!(co = seam_next_block(&all)))
			break;
	}
	return co;
}

static void report(const seam_coro *co, int sig, uintptr_t addr, uintptr_t pc, uintptr_t sp) {
	uintptr_t low = (uintptr_t)co->stack_low, high = (uintptr_t)co->stack_high;
	uintptr_t slot = low & ~(((uintptr_t)1 << seam_slot_bits(low)) - 1);
	int memory = sig == SIGSEGV || sig == SIGBUS, outside = sp < low || sp > high;
	// Outside of all stacks and of the gaps below them C may have switched stacks itself.
	int stray = outside && (seam_slot_bits(sp) >= 0 || seam_slot_bits(sp + ((uintptr_t)1 << SEAM_CHUNK_BITS_)) >= 0);
	int overflow = stray || (memory && addr >= slot && addr < low);
	int neighbour = memory && !overflow && seam_slot_bits(addr) >= 0 && (addr < slot || addr > high + SEAM_CORO_ROOM_);
	char name[128];
	size_t named = pc ? seam_function_name(pc, name, sizeof name) : 0;
	if (overflow)
		csys_say("seam: coro: C function ", seam_name_of(co), " needs more than the ", csys_decimal((high + SEAM_CORO_ROOM_ - low) >> 10),
			" KB of its coroutine's stack: give it more by Options.StackSize, or look for recursion without an end\n");
	csys_say("seam: coro: ", csys_signal_name(sig), " in C", pc == 0 ? ", which has called NULL" : named ? " at " : "", named ? name : "",
		", called as ", seam_name_of(co), ": pc 0x", csys_hexadecimal(pc), ", stack pointer 0x", csys_hexadecimal(sp), outside ? " (outside of its stack)" : "",
		", stack 0x", csys_hexadecimal(low), " to 0x", csys_hexadecimal(high), memory ? ", address 0x" : "", memory ? csys_hexadecimal(addr) : "",
		neighbour ? ", in or below the stack of another coroutine\n" : "\n");
}

static void strayed(const seam_coro *co) {
	csys_say("seam: coro: C function ", seam_name_of(co), " has left the ", csys_decimal((uintptr_t)(co->stack_high + SEAM_CORO_ROOM_ - co->stack_low) >> 10),
		" KB of its coroutine's stack by a frame larger than what is kept free below it, and may have changed other memory: "
		"compile it with -fstack-clash-protection, and give it more by Options.StackSize\n");
	abort();
}

void seam_find_stray(void) {
	uintptr_t sp = (uintptr_t)__builtin_frame_address(0), g = rt.this_g ? rt.this_g() : 0;
	int broken = 0;
	if (seam_slot_bits(sp) < 0 || !is_g0(g))
		return;
	seam_coro *co = running(g, sp, &broken);
	if (co && (sp < (uintptr_t)co->stack_low || sp > (uintptr_t)co->stack_high))
		strayed(co);
}

// What a coroutine does; 0 if it isn't in C.
static int in_c(const void *who, const csys_sight *here, csys_in_c *c) {
	const seam_coro *co = who;
	uintptr_t g = (uintptr_t)co->go_g, owner = (uintptr_t)seam_below_of(co)->owner;
	if (!seam_is_whole(co) || !g || !co->fn)
		return 0;
	*c = (csys_in_c){.goroutine = seam_word((owner ? owner : g) + rt.g_id), .name = co->name, .fn = (uintptr_t)co->fn, .high = (uintptr_t)co};
	if (seam_word(g + rt.g_sched_pc) == rt.in_c && seam_word(seam_word(g + rt.g_sched_sp) + rt.resume_arg) == (uintptr_t)co) {
		uintptr_t m = seam_word(g + rt.g_m);
		c->does = "has a processor";
		if (here->sp >= (uintptr_t)co->stack_low && here->sp <= (uintptr_t)co)
			c->at = *here;
		else if (!m || !csys_look_well((int)seam_word(m + rt.m_procid), &c->at) || c->at.sp < (uintptr_t)co->stack_low || c->at.sp > (uintptr_t)co)
			c->high = 0;
		return 1;
	}
	c->at = (csys_sight){.sp = (uintptr_t)co->sp, .pc = (uintptr_t)co->pc, .fp = (uintptr_t)co->fp};
	switch (co->op) {
	case SEAM_OP_DONE_:
		return 0;
	case SEAM_OP_UPCALL_:
	case SEAM_OP_YIELD_:
		c->does = "has called Go";
		return 1;
	}
	c->does = "waits";
	return 1;
}

// Says beside Go's dump who is in C, and where.
static void dump(const csys_sight *here) {
	static csys_dump d;
	static int busy;
	if (__atomic_exchange_n(&busy, 1, __ATOMIC_ACQ_REL))
		return;
	csys_dump_begin(&d, "coro");
	seam_blocks all = {0, 0};
	for (const seam_coro *co; (co = seam_next_block(&all));)
		csys_dump_add(&d, in_c, co, here);
	csys_dump_end(&d);
	__atomic_store_n(&busy, 0, __ATOMIC_RELEASE);
}

// Its name is known to package prof, which lists handlers that are not Seam's.
static void seam_coro_on_signal(int sig, siginfo_t *info, void *context) {
	ucontext_t *uc = context;
	uintptr_t sp = (uintptr_t)CONTEXT_SP(uc), g = rt.this_g();
	if (sig == SIGQUIT) {
		int keep = errno;
		csys_sight here = csys_met(context);
		dump(&here);
		errno = keep;
	}
	// While C runs in a coroutine the thread's g is its g0, of whose stack we are outside.
	// On threads of C's the g is 0.
	if (!is_g0(g) ||
	    (sp >= seam_word(g + rt.g_stack_lo) && sp <= seam_word(g + rt.g_stack_hi))) {
		csys_pass_on(&before[sig], sig, info, context);
		return;
	}
	int broken = 0, keep = errno, fault = info->si_code > 0 && (sig == SIGSEGV || sig == SIGBUS || sig == SIGFPE || sig == SIGILL || sig == SIGTRAP);
	seam_coro *co = running(g, sp, &broken);
	if (co && fault)
		report(co, sig, (uintptr_t)info->si_addr, (uintptr_t)CONTEXT_PC(uc), sp);
	else if (fault && broken)
		csys_say("seam: coro: a coroutine's control block was overwritten: by C that writes out of bounds, or whose frames "
			 "are larger than its stack and that was compiled without -fstack-clash-protection\n");
	errno = keep;
	// Go dumps 256 bytes on both sides, as far as they are in the stack. After a call of NULL it
	// takes the return address off the stack first.
	uintptr_t shown = seam_word(g + rt.g_stack_hi) + 256;
#ifdef __x86_64__
	if (CONTEXT_PC(uc) == 0)
		shown -= 8;
#endif
	__typeof__(CONTEXT_SP(uc)) real = CONTEXT_SP(uc);
	CONTEXT_SP(uc) = (__typeof__(real))shown;
	csys_pass_on(&before[sig], sig, info, context);
	if ((uintptr_t)CONTEXT_SP(uc) == shown)
		CONTEXT_SP(uc) = real;
}

// A child made by fork has one thread and no Go: nothing that it does on this stack may
// switch.
static void in_child(void) {
	for (uint32_t i = 0; i < seam_chunk_count && i < SEAM_CHUNK_LIST; i++)
		seam_coro_chunks[seam_chunk_list[i]] = 0;
	seam_know_runtime(NULL);
}

const struct sigaction *seamcoro_before_v1(int sig, uintptr_t handler);

// seamcoro_before_v1 returns what our handler of a signal stands in front of, if this is ours.
// Package prof asks it.
const struct sigaction *seamcoro_before_v1(int sig, uintptr_t handler) {
	return handler == (uintptr_t)seam_coro_on_signal ? &before[sig] : NULL;
}

int seam_fault_watch(const seam_runtime *r) {
	rt = *r;
	seam_know_runtime(&rt);
	int err = pthread_atfork(NULL, NULL, in_child);
	if (err != 0)
		return err;
	for (size_t i = 0; i < sizeof watched / sizeof *watched; i++) {
		int sig = watched[i];
		if (sigaction(sig, NULL, &before[sig]) != 0)
			return errno;
		// Without a handler that runs on its own stack (a C program with Go in it) there is
		// no report to improve, but that of an overflow is always made.
		if (sig != SIGSEGV && (!(before[sig].sa_flags & SA_SIGINFO) || !(before[sig].sa_flags & SA_ONSTACK)))
			continue;
		struct sigaction now = before[sig];
		now.sa_sigaction = seam_coro_on_signal;
		now.sa_flags |= SA_SIGINFO | SA_ONSTACK;
		if (sigaction(sig, &now, NULL) != 0)
			return errno;
	}
	return 0;
}
#endif
