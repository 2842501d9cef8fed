//go:build cgo && linux && !android && (amd64 || arm64)

#define _GNU_SOURCE
#include "alternate.h"
#include "ctest.h"
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#ifdef SEAM_ALTERNATE
static pthread_key_t last;
static _Atomic uintptr_t stacks[1 << 10];
static _Atomic long different, lacking;

static __thread char own[64 << 10]; // which a thread has for a while

static void note(void) {
	stack_t now;
	if (sigaltstack(NULL, &now) != 0 || (now.ss_flags & SS_DISABLE)) {
		lacking++;
		return;
	}
	if (now.ss_sp == own)
		return;
	((volatile char *)now.ss_sp)[0] = ((volatile char *)now.ss_sp)[now.ss_size - 1] = 1; // as a handler would
	for (size_t i = 0; i < sizeof stacks / sizeof *stacks; i++) {
		uintptr_t was = 0;
		if (atomic_compare_exchange_strong(&stacks[i], &was, (uintptr_t)now.ss_sp)) {
			different++;
			return;
		}
		if (was == (uintptr_t)now.ss_sp)
			return;
	}
}

static void note_at_the_end(void *value) {
	(void)value;
	note();
}

static void *lives(void *how) {
	note();
	pthread_setspecific(last, how);
	switch ((long)how % 5) {
	case 1:
		pthread_exit(NULL);
	case 2:
		for (;;)
			sleep(1000); // until it is cancelled
	case 3: {
		const stack_t other = {.ss_sp = own, .ss_size = sizeof own};
		stack_t before;
		sigaltstack(&other, &before);
		if ((long)how % 2)
			sigaltstack(&before, NULL);
		break;
	}
	case 4:
		ctest_20(ctest_call_go, NULL);
	}
	return NULL;
}

long ctest_come_and_go(long threads) {
	pthread_t t[CTEST_AT_ONCE];
	if (pthread_key_create(&last, note_at_the_end) != 0)
		abort();
	for (long n = 0; n < threads; n += CTEST_AT_ONCE) {
		for (long i = 0; i < CTEST_AT_ONCE; i++)
			if (pthread_create(&t[i], NULL, lives, (void *)(n + i + 1)) != 0)
				abort();
		for (long i = 0; i < CTEST_AT_ONCE; i++) {
			if ((n + i + 1) % 5 == 2)
				pthread_cancel(t[i]);
			pthread_join(t[i], NULL);
		}
	}
	pthread_key_delete(last);
	return lacking ? -lacking : different;
}
#else
long ctest_come_and_go(long threads) {
	(void)threads;
	return 0;
}
#endif
