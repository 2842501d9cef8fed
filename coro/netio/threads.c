//go:build cgo && linux && !android && (amd64 || arm64) && !msan

// Waits for threads, for what is done once, and for signals; the threads of C11.
#include "netio.h"
#include "locks.h"
#ifdef SEAM_HAS_LOCKS

struct joining {
	pthread_t thread;
	void **result;
};

static int try_join(seam_coro *co, void *arg) {
	struct joining *j = arg;
	(void)co;
	return pthread_tryjoin_np(j->thread, j->result);
}

static int join(seam_coro *co, pthread_t t, void **result, int64_t deadline) {
	struct joining j = {t, result};
	return retry_until(co, try_join, &j, EBUSY, deadline);
}

int netio_pthread_join(pthread_t t, void **result) {
	seam_coro *any, *co = sharing(&any);
	need_own();
	return co ? join(co, t, result, FOREVER) : otherwise_pthread_join(any, t, result);
}

int netio_pthread_timedjoin_np(pthread_t t, void **result, const struct timespec *end) {
	seam_coro *any, *co = sharing(&any);
	need_own();
	if (!co || (end && bad_time(end)))
		return otherwise_pthread_timedjoin_np(any, t, result, end);
	return join(co, t, result, end ? absolute(CLOCK_REALTIME, end) : FOREVER);
}

int netio_pthread_clockjoin_np(pthread_t t, void **result, clockid_t clock, const struct timespec *end) {
	seam_coro *any, *co = sharing(&any);
	need_own();
	if (!co || !known(clock) || (end && bad_time(end)))
		return otherwise_pthread_clockjoin_np(any, t, result, clock, end);
	return join(co, t, result, end ? absolute(clock, end) : FOREVER);
}

/* What is done once may wait. Then libc would keep the thread of each other coroutine that comes
 * to it, and with it perhaps that of the one that does it. */
struct once {
	struct once *next;
	const void *control, *owner;
	int64_t since;
};
static struct once *onces; /* under once_lock */

/* A C++ exception that left the function has left its struct in the list, too. libc's word says so, and a struct that is
 * new may only be about to say otherwise. */
static int is_left(const struct once *o) { return !in_progress(o->control) && now() - o->since > INT64_C(100000000); }

static int try_once(seam_coro *co, void *arg) {
	struct once *mine = arg, *o, **at;
	int again = 0, busy = 0;
	(void)co;
	lock_list(&once_lock);
	for (at = &onces; (o = *at);) {
		if (o->control == mine->control) {
			if (is_left(o)) {
				*at = o->next;
				continue;
			}
			again |= o->owner == mine->owner;
			busy |= o->owner != mine->owner;
		}
		at = &o->next;
	}
	busy |= !again && in_progress(mine->control); /* a thread does it */
	if (!busy) {
		mine->since = now();
		mine->next = onces;
		onces = mine;
	}
	unlock_list(&once_lock);
	return busy ? EBUSY : 0;
}

/* begin_once and end_once stand around libc's function. The memory is not on the stack, which a
 * panic in a callback may drop: then it is never done, as with libc. */
static struct once *begin_once(seam_coro *co, const void *control, void (*f)(void)) {
	struct handed_over h = {NULL, NULL};
	struct once *mine = malloc(sizeof *mine);
	if (!mine)
		return NULL;
	mine->control = control;
	mine->owner = owner_of(co);
	hand_over(f, &h, 0);
	wait_until(co, control, try_once, mine, EBUSY, FOREVER);
	hand_over(f, &h, 1);
	return mine;
}

static void end_once(struct once *mine) {
	struct once **at;
	if (!mine)
		return;
	lock_list(&once_lock);
	for (at = &onces; *at; at = &(*at)->next)
		if (*at == mine) {
			*at = mine->next;
			break;
		}
	unlock_list(&once_lock);
	wake_waiters(mine->control, INT32_MAX);
	free(mine);
}

/* The function is called where the caller is, no matter who has the thread: it may use the coroutine, and throw. */
int netio_pthread_once(pthread_once_t *control, void (*f)(void)) {
	seam_coro *co = here();
	struct once *mine;
	int r;
	need_own();
	if (!co || is_done(control))
		return otherwise_pthread_once(NULL, control, f);
	mine = begin_once(co, control, f);
	r = own.pthread_once(control, f);
	end_once(mine);
	return r;
}

/* ---- the threads of C11
 *
 * In glibc they are pthread's under other names: mtx_lock calls pthread_mutex_lock with the same
 * address. A library may have its own instead, with other numbers for success and failure (they
 * are copied from one that is older than glibc's); so only libc's are taken for pthread's,
 * and what comes next is called in any other case. */

/* The coroutine whose call is to be pthread's. */
static seam_coro *c11_sharing(seam_coro **any) {
	seam_coro *co = sharing(any);
	need_own();
	return c11_is_libcs ? co : NULL;
}

int netio_mtx_lock(pthread_mutex_t *m) {
	seam_coro *any;
	return c11_sharing(&any) ? c11_result(netio_pthread_mutex_lock(m)) : otherwise_mtx_lock(any, m);
}

int netio_mtx_trylock(pthread_mutex_t *m) {
	seam_coro *any;
	return c11_sharing(&any) ? c11_result(netio_pthread_mutex_trylock(m)) : own.mtx_trylock(m);
}

int netio_mtx_timedlock(pthread_mutex_t *m, const struct timespec *t) {
	seam_coro *any;
	return c11_sharing(&any) ? c11_result(netio_pthread_mutex_timedlock(m, t)) : otherwise_mtx_timedlock(any, m, t);
}

int netio_mtx_unlock(pthread_mutex_t *m) {
	seam_coro *any;
	int r;
	if (c11_sharing(&any))
		return c11_result(netio_pthread_mutex_unlock(m));
	r = own.mtx_unlock(m);
	wake_waiters(m, 1);
	return r;
}

int netio_cnd_wait(pthread_cond_t *c, pthread_mutex_t *m) {
	seam_coro *any;
	return c11_sharing(&any) ? c11_result(netio_pthread_cond_wait(c, m)) : otherwise_cnd_wait(any, c, m);
}

int netio_cnd_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *t) {
	seam_coro *any;
	return c11_sharing(&any) ? c11_result(netio_pthread_cond_timedwait(c, m, t)) : otherwise_cnd_timedwait(any, c, m, t);
}

int netio_cnd_signal(pthread_cond_t *c) {
	need_own();
	wake_waiters(c, 1);
	return own.cnd_signal(c);
}

int netio_cnd_broadcast(pthread_cond_t *c) {
	need_own();
	wake_waiters(c, INT32_MAX);
	return own.cnd_broadcast(c);
}

int netio_thrd_join(pthread_t t, int *result) {
	seam_coro *any;
	void *r = NULL;
	int error;
	if (!c11_sharing(&any))
		return otherwise_thrd_join(any, t, result);
	error = netio_pthread_join(t, &r);
	if (error == 0 && result)
		*result = (int)(intptr_t)r;
	return c11_result(error);
}

void netio_call_once(pthread_once_t *control, void (*f)(void)) {
	seam_coro *co = here();
	struct once *mine;
	need_own();
	if (!c11_is_libcs || !co || is_done(control)) {
		otherwise_call_once(NULL, control, f);
		return;
	}
	mine = begin_once(co, control, f);
	own.call_once(control, f);
	end_once(mine);
}

int netio_thrd_sleep(const struct timespec *time, struct timespec *left) {
	seam_coro *any;
	int keep = get_errno(), error;
	if (!c11_sharing(&any))
		return otherwise_thrd_sleep(any, time, left);
	error = netio_clock_nanosleep(CLOCK_REALTIME, 0, time, left);
	set_errno(keep);
	return error == 0 ? 0 : error == EINTR ? -1 : -2;
}

/* ---- the processor */

int netio_sched_yield(void) {
	seam_coro *co = here();
	need_own();
	if (!co)
		return otherwise_sched_yield();
	let_others_run(co);
	return own.sched_yield();
}

int netio_thrd_yield(void) {
	need_own();
	return c11_is_libcs && here() ? netio_sched_yield() : otherwise_thrd_yield();
}

/* ---- signals
 *
 * They may be sent to this thread, so no other can wait for them. */

struct signal_wait {
	const sigset_t *set;
	siginfo_t *info;
};

/* The signal, or an error as a negative number. */
static int try_signal(seam_coro *co, void *arg) {
	static const struct timespec zero;
	struct signal_wait *w = arg;
	int keep = get_errno(), r = own.sigtimedwait(w->set, w->info, &zero);
	(void)co;
	if (r < 0)
		r = get_errno() == EINTR ? -EAGAIN : -get_errno();
	set_errno(keep);
	return r;
}

static int wait_signal(seam_coro *co, const sigset_t *set, siginfo_t *info, int64_t deadline) {
	struct signal_wait w = {set, info};
	int r = retry_until(co, try_signal, &w, -EAGAIN, deadline);
	return r == ETIMEDOUT ? -EAGAIN : r; /* which is no signal's number */
}

static int failed(int r) {
	if (r >= 0)
		return r;
	return fail(-r);
}

int netio_sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *t) {
	seam_coro *any, *co = sharing(&any);
	need_own();
	if (!co || (t && (t->tv_sec < 0 || bad_time(t))))
		return otherwise_sigtimedwait(any, set, info, t);
	return failed(wait_signal(co, set, info, t ? after(t->tv_sec > INT64_MAX / 2000000000 ? -1 : t->tv_sec * INT64_C(1000000000) + t->tv_nsec) : FOREVER));
}

int netio_sigwaitinfo(const sigset_t *set, siginfo_t *info) {
	seam_coro *any, *co = sharing(&any);
	need_own();
	return co ? failed(wait_signal(co, set, info, FOREVER)) : otherwise_sigwaitinfo(any, set, info);
}

int netio_sigwait(const sigset_t *set, int *signal) {
	seam_coro *any, *co = sharing(&any);
	int r;
	need_own();
	if (!co)
		return otherwise_sigwait(any, set, signal);
	r = wait_signal(co, set, NULL, FOREVER);
	if (r < 0)
		return -r;
	*signal = r;
	return 0;
}

/* ---- the stack: of collectors, which look for pointers there, and of engines that look at their stack pointer */

int netio_pthread_getattr_np(pthread_t t, pthread_attr_t *a) {
	seam_coro *co = here();
	char *low, *high;
	int r;
	need_own();
	r = own.pthread_getattr_np(t, a);
	if (r != 0 || !co || !pthread_equal(t, pthread_self()))
		return r;
	asks_for_stack(co, &low, &high);
	return pthread_attr_setstack(a, low, (size_t)(high - low));
}

#endif
