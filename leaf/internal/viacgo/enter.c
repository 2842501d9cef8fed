#define _GNU_SOURCE
#include "enter.h"

#include <stddef.h>

#ifndef _WIN32
#include "thread.h"
#include <dlfcn.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

// What a thread is doing now, for the watching thread to read. All fields are words, which
// are atomic on every target without a library.
typedef struct {
	_Atomic uintptr_t taken;
	_Atomic uintptr_t call;  // the number of the leaf call, or 0 outside of one
	_Atomic uintptr_t name;  // const char *
	_Atomic uintptr_t fn;
	pthread_t thread;

	// Only the watching thread uses these.
	uintptr_t seen;  // the call it saw last
	int64_t ran;     // for how long it has seen that call
} slot;

enum { SLOTS = 4096 };

static slot slots[SLOTS];
static slot unwatched;  // for threads beyond the table
static __thread slot *mine;
static __thread uintptr_t calls;  // made by this thread
static pthread_key_t release;

static void say(const char *line, int n, int size) {
	if (n > size - 1) n = size - 1;
	if (write(2, line, n) < 0) { /* there is nobody left to tell */ }
}

// give_back runs when a thread ends.
static void give_back(void *v) {
	slot *s = v;
	mine = NULL;
	if (atomic_exchange(&s->call, 0) != 0) {
		char line[256];
		int n = snprintf(line, sizeof line,
			"seam: leaf: C function %s ended its thread inside a leaf call. Ending the program.\n",
			(const char *)atomic_load(&s->name));
		say(line, n, sizeof line);
		abort();
	}
	atomic_store(&s->taken, 0);
}

static slot *take(void) {
	for (int i = 0; i < SLOTS; i++) {
		uintptr_t no = 0;
		if (atomic_compare_exchange_strong(&slots[i].taken, &no, 1)) {
			slots[i].thread = pthread_self();
			pthread_setspecific(release, &slots[i]);
			return &slots[i];
		}
	}
	return &unwatched;
}

static void measured(seam_request *r, int (*fn)(void *)) {
	if (mine == NULL) mine = take();
	if (++calls == 0) calls = 1;
	slot *s = mine;
	atomic_store_explicit(&s->name, (uintptr_t)r->name, memory_order_relaxed);
	atomic_store_explicit(&s->fn, r->fn, memory_order_relaxed);
	atomic_store_explicit(&s->call, calls, memory_order_release);
	int64_t start = csys_now();
	r->ret = fn((void *)r->arg);
	r->ns = csys_now() - start;
	atomic_store_explicit(&s->call, 0, memory_order_release);
}

static int64_t limit;

static void end_program(slot *s) {
	char line[512];
	const char *name = (const char *)atomic_load(&s->name);
	uintptr_t fn = atomic_load(&s->fn);
	// Was it the same call all the time?
	if (atomic_load(&s->call) != s->seen) return;
	int n = snprintf(line, sizeof line,
		"seam: leaf: C function %s (at 0x%" PRIxPTR ") has not returned for %.3f s (SEAM_GUARD_LIMIT is %.3f s). "
		"It stops the garbage collector and with it the program: call it through cgo instead. "
		"Ending the program with SIGABRT in the stuck thread.\n",
		name, fn, s->ran / 1e9, limit / 1e9);
	say(line, n, sizeof line);
	pthread_kill(s->thread, SIGABRT);
	// The runtime's report takes locks. If it can't get them the program must still
	// end.
	sleep(5);
	_exit(2);
}

static void *watch(void *unused) {
	(void)unused;
	int64_t pause = limit / 8;
	if (pause > 500000000) pause = 500000000;
	if (pause < 1000000) pause = 1000000;
	struct timespec t = {pause / 1000000000, pause % 1000000000};
	for (int64_t before = csys_now();;) {
		nanosleep(&t, NULL);
		int64_t at = csys_now(), passed = at - before;
		before = at;
		// A program that was stopped (SIGSTOP, a debugger) has not run for all that
		// time.
		if (passed > 2 * pause) passed = 2 * pause;
		for (int i = 0; i < SLOTS; i++) {
			slot *s = &slots[i];
			uintptr_t call = atomic_load_explicit(&s->call, memory_order_acquire);
			if (call != s->seen) {
				s->seen = call;
				s->ran = 0;
			} else if (call != 0) {
				s->ran += passed;
				if (s->ran > limit) end_program(s);
			}
		}
	}
	return NULL;
}

int seam_guard_start(int64_t limit_ns) {
	limit = limit_ns;
	int err = pthread_key_create(&release, give_back);
	if (err != 0) return err;
	pthread_t t;
	return csys_start(watch, NULL, 0, 0, &t);
}

int seam_symbol(uintptr_t addr, char *buf, int size) {
	Dl_info info;
	if (dladdr((void *)addr, &info) == 0 || info.dli_sname == NULL) return 0;
	if ((uintptr_t)info.dli_saddr != addr) return 0;
	snprintf(buf, size, "%s", info.dli_sname);
	return 1;
}

#else  // _WIN32: no guard, and only the names given to Of

#include <errno.h>

static void measured(seam_request *r, int (*fn)(void *)) { r->ret = fn((void *)r->arg); }

int seam_guard_start(int64_t limit_ns) {
	(void)limit_ns;
	return ENOSYS;
}

int seam_symbol(uintptr_t addr, char *buf, int size) {
	(void)addr, (void)buf, (void)size;
	return 0;
}

#endif

seam_leaf_standin seamleaf_standins_v1[2];

int seam_leaf_enter(void *v) {
	seam_request *r = v;
	if ((uintptr_t)r != r->self) return 0;
	int (*fn)(void *) = (int (*)(void *))r->fn;
	if (r->name != NULL)
		measured(r, fn);
	else
		r->ret = fn((void *)r->arg);
	r->done = 1;
	return 0;
}
