#define _GNU_SOURCE
#include "waits.h"

#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/syscall.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

static struct timespec after(clockid_t clock) {
	struct timespec t;
	clock_gettime(clock, &t);
	t.tv_nsec += 1000000;
	if (t.tv_nsec >= 1000000000)
		t.tv_sec++, t.tv_nsec -= 1000000000;
	return t;
}

static sem_t never;
static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER, shared = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t signalled = PTHREAD_COND_INITIALIZER;
static int ep, sems, word;

__attribute__((constructor)) static void prepare(void) {
	sem_init(&never, 0, 0);
	pthread_mutex_lock(&held);
	ep = epoll_create1(EPOLL_CLOEXEC);
	sems = semget(IPC_PRIVATE, 1, 0600);
}

__attribute__((destructor)) static void clean(void) { semctl(sems, 0, IPC_RMID); }

int64_t pausebench_wait(seam_coro *co, void *args) {
	pausebench_args *a = args;
	const struct timespec ms = {0, 1000000};
	(void)co;
	while (!__atomic_load_n(&a->stop, __ATOMIC_RELAXED)) {
		struct timespec real = after(CLOCK_REALTIME);
		struct timeval tv = {0, 1000};
		struct epoll_event e;
		struct sembuf down = {0, -1, 0};
		sigset_t none;
		switch (a->waits++ % 10) {
		case 0: nanosleep(&ms, NULL); break;
		case 1: poll(NULL, 0, 1); break;
		case 2: sem_timedwait(&never, &real); break;
		case 3: pthread_mutex_timedlock(&held, &real); break;
		case 4:
			pthread_mutex_lock(&shared);
			pthread_cond_timedwait(&signalled, &shared, &real);
			pthread_mutex_unlock(&shared);
			break;
		case 5: select(0, NULL, NULL, NULL, &tv); break;
		case 6: epoll_wait(ep, &e, 1, 1); break;
		case 7: semtimedop(sems, &down, 1, &ms); break;
		case 8:
			sigemptyset(&none);
			sigaddset(&none, SIGUSR2);
			sigtimedwait(&none, NULL, &ms);
			break;
		case 9: syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &ms, NULL, 0); break;
		}
	}
	return 0;
}
