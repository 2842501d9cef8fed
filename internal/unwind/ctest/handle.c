//go:build cgo && linux && (amd64 || arm64)

// A library that handles faults of its own: it fills pages when they are touched, as garbage
// collectors, databases and emulators do, or leaves the function by longjmp, as those that test
// whether memory is there.
#define _GNU_SOURCE
#include "ctest.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 64 << 10, PAGES = 64 };

static char *area;
static int jumps;
static struct sigaction old;
static __thread sigjmp_buf back;

static void on_fault(int sig, siginfo_t *info, void *context) {
	char *at = info->si_addr;
	if (at >= area && at < area + PAGES * PAGE) {
		if (jumps)
			siglongjmp(back, 1);
		mprotect(area + (at - area) / PAGE * PAGE, PAGE, PROT_READ | PROT_WRITE); // area need not be at a multiple of PAGE
	} else if (old.sa_flags & SA_SIGINFO)
		old.sa_sigaction(sig, info, context);
	else
		sigaction(sig, &old, NULL);
}

void ctest_handle(void) {
	const char *how = getenv("SEAM_CTEST_HOW");
	jumps = how && strcmp(how, "jump") == 0;
	area = mmap(NULL, PAGES * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	struct sigaction now = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
	sigaction(SIGSEGV, &now, &old);
}

__attribute__((constructor(102))) static void early(void) {
	const char *when = getenv("SEAM_CTEST_HANDLES");
	if (when && strcmp(when, "early") == 0)
		ctest_handle();
}

__attribute__((noinline)) void ctest_fill(void *unused) {
	(void)unused;
	for (int i = 0; i < PAGES; i++)
		if (!jumps || sigsetjmp(back, 1) == 0)
			((volatile char *)area)[i * PAGE] = 1;
}

__attribute__((noinline)) void ctest_unaligned_crash(void *unused) {
	(void)unused;
#ifdef __x86_64__
	__builtin_ia32_writeeflags_u64(__builtin_ia32_readeflags_u64() | 1u << 18);
#endif
	*(volatile int *)8 = 1;
}

static void *run(void *end) {
	ctest_20((ctest_end)end, NULL);
	return NULL;
}

void ctest_on_thread(ctest_end end) {
	pthread_t t;
	if (pthread_create(&t, NULL, run, (void *)end) == 0)
		pthread_join(t, NULL);
}
