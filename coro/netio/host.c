//go:build cgo && linux && !android && (amd64 || arm64) && !msan

// What netio asks of package coro.
#include "netio.h"

extern seam_coro *seam_coro_elsewhere(void) __attribute__((weak));
extern int seam_coro_due(seam_coro *co) __attribute__((weak));
extern void seam_coro_switched(seam_coro *co) __attribute__((weak));
extern void seam_coro_wake(seam_coro *co) __attribute__((weak));

seam_coro *elsewhere(void) { return seam_coro_elsewhere ? seam_coro_elsewhere() : NULL; }

int shares_thread(const seam_coro *co) { return co->flags & SEAM_CORO_SHARES_THREAD; }

void switched(seam_coro *co) {
	if (seam_coro_switched)
		seam_coro_switched(co);
}

static void pause_for_ns(seam_coro *co, int64_t ns) {
	co->op = SEAM_OP_PAUSE_;
	co->n = ns;
	seam_switch_shared_(co);
	switched(co);
}

void suspend_waiter(seam_coro *co, int64_t deadline) {
	if (unlikely(in_vfork_child())) {
		struct timespec t = time_of(1000000);
		libc.clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL);
		return;
	}
	pause_for_ns(co, time_left(deadline));
}

void wake_waiter(seam_coro *co) {
	if (seam_coro_wake)
		seam_coro_wake(co);
}

void give_way(seam_coro *co) {
	if (!unlikely(seam_coro_due && seam_coro_due(co)) || in_vfork_child())
		return;
	int keep = get_errno();
	pause_for_ns(co, 0);
	set_errno(keep);
}

struct through_go {
	go_call *f;
	const long *a;
	long result;
	int quiet, error;
};

static void run_through_go(void *arg) {
	struct through_go *c = arg;
	sigset_t urgent, before;
	if (c->quiet) {
		sigemptyset(&urgent);
		sigaddset(&urgent, SIGURG);
		pthread_sigmask(SIG_BLOCK, &urgent, &before);
	}
	set_errno(c->error);
	c->result = c->f(c->a[0], c->a[1], c->a[2], c->a[3], c->a[4], c->a[5]);
	c->error = get_errno();
	if (c->quiet)
		pthread_sigmask(SIG_SETMASK, &before, NULL);
}

long through_go(seam_coro *co, go_call *f, int how, const long *a) {
	struct through_go call = {.f = f, .a = a, .quiet = how & THROUGH_GO_QUIET, .error = get_errno()};
	if (in_vfork_child())
		run_through_go(&call);
	else {
		co->op = SEAM_OP_BLOCKS_;
		co->id = (uint64_t)(uintptr_t)run_through_go;
		co->ptr = &call;
		co->n = how & THROUGH_GO_HERE ? 1 : 0;
		seam_switch_shared_(co);
		switched(co);
	}
	set_errno(call.error);
	return call.result;
}
