#define _GNU_SOURCE
#include "ctest.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int64_t seamTestGoCallback(int64_t x);

int64_t seam_test_now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int64_t seam_test_add(const seam_token *t, void *v) {
	seam_test_add_args *p = v;
	p->sum = p->a + p->b;
	return seam_token_cancelled(t) ? -1 : p->sum;
}

void seam_test_cgo_sleep(int64_t ns) {
	struct timespec left = {ns / 1000000000, ns % 1000000000};
	while (ns && nanosleep(&left, &left) != 0) {} // nanosleep of 0 waits too
}

int64_t seam_test_sleep(const seam_token *t, void *v) {
	(void)t;
	seam_test_cgo_sleep(*(int64_t *)v);
	return *(int64_t *)v;
}

int64_t seam_test_busy(const seam_token *t, void *v) {
	(void)t;
	int64_t start = seam_test_now();
	while (seam_test_now() - start < *(int64_t *)v) {}
	return *(int64_t *)v;
}

// Says that it has started, and returns 1 when it is cancelled.
int64_t seam_test_until_cancelled(const seam_token *t, void *v) {
	__atomic_store_n((int32_t *)v, 1, __ATOMIC_RELEASE);
	while (!seam_token_cancelled(t)) usleep(100);
	return 1;
}

// Says that it has started, and returns when Go opens the gate.
int64_t seam_test_gate(const seam_token *t, void *v) {
	int32_t *gate = v;
	__atomic_add_fetch(&gate[0], 1, __ATOMIC_ACQ_REL);
	while (!__atomic_load_n(&gate[1], __ATOMIC_ACQUIRE)) usleep(100);
	return seam_token_cancelled(t);
}

// The time that is left, INT64_MAX where there is no deadline.
int64_t seam_test_deadline(const seam_token *t, void *v) {
	(void)v;
	int64_t deadline = seam_token_deadline(t);
	return deadline ? deadline - seam_test_now() : INT64_MAX;
}

// What a call finds in its token: cancelled or a deadline gives something but 0.
int64_t seam_test_token(const seam_token *t, void *v) {
	(void)v;
	return seam_token_cancelled(t) || seam_token_deadline(t);
}

int64_t seam_test_exit(const seam_token *t, void *v) {
	(void)t, (void)v;
	pthread_exit(NULL);
}

int64_t seam_test_segv(const seam_token *t, void *v) {
	(void)t, (void)v;
	volatile uintptr_t nowhere = 16; // volatile: gcc must not see it coming
	*(volatile int *)nowhere = 1;
	return 0;
}

int64_t seam_test_abort(const seam_token *t, void *v) {
	(void)t, (void)v;
	abort();
}

int64_t seam_test_thread_name(const seam_token *t, void *v) {
	(void)t;
#ifdef __linux__
	return pthread_getname_np(pthread_self(), v, 16);
#else
	*(char *)v = 0;
	return -1;
#endif
}

// One bit for each of the signals 1 to 31 that is blocked.
int64_t seam_test_blocked_signals(const seam_token *t, void *v) {
	(void)t, (void)v;
	sigset_t set;
	pthread_sigmask(SIG_BLOCK, NULL, &set);
	int64_t bits = 0;
	for (int i = 1; i < 32; i++)
		if (sigismember(&set, i) == 1) bits |= (int64_t)1 << i;
	return bits;
}

// Returns the signal that ended a child, below 0 what went wrong, or 0.
static int64_t ended_by(int status) { return status == -1 ? -1 : WIFSIGNALED(status) ? WTERMSIG(status) : 0; }

static int64_t ended_child(pid_t pid) {
	int status = -1;
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) {}
	return ended_by(status);
}

// Each runs a line of the shell's in a child.
int64_t seam_test_fork(const seam_token *t, void *line) {
	(void)t;
	pid_t pid = fork();
	if (pid == 0) {
		execl("/bin/sh", "sh", "-c", line, (char *)0);
		_exit(127);
	}
	return ended_child(pid);
}

int64_t seam_test_spawn(const seam_token *t, void *line) {
	(void)t;
	extern char **environ;
	pid_t pid;
	if (posix_spawn(&pid, "/bin/sh", NULL, NULL, (char *[]){"sh", "-c", line, NULL}, environ) != 0) return -1;
	return ended_child(pid);
}

int64_t seam_test_system(const seam_token *t, void *line) {
	(void)t;
	return ended_by(system(line));
}

int64_t seam_test_callback(const seam_token *t, void *v) {
	(void)t;
	return seamTestGoCallback(*(int64_t *)v);
}
