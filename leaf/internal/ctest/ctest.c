#define _GNU_SOURCE
#include "ctest.h"

#include <alloca.h>
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/syscall.h>
#endif

int64_t seamTestGoCallback(int64_t x);

int seam_test_add(void *v) {
	seam_test_add_args *p = v;
	p->sum = p->a + p->b;
	return 7;
}

int seam_test_empty(void *v) {
	(void)v;
	return 0;
}

typedef struct list { int64_t value; struct list *next; } list;

int seam_test_walk(void *v) {
	struct { int64_t sum; list *head; } *p = v;
	for (list *l = p->head; l; l = l->next) p->sum += l->value;
	return 0;
}

int seam_test_frame(void *v) {
	struct { int64_t bytes, seed, sum; } *p = v;
	volatile unsigned char *b = alloca(p->bytes);
	for (int64_t i = 0; i < p->bytes; i++) b[i] = (unsigned char)(p->seed + i);
	int64_t sum = 0;
	for (int64_t i = 0; i < p->bytes; i++) {
		if (b[i] != (unsigned char)(p->seed + i)) abort();
		sum += b[i];
	}
	p->sum = sum;
	return 0;
}

int seam_test_read(void *fd) {
	char c;
	return (int)read(*(int32_t *)fd, &c, 1);
}

int seam_test_until(void *stop) {
	int n = 0;
	while (!__atomic_load_n((int32_t *)stop, __ATOMIC_RELAXED))
		n++;
	return n;
}

int seam_test_spin(void *v) {
	int64_t ns = *(int64_t *)v;
	struct timespec a, b;
	clock_gettime(CLOCK_MONOTONIC, &a);
	for (;;) {
		clock_gettime(CLOCK_MONOTONIC, &b);
		int64_t ran = (b.tv_sec - a.tv_sec) * 1000000000LL + b.tv_nsec - a.tv_nsec;
		if (ns >= 0 && ran >= ns) return 0;
	}
}

// Stores where its stack is, to show that it is the thread's and not the goroutine's.
int seam_test_stack(void *v) {
	*(uintptr_t *)v = (uintptr_t)__builtin_frame_address(0);
	return 0;
}

int seam_test_segv(void *v) {
	(void)v;
	*(volatile int *)16 = 1;
	return 0;
}

int seam_test_fpe(void *v) {
	(void)v;
#ifdef __x86_64__
	volatile int one = 1, zero = 0;
	return one / zero;
#else
	raise(SIGFPE);  // a division by zero gives 0 here
	return 0;
#endif
}

int seam_test_abort(void *v) {
	(void)v;
	abort();
}

int seam_test_callback(void *v) { return (int)seamTestGoCallback(*(int64_t *)v); }

#ifdef __linux__
int64_t seam_test_storm(int32_t *stop) {
	int64_t sent = 0;
	pid_t self = (pid_t)syscall(SYS_gettid), pid = getpid();
	for (int round = 0; !__atomic_load_n(stop, __ATOMIC_RELAXED); round++) {
		DIR *d = opendir("/proc/self/task");
		if (d == NULL) return -1;
		struct dirent *e;
		for (int i = round; (e = readdir(d)) != NULL; i++) {
			pid_t tid = atoi(e->d_name);
			if (tid <= 0 || tid == self) continue;
			if (syscall(SYS_tgkill, pid, tid, i & 1 ? SIGPROF : SIGURG) == 0) sent++;
		}
		closedir(d);
		struct timespec t = {0, 50000};
		nanosleep(&t, NULL);
	}
	return sent;
}
#else
int64_t seam_test_storm(int32_t *stop) {
	int64_t sent = 0;
	while (!__atomic_load_n(stop, __ATOMIC_RELAXED)) {
		if (kill(getpid(), sent & 1 ? SIGPROF : SIGURG) == 0) sent++;
		struct timespec t = {0, 50000};
		nanosleep(&t, NULL);
	}
	return sent;
}
#endif

void seamTestFromC(int64_t i);

void seam_test_from_c(int64_t n) {
	for (int64_t i = 0; i < n; i++) seamTestFromC(i);
}

static void *thread_body(void *n) {
	seam_test_from_c(*(int64_t *)n);
	return NULL;
}

int seam_test_from_threads(int threads, int64_t n) {
	pthread_t t[64];
	int started = 0, err = threads > 64;
	for (; !err && started < threads; started++)
		err = pthread_create(&t[started], NULL, thread_body, &n);
	for (int i = 0; i < started; i++) pthread_join(t[i], NULL);
	return err;
}

int seam_test_exit(void *v) {
	(void)v;
	pthread_exit(NULL);
}
