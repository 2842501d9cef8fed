//go:build cgo

// The stacks of coroutines.
//
// Address space is reserved in chunks of 64 MB that start at multiples of their size. So a
// table with one byte for each chunk tells of any address whether it is in a coroutine's
// stack, and in which slot. A stack is the upper end of its slot. Everything below is its
// guard, never accessible, of at least 1 MB and of the stack's size: a function with large
// local variables that overflows the stack hits it, and not the neighbour. Slots are used
// from the top of a chunk, and below a chunk 64 MB stay empty, so a frame of up to 64 MB
// that jumps over its guard lands in another guard or stack but never in other memory.
//
// A guard is memory without permissions. Each stack takes two mappings then, of which the
// kernel allows some ten thousand. When there are many stacks, further guards are made by
// MADV_GUARD_INSTALL where the kernel has it (6.13): a chunk is one mapping then. It takes a
// page table entry for each page of the guard, and 8 µs instead of 2.5, so it isn't the first choice.
#define _GNU_SOURCE
#include "native.h"

#ifdef SEAM_CORO_NATIVE_
#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef SEAM_VALGRIND
#include <valgrind/valgrind.h>
#endif

_Static_assert(sizeof(seam_coro) <= SEAM_CORO_ROOM_, "the control block outgrew its room");
_Static_assert(SEAM_CORO_ROOM_ % 16 == 0, "stacks begin at a multiple of 16");

unsigned char seam_coro_chunks[SEAM_CHUNKS_];

static const size_t chunk = (size_t)1 << SEAM_CHUNK_BITS_;

uint32_t seam_chunk_list[SEAM_CHUNK_LIST];
uint32_t seam_chunk_count;

char *seam_stack_chunk(unsigned bits) {
	// Three times the size holds an aligned chunk and the gap below it, wherever it begins.
	char *p = mmap(NULL, 3 * chunk, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED)
		return NULL;
	char *base = (char *)(((uintptr_t)p + 2 * chunk - 1) & ~(chunk - 1)), *gap = base - chunk;
	if (gap > p)
		munmap(p, (size_t)(gap - p));
	if (p + 3 * chunk > base + chunk)
		munmap(base + chunk, (size_t)(p + 3 * chunk - (base + chunk)));
	if ((uintptr_t)base >> 48 != 0) {
		munmap(gap, 2 * chunk);
		errno = ENOMEM;
		return NULL;
	}
	// A huge page would turn a few used kilobytes of a large stack into two megabytes.
	int keep = errno;
	madvise(gap, 2 * chunk, MADV_NOHUGEPAGE);
	errno = keep;
	uint32_t at = (uintptr_t)base >> SEAM_CHUNK_BITS_, n = __atomic_fetch_add(&seam_chunk_count, 1, __ATOMIC_RELAXED);
	if (n < SEAM_CHUNK_LIST)
		__atomic_store_n(&seam_chunk_list[n], at, __ATOMIC_RELAXED);
	__atomic_store_n(&seam_coro_chunks[at], bits + 1, __ATOMIC_RELEASE);
	return base;
}

seam_coro *seam_block_at(uintptr_t addr) {
	int bits = seam_slot_bits(addr);
	if (bits < 0)
		return NULL;
	uintptr_t size = (uintptr_t)1 << bits;
	seam_coro *co = (seam_coro *)((addr & ~(size - 1)) + size - SEAM_CORO_ROOM_);
	unsigned char resident; // one that lies on a disk is none either
	void *page = (void *)((uintptr_t)co & ~((uintptr_t)sysconf(_SC_PAGESIZE) - 1));
	return mincore(page, 1, &resident) == 0 && (resident & 1) ? co : NULL;
}

seam_coro *seam_next_block(seam_blocks *all) {
	uint32_t count = __atomic_load_n(&seam_chunk_count, __ATOMIC_RELAXED);
	for (; all->chunk < count && all->chunk < SEAM_CHUNK_LIST; all->chunk++, all->at = 0) {
		uintptr_t base = (uintptr_t)__atomic_load_n(&seam_chunk_list[all->chunk], __ATOMIC_RELAXED) << SEAM_CHUNK_BITS_;
		int bits = seam_slot_bits(base);
		while (bits >= 0 && all->at < chunk) {
			seam_coro *co = seam_block_at(base + all->at);
			all->at += (uintptr_t)1 << bits;
			if (co)
				return co;
		}
	}
	return NULL;
}

#ifndef MADV_GUARD_INSTALL
#define MADV_GUARD_INSTALL 102
#endif

enum { GUARDS_UNTRIED, GUARDS_WORK, GUARDS_MISSING };
static int guards = GUARDS_UNTRIED;

int seam_stack_guards_work(void) { return __atomic_load_n(&guards, __ATOMIC_RELAXED) == GUARDS_WORK; }

// Makes the whole slot accessible but for a guard. Returns 0 if that isn't possible: the
// kernel is too old, the memory is locked (mlockall), or there is a limit on data.
static int install_guard(char *slot, char *low, char *end) {
	int state = __atomic_load_n(&guards, __ATOMIC_RELAXED);
	if (state == GUARDS_MISSING || madvise(slot, (size_t)(low - slot), MADV_GUARD_INSTALL) != 0 ||
	    mprotect(slot, (size_t)(end - slot), PROT_READ | PROT_WRITE) != 0)
		return 0;
	if (state == GUARDS_UNTRIED) {
		// qemu-user takes every advice that it does not know for a hint.
		state = csys_readable((uintptr_t)slot) || csys_readable((uintptr_t)low - 8) ? GUARDS_MISSING : GUARDS_WORK;
		__atomic_store_n(&guards, state, __ATOMIC_RELAXED);
	}
	if (state == GUARDS_WORK)
		return 1;
	mprotect(slot, (size_t)(low - slot), PROT_NONE);
	return 0;
}

seam_coro *seam_stack_commit(char *slot, unsigned bits, unsigned stack_bits, int guard, int *guarded) {
	char *end = slot + ((size_t)1 << bits), *low = end - ((size_t)1 << stack_bits);
	*guarded = guard && install_guard(slot, low, end);
	if (!*guarded && mprotect(low, (size_t)(end - low), PROT_READ | PROT_WRITE) != 0)
		return NULL;
	seam_coro *co = (seam_coro *)(end - SEAM_CORO_ROOM_);
	co->stack_low = low;
	co->stack_high = (char *)co;
	co->canary = SEAM_CANARY_ ^ (uintptr_t)co;
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

// The x87 control word, which is C's alone: the switch has only mxcsr. A coroutine begins
// with the one with which the ABI starts a process, though another in whose Go function it
// begins may have left its own on the thread, and leaves what it found.
#ifdef __x86_64__
static const uint16_t x87_usual = 0x37f;

static uint16_t begin_x87(pthread_t *thread) {
	uint16_t found;
	__asm__ volatile("fnstcw %0" : "=m"(found));
	if (found != x87_usual) {
		*thread = pthread_self();
		__asm__ volatile("fldcw %0" : : "m"(x87_usual));
	}
	return found;
}

static void end_x87(uint16_t found, const pthread_t *thread) {
	uint16_t left;
	if (found != x87_usual && !pthread_equal(*thread, pthread_self()))
		found = x87_usual; // a Coroutine may end on a thread that never had it
	__asm__ volatile("fnstcw %0" : "=m"(left));
	if (left != found)
		__asm__ volatile("fldcw %0" : : "m"(found));
}
#endif

extern void seam_netio_leave_locks(const void *owner) __attribute__((weak));

void seam_coro_entry(seam_coro *co) {
	SEAM_NO_THREAD_EXIT;
	// Only if the program is linked with AddressSanitizer.
	if (seam_asan_start_ && seam_asan_finish_)
		seam_asan_arrive_(co);
#ifdef __x86_64__
	pthread_t began;
	uint16_t x87 = begin_x87(&began);
#endif
	if (co->keep)
		seam_coro_enter(co);
	co->result = co->fn(co, co->arg);
	if (co->keep)
		seam_coro_leave(co);
	seam_below *below = seam_below_of(co);
	if (__builtin_expect(below->woken | below->owns, 0)) {
		if (below->owns && seam_netio_leave_locks)
			seam_netio_leave_locks(co);
		seam_coro_settle(co);
	}
	co->op = SEAM_OP_DONE_;
	if (seam_asan_start_ && seam_asan_finish_) {
		// NULL as the place to keep the fake stack: this one ends.
		seam_asan_start_(NULL, co->go_stack_low, co->go_stack_size);
		seam_asan_finish_(co->go_fake_stack, NULL, NULL);
	}
#ifdef __x86_64__
	end_x87(x87, &began);
#endif
	seam_switch_native_(co);
	__builtin_trap(); // nothing resumes a coroutine that is done
}
#endif
