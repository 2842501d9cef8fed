#define _GNU_SOURCE
#include "enter.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// What a thread is doing now, for the watching thread to read. start is
// written last and cleared first.
typedef struct {
	_Atomic int taken;
	_Atomic int64_t start;  // 0: not in a leaf function
	_Atomic(const char *) name;
	_Atomic uintptr_t fn;
	pthread_t thread;
} slot;

enum { SLOTS = 4096 };

static slot slots[SLOTS];
static slot unwatched;  // for threads beyond the table
static __thread slot *mine;
static pthread_key_t release;

static int64_t now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void give_back(void *s) {
	mine = NULL;
	atomic_store(&((slot *)s)->taken, 0);
}

static slot *take(void) {
	for (int i = 0; i < SLOTS; i++) {
		int no = 0;
		if (atomic_compare_exchange_strong(&slots[i].taken, &no, 1)) {
			slots[i].thread = pthread_self();
			pthread_setspecific(release, &slots[i]);
			return &slots[i];
		}
	}
	return &unwatched;
}

int seam_leaf_enter(void *v) {
	seam_request *r = v;
	if ((uintptr_t)r != r->self) return 0;
	int (*fn)(void *) = (int (*)(void *))r->fn;
	if (r->name == NULL) {
		r->ret = fn((void *)r->arg);
	} else {
		if (mine == NULL) mine = take();
		int64_t start = now();
		atomic_store_explicit(&mine->name, r->name, memory_order_relaxed);
		atomic_store_explicit(&mine->fn, r->fn, memory_order_relaxed);
		atomic_store_explicit(&mine->start, start, memory_order_release);
		r->ret = fn((void *)r->arg);
		atomic_store_explicit(&mine->start, 0, memory_order_release);
		r->ns = now() - start;
	}
	r->done = 1;
	return 0;
}

static int64_t limit;

static void end_program(slot *s, int64_t ran) {
	char line[512];
	int n = snprintf(line, sizeof line,
		"seam: leaf: C function %s (at %#lx) has not returned for %.3f s (SEAM_GUARD_LIMIT is %.3f s). "
		"It stops the garbage collector and with it the program: call it through cgo instead. "
		"Ending the program with SIGABRT in the stuck thread.\n",
		atomic_load(&s->name), (unsigned long)atomic_load(&s->fn), ran / 1e9, limit / 1e9);
	if (n > (int)sizeof line - 1) n = sizeof line - 1;
	if (write(2, line, n) < 0) { /* nobody is left to tell */ }
	pthread_kill(s->thread, SIGABRT);
	// The runtime's report needs the locks that it takes. If it can't get them
	// the program must still end.
	sleep(5);
	_exit(2);
}

static void *watch(void *unused) {
	(void)unused;
	int64_t pause = limit / 8;
	if (pause > 500000000) pause = 500000000;
	if (pause < 1000000) pause = 1000000;
	struct timespec t = {pause / 1000000000, pause % 1000000000};
	for (;;) {
		nanosleep(&t, NULL);
		int64_t at = now();
		for (int i = 0; i < SLOTS; i++) {
			slot *s = &slots[i];
			int64_t start = atomic_load_explicit(&s->start, memory_order_acquire);
			if (start != 0 && at - start > limit) end_program(s, at - start);
		}
	}
	return NULL;
}

int seam_guard_start(int64_t limit_ns) {
	limit = limit_ns;
	int err = pthread_key_create(&release, give_back);
	if (err != 0) return err;
	// The watching thread takes no signals: they are meant for Go's threads.
	sigset_t all, old;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	pthread_t t;
	err = pthread_create(&t, NULL, watch, NULL);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (err == 0) pthread_detach(t);
	return err;
}

int seam_symbol(uintptr_t addr, char *buf, int size) {
	Dl_info info;
	if (dladdr((void *)addr, &info) == 0 || info.dli_sname == NULL) return 0;
	if ((uintptr_t)info.dli_saddr != addr) return 0;
	snprintf(buf, size, "%s", info.dli_sname);
	return 1;
}
