//go:build cgo && linux && !android && (amd64 || arm64)

/* Locks that coroutines, cgo calls and threads share. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <threads.h>
#include <unistd.h>
#include "locks.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, recursive, errorcheck, guard = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t readwrite = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t semaphore;
static mtx_t c11;
static FILE *file;
static int tokens;
static int64_t inside[LOCK_KINDS], taken[LOCK_KINDS], wrong;

static void kind_of(pthread_mutex_t *m, int kind) {
	pthread_mutexattr_t a;
	pthread_mutexattr_init(&a);
	pthread_mutexattr_settype(&a, kind);
	pthread_mutex_init(m, &a);
}

int locks_begin(void) {
	kind_of(&recursive, PTHREAD_MUTEX_RECURSIVE);
	kind_of(&errorcheck, PTHREAD_MUTEX_ERRORCHECK);
	mtx_init(&c11, mtx_timed);
	sem_init(&semaphore, 0, 1);
	tokens = 1;
	if (!file && !(file = tmpfile()))
		abort();
	for (int i = 0; i < LOCK_KINDS; i++)
		inside[i] = taken[i] = 0;
	wrong = 0;
	return 0;
}

static void must(int ok) {
	if (!ok)
		__atomic_fetch_add(&wrong, 1, __ATOMIC_SEQ_CST);
}

static void critical(int64_t kind, int64_t round) {
	must(__atomic_fetch_add(&inside[kind], 1, __ATOMIC_SEQ_CST) == 0);
	if (round % 16 == 3)
		usleep(100);
	taken[kind]++; // nobody else is here
	must(__atomic_fetch_sub(&inside[kind], 1, __ATOMIC_SEQ_CST) == 1);
}

static void use(int64_t kind, int64_t round) {
	switch (kind) {
	case LOCK_MUTEX:
		must(pthread_mutex_lock(&mutex) == 0);
		critical(kind, round);
		must(pthread_mutex_unlock(&mutex) == 0);
		return;
	case LOCK_RECURSIVE:
		must(pthread_mutex_lock(&recursive) == 0);
		must(pthread_mutex_lock(&recursive) == 0);
		must(pthread_mutex_trylock(&recursive) == 0);
		critical(kind, round);
		must(pthread_mutex_unlock(&recursive) == 0);
		must(pthread_mutex_unlock(&recursive) == 0);
		must(pthread_mutex_unlock(&recursive) == 0);
		return;
	case LOCK_ERRORCHECK:
		must(pthread_mutex_lock(&errorcheck) == 0);
		must(pthread_mutex_lock(&errorcheck) == EDEADLK);
		critical(kind, round);
		must(pthread_mutex_unlock(&errorcheck) == 0);
		return;
	case LOCK_READWRITE:
		must(pthread_rwlock_rdlock(&readwrite) == 0);
		must(pthread_rwlock_unlock(&readwrite) == 0);
		must(pthread_rwlock_wrlock(&readwrite) == 0);
		critical(kind, round);
		must(pthread_rwlock_unlock(&readwrite) == 0);
		return;
	case LOCK_SEMAPHORE:
		must(sem_wait(&semaphore) == 0);
		critical(kind, round);
		must(sem_post(&semaphore) == 0);
		return;
	case LOCK_CONDITION:
		must(pthread_mutex_lock(&guard) == 0);
		while (tokens == 0)
			must(pthread_cond_wait(&condition, &guard) == 0);
		tokens--;
		must(pthread_mutex_unlock(&guard) == 0);
		critical(kind, round);
		must(pthread_mutex_lock(&guard) == 0);
		tokens++;
		must(pthread_cond_signal(&condition) == 0);
		must(pthread_mutex_unlock(&guard) == 0);
		return;
	case LOCK_C11:
		must(mtx_lock(&c11) == thrd_success);
		critical(kind, round);
		must(mtx_unlock(&c11) == thrd_success);
		return;
	case LOCK_FILE:
		flockfile(file);
		critical(kind, round);
		must(fputc('x', file) == 'x');
		funlockfile(file);
		return;
	}
}

int64_t locks_use(seam_coro *co, void *arg) {
	ctest_locking *a = arg;
	(void)co;
	for (int64_t i = 0; i < a->rounds; i++)
		use(a->kind, i);
	return 0;
}

static void *thread(void *arg) { return (void *)locks_use(NULL, arg); }

int64_t locks_by_thread(int64_t kind, int64_t n) {
	ctest_locking a = {kind, n};
	pthread_t t;
	if (pthread_create(&t, NULL, thread, &a) != 0)
		return -1;
	return pthread_join(t, NULL);
}

int64_t locks_taken(int64_t kind) { return taken[kind]; }
int64_t locks_wrong(void) { return wrong; }

/* ---- locks that know their owner, call by call */

static pthread_mutex_t owned;
static pthread_rwlock_t owned_readwrite;
static FILE *owned_file;

int64_t owned_use(seam_coro *co, void *arg) {
	static const struct timespec past;
	ctest_owned *a = arg;
	(void)co;
	if (a->what == OWNED_INIT) { // whatever had it
		if (a->kind == LOCK_READWRITE)
			return pthread_rwlock_init(&owned_readwrite, NULL);
		if (a->kind == LOCK_FILE) {
			owned_file = tmpfile();
			return owned_file ? 0 : errno;
		}
		kind_of(&owned, a->kind == LOCK_RECURSIVE ? PTHREAD_MUTEX_RECURSIVE : PTHREAD_MUTEX_ERRORCHECK);
		return 0;
	}
	switch (a->kind * 8 + a->what) {
	case LOCK_RECURSIVE * 8 + OWNED_LOCK: case LOCK_ERRORCHECK * 8 + OWNED_LOCK: return pthread_mutex_lock(&owned);
	case LOCK_RECURSIVE * 8 + OWNED_TRY: case LOCK_ERRORCHECK * 8 + OWNED_TRY: return pthread_mutex_trylock(&owned);
	case LOCK_RECURSIVE * 8 + OWNED_UNLOCK: case LOCK_ERRORCHECK * 8 + OWNED_UNLOCK: return pthread_mutex_unlock(&owned);
	case LOCK_RECURSIVE * 8 + OWNED_LATE: case LOCK_ERRORCHECK * 8 + OWNED_LATE: return pthread_mutex_timedlock(&owned, &past);
	case LOCK_READWRITE * 8 + OWNED_LOCK: return pthread_rwlock_wrlock(&owned_readwrite);
	case LOCK_READWRITE * 8 + OWNED_TRY: return pthread_rwlock_trywrlock(&owned_readwrite);
	case LOCK_READWRITE * 8 + OWNED_UNLOCK: return pthread_rwlock_unlock(&owned_readwrite);
	case LOCK_READWRITE * 8 + OWNED_LATE: return pthread_rwlock_timedwrlock(&owned_readwrite, &past);
	case LOCK_FILE * 8 + OWNED_LOCK: flockfile(owned_file); return 0;
	case LOCK_FILE * 8 + OWNED_TRY: return ftrylockfile(owned_file) == 0 ? 0 : EBUSY;
	case LOCK_FILE * 8 + OWNED_UNLOCK: funlockfile(owned_file); return 0;
	}
	return -1;
}

static void *owned_thread(void *arg) { return (void *)owned_use(NULL, arg); }

int64_t owned_by_thread(int64_t kind, int64_t what) {
	ctest_owned a = {kind, what};
	pthread_t t;
	void *r = NULL;
	if (pthread_create(&t, NULL, owned_thread, &a) != 0 || pthread_join(t, &r) != 0)
		return -1;
	return (int64_t)r;
}

/* ---- what is done once */

static pthread_once_t once;
static uint32_t made[2]; /* as C++ has it for a static variable: 64 bits */
static int64_t runs;

extern int __cxa_guard_acquire(uint32_t *) __attribute__((weak));
extern void __cxa_guard_release(uint32_t *) __attribute__((weak));

static void slowly(void) {
	usleep(20000);
	__atomic_fetch_add(&runs, 1, __ATOMIC_SEQ_CST);
}

int once_begin(void) {
	once = PTHREAD_ONCE_INIT;
	made[0] = made[1] = 0;
	runs = 0;
	return 0;
}

int64_t once_use(seam_coro *co, void *arg) {
	(void)co, (void)arg;
	int failed = pthread_once(&once, slowly);
	if (!__atomic_load_n((char *)made, __ATOMIC_ACQUIRE) && __cxa_guard_acquire && __cxa_guard_acquire(made)) {
		slowly();
		__cxa_guard_release(made);
	}
	return failed == 0 && __atomic_load_n(&runs, __ATOMIC_SEQ_CST) == 2;
}

int64_t once_runs(void) { return runs; }

extern pthread_mutex_t seam_netio_once_lock __attribute__((weak));

static void *hold(void *held) {
	pthread_mutex_lock(&seam_netio_once_lock);
	__atomic_store_n((int *)held, 1, __ATOMIC_RELEASE);
	usleep(1000000); // the watch looks five times
	pthread_mutex_unlock(&seam_netio_once_lock);
	return NULL;
}

int64_t once_held(seam_coro *co, void *arg) {
	pthread_t t;
	int held = 0;
	int64_t done;
	if (!&seam_netio_once_lock || pthread_create(&t, NULL, hold, &held) != 0)
		return -1;
	while (!__atomic_load_n(&held, __ATOMIC_ACQUIRE))
		usleep(1000);
	done = once_use(co, arg);
	pthread_join(t, NULL);
	return done;
}

/* ---- a barrier */

static pthread_barrier_t barrier;

void meet_begin(int64_t n) { pthread_barrier_init(&barrier, NULL, (unsigned)n); }

int64_t meet_use(seam_coro *co, void *arg) {
	ctest_locking *a = arg;
	int64_t sum = 0;
	(void)co;
	for (int64_t i = 0; i < a->rounds; i++)
		sum += pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD;
	return sum;
}
