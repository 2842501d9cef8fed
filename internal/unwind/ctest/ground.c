//go:build cgo && linux && (amd64 || arm64)

// What has hung or crashed other profilers of C, made certain.
#define _GNU_SOURCE
#include "ctest.h"
#include "kernel.h"
#include "traceback.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static _Atomic int held, over;

// As long as it takes, 20 s at most.
static int await(_Atomic int *flag) {
	struct timespec one = {0, 1000000};
	for (int ms = 0; ms < 20000 && !atomic_load(flag); ms++)
		nanosleep(&one, NULL);
	return atomic_load(flag);
}

static int in_list(struct dl_phdr_info *info, size_t size, void *arg) {
	(void)info, (void)size, (void)arg;
	atomic_store(&held, 1);
	return await(&over) ? 1 : 2;
}

static void *holds_lock(void *unused) {
	(void)unused;
	return (void *)(intptr_t)dl_iterate_phdr(in_list, NULL);
}

int ctest_under_lock(long times) {
	pthread_t t;
	void *result = NULL;
	atomic_store(&held, 0);
	atomic_store(&over, 0);
	if (pthread_create(&t, NULL, holds_lock, NULL) != 0)
		return -1;
	int locked = await(&held);
	while (times-- > 0) {
		raise(SIGPROF);
		raise(SIGURG);
	}
	atomic_store(&over, 1);
	pthread_join(t, &result);
	return locked && (intptr_t)result == 1;
}

static uint64_t random_state;

static uint64_t random_word(void) {
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

long ctest_garbage(long times, long seed, uintptr_t go_low, uintptr_t go_high) {
	enum { PAGE = 4096, SIZE = 2 * PAGE };
	const uintptr_t code[] = {(uintptr_t)ctest_20, (uintptr_t)ctest_alloca, (uintptr_t)ctest_aligned, (uintptr_t)ctest_sorted, (uintptr_t)ctest_chain, (uintptr_t)qsort};
	long page = sysconf(_SC_PAGESIZE), wrong = 0;
	size_t size = page > SIZE ? (size_t)page : SIZE;
	char *stack = mmap(NULL, size + (size_t)page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (stack == MAP_FAILED || mprotect(stack + size, (size_t)page, PROT_NONE) != 0)
		return -1;
	uintptr_t low = (uintptr_t)stack, *words = (uintptr_t *)stack;
	size_t n = size / sizeof *words;
	random_state = (uint64_t)seed * 2 + 1;
	for (long i = 0; i < times; i++) {
		if (i % 64 == 0)
			for (size_t k = 0; k < n; k++) {
				uint64_t r = random_word();
				switch (r % 6) {
				case 0: words[k] = code[r / 8 % (sizeof code / sizeof *code)] + r / 64 % 64; break;
				case 1: words[k] = low + r / 8 % (size + 64); break;
				case 2: words[k] = low + (r / 8 % n) * 8; break;
				case 3: words[k] = go_low + r / 8 % (go_high - go_low); break;
				case 4: words[k] = r / 8 % 4096; break;
				default: words[k] = r; break;
				}
			}
		uint64_t r = random_word();
		seam_regs regs = {code[r % (sizeof code / sizeof *code)] + r / 8 % 64, low + random_word() % size, random_word() % 3 ? low + random_word() % (size + 64) : random_word(), 0};
		regs.lr = random_word() % 2 ? words[random_word() % n] : 0;
		uintptr_t pcs[32];
		size_t found = seam_walk(regs, 1, 0, pcs, 32);
		wrong += found > 32;
		for (size_t k = 0; k < found && k < 32; k++)
			wrong += pcs[k] >= go_low && pcs[k] < go_high;
	}
	munmap(stack, size + (size_t)page);
	return wrong;
}

static void *calls_go(void *unused) {
	ctest_20(ctest_call_go, unused);
	return NULL;
}

int ctest_thread_go(void) {
	pthread_t t;
	return pthread_create(&t, NULL, calls_go, NULL) != 0 || pthread_join(t, NULL) != 0;
}

// Ways to crash.

__attribute__((noinline)) void ctest_divide(void *unused) {
	(void)unused;
#ifdef __x86_64__
	volatile int zero = 0, seven = 7;
	seven = seven / zero;
#else
	raise(SIGFPE); // there is no fault for it
	__asm__ volatile("");
#endif
}

__attribute__((noinline)) void ctest_illegal(void *unused) {
	(void)unused;
#ifdef __x86_64__
	__asm__ volatile("ud2");
#else
	__asm__ volatile("udf #0");
#endif
}

__attribute__((noinline)) void ctest_bus(void *unused) {
	(void)unused;
	volatile char *page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, memfd_create("empty", 0), 0);
	(void)*page;
}

// Its callers' frames are overwritten before the fault.
__attribute__((noinline)) void ctest_smash(void *unused) {
	(void)unused;
	volatile uintptr_t *frame = __builtin_frame_address(0);
	for (int i = 0; i < 64; i++)
		frame[i] = (uintptr_t)0x4141414141414141;
	ctest_crash(NULL);
	__asm__ volatile("");
}

__attribute__((noinline)) void ctest_jump(void *unused) {
	(void)unused;
	((void (*volatile)(void))NULL)();
	__asm__ volatile("");
}

static void *crashes(void *unused) {
	ctest_20(ctest_crash, unused);
	return NULL;
}

__attribute__((noinline)) void ctest_crash_in_thread(void *unused) {
	pthread_t t;
	pthread_create(&t, NULL, crashes, unused);
	pthread_join(t, NULL);
}

__attribute__((noinline)) void ctest_crash_in_threads(void *unused) {
	pthread_t t[4];
	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, crashes, unused);
	crashes(unused);
}

__attribute__((noinline)) void ctest_jump_wild(void *unused) {
	(void)unused;
	static char data[64];
	((void (*volatile)(void))(uintptr_t)data)();
	__asm__ volatile("");
}

// The frame is entered, and then written to at its lowest address.
__attribute__((noinline)) void ctest_overflow(void *unused) {
	volatile char frame[3000];
	frame[0] = 1;
	ctest_overflow(unused);
	frame[1] = 1;
}

// Each call is written where no stack is any more.
__attribute__((noinline)) void ctest_overflow_by_calls(void *unused) {
	ctest_overflow_by_calls(unused);
	__asm__ volatile("");
}

// The caller is at the distance that a register says until all pages are there.
#ifdef __x86_64__
__attribute__((noinline, optimize("stack-clash-protection")))
#else
__attribute__((noinline))
#endif
void ctest_overflow_by_probes(void *unused) {
	volatile char frame[3 << 20];
	frame[0] = 1;
	ctest_overflow_by_probes(unused);
	frame[1] = 1;
}

__attribute__((noinline)) void ctest_raise(void *unused) {
	(void)unused;
	raise(SIGSEGV);
	__asm__ volatile("");
}

static void *overflows(void *unused) {
	ctest_20(ctest_overflow, unused);
	return NULL;
}

__attribute__((noinline)) void ctest_overflow_in_thread(void *unused) {
	pthread_t t;
	pthread_create(&t, NULL, overflows, unused);
	pthread_join(t, NULL);
}

void ctest_crash_by(int way) {
	static const ctest_end ways[] = {ctest_divide, ctest_illegal, ctest_bus, ctest_smash, ctest_jump, ctest_crash_in_thread, ctest_crash_in_threads,
		ctest_jump_wild, ctest_overflow, ctest_overflow_by_calls, ctest_raise, ctest_overflow_by_probes, ctest_overflow_in_thread};
	ctest_chain(0, ways[way], NULL);
}

void ctest_crash_in(const char *path) {
	void *library = dlopen(path, RTLD_NOW);
	void (*run)(ctest_end, void *) = library ? (void (*)(ctest_end, void *))dlsym(library, "run") : NULL;
	if (run)
		run(ctest_crash, NULL);
	abort();
}
