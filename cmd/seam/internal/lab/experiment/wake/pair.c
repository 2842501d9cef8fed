//go:build linux && cgo

#define _GNU_SOURCE
#include "pair.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { OURS, THEIRS };

struct seam_wake_pair {
	uint32_t turn; /* OURS or THEIRS */
	char apart[124];
	enum seam_wake_by by;
	sem_t semaphore[2];
	int eventfd[2];
	sem_t go; /* that the second thread has n trips to make, or to end */
	long n;
	pthread_t thread;
	int runs;
};

static void pause_processor(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("isb");
#endif
}

static uint32_t turn(struct seam_wake_pair *p) { return __atomic_load_n(&p->turn, __ATOMIC_ACQUIRE); }

static void futex(struct seam_wake_pair *p, int op, uint32_t value)
{
	syscall(SYS_futex, &p->turn, op, value, NULL, NULL, 0);
}

/* pass gives the turn to the other side, and await waits until a side has it. */
static void pass(struct seam_wake_pair *p, int to)
{
	uint64_t one = 1;
	switch (p->by) {
	case SEAM_WAKE_SPIN:
	case SEAM_WAKE_ATOMICS:
		__atomic_exchange_n(&p->turn, to, __ATOMIC_SEQ_CST);
		break;
	case SEAM_WAKE_SEMAPHORE:
		sem_post(&p->semaphore[to]);
		break;
	case SEAM_WAKE_FUTEX:
		__atomic_exchange_n(&p->turn, to, __ATOMIC_SEQ_CST);
		futex(p, FUTEX_WAKE, 1);
		break;
	case SEAM_WAKE_EVENTFD:
		while (write(p->eventfd[to], &one, sizeof one) < 0 && errno == EINTR)
			;
	}
}

static void await(struct seam_wake_pair *p, uint32_t side)
{
	uint64_t count;
	unsigned looks = 0;
	switch (p->by) {
	case SEAM_WAKE_SPIN:
		while (turn(p) != side)
			if (++looks % 8192 == 0)
				sched_yield(); /* a busy machine */
			else
				pause_processor();
		break;
	case SEAM_WAKE_ATOMICS:
		while (turn(p) != side)
			sched_yield();
		break;
	case SEAM_WAKE_SEMAPHORE:
		while (sem_wait(&p->semaphore[side]) != 0)
			;
		break;
	case SEAM_WAKE_FUTEX:
		while (turn(p) != side)
			futex(p, FUTEX_WAIT, !side);
		break;
	case SEAM_WAKE_EVENTFD:
		while (read(p->eventfd[side], &count, sizeof count) < 0 && errno == EINTR)
			;
	}
}

static void *second(void *arg)
{
	struct seam_wake_pair *p = arg;
	long i;
	prctl(PR_SET_NAME, "seam-wake");
	for (;;) {
		while (sem_wait(&p->go) != 0)
			;
		if (p->n == 0)
			return NULL;
		for (i = p->n; i > 0; i--) {
			await(p, THEIRS);
			pass(p, OURS);
		}
	}
}

void seam_wake_trips(struct seam_wake_pair *p, long n)
{
	p->n = n;
	sem_post(&p->go);
	for (; n > 0; n--) {
		pass(p, THEIRS);
		await(p, OURS);
	}
}

void seam_wake_signal(struct seam_wake_pair *p, long n)
{
	uint64_t count = 1;
	for (; n > 0; n--)
		switch (p->by) {
		case SEAM_WAKE_SPIN:
			while (__atomic_exchange_n(&p->turn, THEIRS, __ATOMIC_ACQUIRE) != OURS)
				pause_processor();
			__atomic_store_n(&p->turn, OURS, __ATOMIC_RELEASE);
			break;
		case SEAM_WAKE_ATOMICS:
			__atomic_exchange_n(&p->turn, OURS, __ATOMIC_SEQ_CST);
			break;
		case SEAM_WAKE_SEMAPHORE:
			sem_post(&p->semaphore[OURS]);
			while (sem_wait(&p->semaphore[OURS]) != 0)
				;
			break;
		case SEAM_WAKE_FUTEX:
			futex(p, FUTEX_WAKE, INT_MAX);
			break;
		case SEAM_WAKE_EVENTFD:
			if (write(p->eventfd[OURS], &count, sizeof count) < 0 || read(p->eventfd[OURS], &count, sizeof count) < 0)
				abort(); /* neither can fail: there is room, and then a count */
		}
}

int seam_wake_new(struct seam_wake_pair **out, enum seam_wake_by by)
{
	struct seam_wake_pair *p;
	sigset_t all, old;
	int i, err = posix_memalign((void **)&p, 128, sizeof *p);
	if (err)
		return err;
	*p = (struct seam_wake_pair){.by = by, .eventfd = {-1, -1}};
	sem_init(&p->go, 0, 0);
	for (i = 0; i < 2; i++) {
		sem_init(&p->semaphore[i], 1, 0); /* as between processes */
		if ((p->eventfd[i] = eventfd(0, EFD_CLOEXEC)) < 0)
			err = errno;
	}
	if (!err) {
		/* Signals are for Go's threads. */
		sigfillset(&all);
		pthread_sigmask(SIG_SETMASK, &all, &old);
		err = pthread_create(&p->thread, NULL, second, p);
		pthread_sigmask(SIG_SETMASK, &old, NULL);
		p->runs = !err;
	}
	if (err) {
		seam_wake_free(p);
		return err;
	}
	*out = p;
	return 0;
}

void seam_wake_free(struct seam_wake_pair *p)
{
	int i;
	if (p->runs) {
		p->n = 0;
		sem_post(&p->go);
		pthread_join(p->thread, NULL);
	}
	for (i = 0; i < 2; i++) {
		sem_destroy(&p->semaphore[i]);
		if (p->eventfd[i] >= 0)
			close(p->eventfd[i]);
	}
	sem_destroy(&p->go);
	free(p);
}
