//go:build cgo && linux && !android && (amd64 || arm64) && !msan

// What netio asks of package coro.
#include "netio.h"
#include "locks.h"

extern seam_coro *seam_coro_elsewhere(void) __attribute__((weak));
extern int seam_coro_due(seam_coro *co) __attribute__((weak));
extern void seam_coro_switched(seam_coro *co) __attribute__((weak));
extern uint32_t *seam_coro_owns(seam_coro *co) __attribute__((weak));
extern void seam_coro_wake(seam_coro *co) __attribute__((weak));
extern int (*seam_coro_brief)(uint64_t) __attribute__((weak));

#ifdef SEAM_HAS_LOCKS
static __attribute__((constructor)) void tell_of_lists(void) {
	if (&seam_coro_brief)
		seam_coro_brief = is_list_lock;
}
#endif

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
	if (unlikely(is_child())) {
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

void let_others_run(seam_coro *co) {
	if (is_child())
		return;
	int keep = get_errno();
	pause_for_ns(co, 0);
	set_errno(keep);
}

void give_way(seam_coro *co) {
	if (unlikely(seam_coro_due && seam_coro_due(co)))
		let_others_run(co);
}

const void *owner_of(const seam_coro *co) { return co; }

uint32_t *owns(const void *owner) {
	static uint32_t nobody_asks;
	return seam_coro_owns ? seam_coro_owns((seam_coro *)owner) : &nobody_asks;
}

void asks_for_stack(seam_coro *co, char **low, char **high) {
	*low = co->stack_low;
	*high = co->stack_high;
}

struct through_go {
	go_call *f;
	const long *a;
	long result;
	int masks, error, host_error;
	sigset_t mask;
};

static void run_through_go(void *arg) {
	struct through_go *c = arg;
	sigset_t before;
	if (c->masks)
		pthread_sigmask(SIG_SETMASK, &c->mask, &before);
	set_errno(c->error);
	c->result = c->f(c->a[0], c->a[1], c->a[2], c->a[3], c->a[4], c->a[5], c->a[6], c->a[7]);
	c->error = get_errno();
	c->host_error = h_errno;
	if (c->masks)
		pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static APART void set_host_error(int e) { h_errno = e; }

long through_go(seam_coro *co, go_call *f, int how, const long *a) {
	struct through_go call = {.f = f, .a = a, .error = get_errno()};
	int elsewhere = !(how & THROUGH_GO_HERE) && shares_thread(co);
	if (how & THROUGH_GO_QUIET || elsewhere) {
		pthread_sigmask(SIG_BLOCK, NULL, &call.mask);
		if (how & THROUGH_GO_QUIET)
			sigaddset(&call.mask, SIGURG);
		call.masks = 1;
	}
	if (is_child())
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
	if (elsewhere)
		set_host_error(call.host_error);
	return call.result;
}
