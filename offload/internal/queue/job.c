#define _GNU_SOURCE
#include "job.h"

#include <pthread.h>
#include <time.h>
#ifdef __linux__
#include <sys/syscall.h>
#include <unistd.h>
#endif

int64_t seam_offload_now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int seam_offload_on_main_thread(void) {
#if defined(__linux__)
	return syscall(SYS_gettid) == getpid();
#elif defined(__APPLE__)
	return pthread_main_np();
#else
	return 0;
#endif
}

static void set(int64_t *to, int64_t n) { __atomic_store_n(to, n, __ATOMIC_RELAXED); }

void seam_offload_prepare(seam_job *j, int64_t remaining) {
	int64_t now = seam_offload_now();
	j->queued_at = now;
	j->token.deadline = 0;
	// A deadline beyond what the clock can express is none.
	if (remaining < INT64_MAX - now)
		j->token.deadline = now + remaining > 0 ? now + remaining : 1;
	__atomic_store_n(&j->token.cancelled, 0, __ATOMIC_RELAXED);
}

void seam_offload_tell(seam_job *j) { __atomic_store_n(&j->token.cancelled, 1, __ATOMIC_RELEASE); }

static void started(seam_worker *w, seam_job *j, int64_t start) {
	int64_t waited = start - j->queued_at;
	set(&w->waited, w->waited + waited);
	if (waited > w->waited_most) set(&w->waited_most, waited);
	__atomic_store_n(&w->fn, j->fn, __ATOMIC_RELAXED);
	__atomic_store_n(&w->busy_since, start, __ATOMIC_RELEASE);
}

static void stopped(seam_worker *w) {
	int64_t ran = seam_offload_now() - w->busy_since;
	set(&w->ran, w->ran + ran);
	if (ran > w->ran_most) set(&w->ran_most, ran);
	set(&w->done, w->done + 1);
	__atomic_store_n(&w->busy_since, 0, __ATOMIC_RELEASE);
}

#ifdef _WIN32

static int64_t call(seam_worker *w, seam_job *j) {
	(void)w;
	return ((seam_offload_fn)j->fn)(&j->token, (void *)j->arg);
}

void seam_offload_enter(const char *name) { (void)name; }

#else

// The function has ended the thread, and this runs in what is left of it. Telling the queue
// is the last thing it does with the worker: after that another thread takes its place.
static void thread_ended(void *v) {
	seam_worker *w = v;
	stopped(w);
	w->ended(w);
}

static int64_t call(seam_worker *w, seam_job *j) {
	int64_t result;
	pthread_cleanup_push(thread_ended, w);
	result = ((seam_offload_fn)j->fn)(&j->token, (void *)j->arg);
	pthread_cleanup_pop(0);
	return result;
}

// The thread's signals stay as they are: children that C or Go starts here inherit what is
// blocked, and a child that blocks SIGTERM or SIGCHLD can't be ended, or hangs.
void seam_offload_enter(const char *name) {
#ifdef __linux__
	pthread_setname_np(pthread_self(), name);
#else
	(void)name;
#endif
}

#endif

void seam_offload_run(seam_worker *w, seam_job *j, uint32_t index) {
	w->job = index;
	started(w, j, seam_offload_now());
	j->result = call(w, j);
	stopped(w);
}
