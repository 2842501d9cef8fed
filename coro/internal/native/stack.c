//go:build cgo

// The stacks of coroutines.
//
// Address space is reserved in chunks of 64 MB that start at multiples of their size. So a
// table with one byte for each chunk tells of any address whether it is in a coroutine's
// stack, and in which slot. A slot is twice as large as its stack. The lower half is never
// accessible: a function with large local variables that overflows the stack hits it, and
// not the neighbour.
#define _GNU_SOURCE
#include "native.h"

#ifdef SEAM_CORO_NATIVE_
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef SEAM_VALGRIND
#include <valgrind/valgrind.h>
#endif

_Static_assert(sizeof(seam_coro) <= SEAM_CORO_ROOM_, "the control block outgrew its room");
_Static_assert(SEAM_CORO_ROOM_ % 16 == 0, "stacks begin at a multiple of 16");

unsigned char seam_coro_chunks[SEAM_CHUNKS_];

static const size_t chunk = (size_t)1 << SEAM_CHUNK_BITS_;

// The indexes in the table that are not 0, to be cleared in a child made by fork. Those that
// don't fit in here, after a terabyte of stacks, stay set there.
static uint32_t used[16384];
static uint32_t used_count;

char *seam_stack_chunk(unsigned bits) {
	// Twice the size holds one aligned chunk wherever it begins.
	char *p = mmap(NULL, 2 * chunk, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED)
		return NULL;
	char *base = (char *)(((uintptr_t)p + chunk - 1) & ~(chunk - 1));
	if (base > p)
		munmap(p, (size_t)(base - p));
	if (p + 2 * chunk > base + chunk)
		munmap(base + chunk, (size_t)(p + 2 * chunk - (base + chunk)));
	if ((uintptr_t)base >> 48 != 0) {
		munmap(base, chunk);
		errno = ENOMEM;
		return NULL;
	}
	// A huge page would turn a few used kilobytes of a large stack into two megabytes.
	int keep = errno;
	madvise(base, chunk, MADV_NOHUGEPAGE);
	errno = keep;
	uint32_t at = (uintptr_t)base >> SEAM_CHUNK_BITS_, n = __atomic_fetch_add(&used_count, 1, __ATOMIC_RELAXED);
	if (n < sizeof used / sizeof *used)
		used[n] = at;
	__atomic_store_n(&seam_coro_chunks[at], bits + 1, __ATOMIC_RELEASE);
	return base;
}

seam_coro *seam_stack_commit(char *slot, unsigned bits) {
	size_t size = (size_t)1 << bits;
	if (mprotect(slot + size / 2, size / 2, PROT_READ | PROT_WRITE) != 0)
		return NULL;
	seam_coro *co = (seam_coro *)(slot + size - SEAM_CORO_ROOM_);
	co->stack_low = slot + size / 2;
	co->stack_high = (char *)co;
#ifdef SEAM_VALGRIND
	VALGRIND_STACK_REGISTER(co->stack_low, co->stack_high);
#endif
	return co;
}

static size_t page_size(void) { return (size_t)sysconf(_SC_PAGESIZE); }

void seam_stack_trim(seam_coro *co) {
	size_t page = page_size();
	char *end = (char *)((uintptr_t)co & ~(page - 1));
	if (end > co->stack_low)
		madvise(co->stack_low, (size_t)(end - co->stack_low), MADV_DONTNEED);
}

size_t seam_stack_touched(seam_coro *co) {
	size_t page = page_size();
	unsigned char resident[256];
	for (char *p = co->stack_low; p < co->stack_high; p += sizeof resident * page) {
		size_t left = (size_t)(co->stack_high - p), n = (left + page - 1) / page;
		if (n > sizeof resident)
			n = sizeof resident;
		if (mincore(p, n * page, resident) != 0)
			return 0;
		for (size_t i = 0; i < n; i++)
			if (resident[i] & 1)
				return (size_t)(co->stack_high - (p + i * page));
	}
	return 0;
}

void seam_coro_entry(seam_coro *co) {
	// Only if the program is linked with AddressSanitizer.
	if (seam_asan_start_ && seam_asan_finish_)
		seam_asan_arrive_(co);
	if (co->keep)
		seam_coro_enter(co);
	co->result = co->fn(co, co->arg);
	if (co->keep)
		seam_coro_leave(co);
	co->op = SEAM_OP_DONE_;
	if (seam_asan_start_ && seam_asan_finish_) {
		// NULL as the place to keep the fake stack: this one ends.
		seam_asan_start_(NULL, co->go_stack_low, co->go_stack_size);
		seam_asan_finish_(co->go_fake_stack, NULL, NULL);
	}
#ifdef __x86_64__
	// The switch restores mxcsr. The x87 control word is C's alone: the next coroutine on
	// the thread must not find it changed.
	if (co->flags & SEAM_CORO_SHARES_THREAD) {
		uint16_t usual = 0x37f;
		__asm__ volatile("fldcw %0" : : "m"(usual));
	}
#endif
	seam_switch_native_(co);
	__builtin_trap(); // nothing resumes a coroutine that is done
}

// ---- overflow

static struct sigaction before;

static void say(const char *s) {
	long n = syscall(SYS_write, 2, s, strlen(s)); // write may be package netio's
	(void)n;
}

static void say_number(uintptr_t v, unsigned base) {
	char buf[24], *p = buf + sizeof buf;
	*--p = 0;
	do
		*--p = "0123456789abcdef"[v % base];
	while (v /= base);
	say(p);
}

static void on_fault(int sig, siginfo_t *info, void *context) {
	uintptr_t addr = (uintptr_t)info->si_addr;
	if (info->si_code == SEGV_ACCERR && addr >> 48 == 0 && seam_coro_chunks[addr >> SEAM_CHUNK_BITS_]) {
		uintptr_t size = (uintptr_t)1 << (seam_coro_chunks[addr >> SEAM_CHUNK_BITS_] - 1);
		uintptr_t slot = addr & ~(size - 1);
		unsigned char resident;
		// A slot that was never used has no control block.
		seam_coro *co = (seam_coro *)(slot + size - SEAM_CORO_ROOM_);
		uintptr_t last = (uintptr_t)co & ~(page_size() - 1);
		if (addr < slot + size / 2 && mincore((void *)last, 1, &resident) == 0 && (resident & 1)) {
			say("seam: coro: C function ");
			if (co->name)
				say(co->name);
			else {
				say("at 0x");
				say_number((uintptr_t)co->fn, 16);
			}
			say(" needs more than the ");
			say_number(size / 2 >> 10, 10);
			say(" KB of its coroutine's stack: give it more by Options.StackSize, or look for recursion without an end\n");
		}
	}
	if (before.sa_flags & SA_SIGINFO)
		before.sa_sigaction(sig, info, context);
	else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN)
		before.sa_handler(sig);
	else
		signal(sig, SIG_DFL); // and the instruction faults again
}

// A child made by fork has one thread and no Go: nothing that it does on this stack may
// switch.
static void in_child(void) {
	for (uint32_t i = 0; i < used_count && i < sizeof used / sizeof *used; i++)
		seam_coro_chunks[used[i]] = 0;
}

int seam_stack_watch(void) {
	struct sigaction now;
	int err = pthread_atfork(NULL, NULL, in_child);
	if (err != 0)
		return err;
	if (sigaction(SIGSEGV, NULL, &before) != 0)
		return errno;
	now = before;
	now.sa_sigaction = on_fault;
	now.sa_flags |= SA_SIGINFO | SA_ONSTACK;
	if (sigaction(SIGSEGV, &now, NULL) != 0)
		return errno;
	return 0;
}
#endif
