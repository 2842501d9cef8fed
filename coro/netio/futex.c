//go:build cgo && linux && !android && (amd64 || arm64) && !msan

/* Futexes that are asked for by syscall(): so wait C++20's barriers, latches, semaphores and
 * atomic variables, Rust's library, and libraries with locks of their own. And what libc and
 * libstdc++ do by futexes: barriers, and the static variables of C++ functions.
 *
 * In a coroutine the kernel says, by a wait that ends at once, whether the word still has the
 * value; who wakes a word wakes its coroutines first. A wait may end without cause, for which
 * who uses futexes has to be prepared. */

#include "netio.h"
#include "locks.h"
#ifdef SEAM_HAS_LOCKS

#include <string.h>

int netio_cxa_guard_acquire(uint32_t *guard) LIBC_WEAK(__cxa_guard_acquire);
void netio_cxa_guard_release(uint32_t *guard) LIBC_WEAK(__cxa_guard_release);
void netio_cxa_guard_abort(uint32_t *guard) LIBC_WEAK(__cxa_guard_abort);

/* A coroutine waits for a word. a is the system call's arguments. */
static long wait_word(seam_coro *co, const long *a) {
	const struct timespec zero = {0, 0}, *end = (const struct timespec *)a[3];
	int64_t deadline = FOREVER, look, t, pause;
	int keep = get_errno(), why;
	struct waiter w;
	long r;
	if (end && (a[1] & FUTEX_CMD_MASK) == FUTEX_WAIT)
		deadline = end->tv_sec > INT64_MAX / 2000000000 ? FOREVER : after(end->tv_sec * INT64_C(1000000000) + end->tv_nsec);
	else if (end)
		deadline = absolute(a[1] & FUTEX_CLOCK_REALTIME ? CLOCK_REALTIME : CLOCK_MONOTONIC, end);
	for (pause = LOOK_AGAIN;; pause = pause < LOOK_SELDOM ? pause + pause / 4 : pause) {
		enlist(&w, co, (const void *)a[0]);
		do
			r = own.syscall(SYS_futex, a[0], FUTEX_WAIT | (a[1] & FUTEX_PRIVATE_FLAG), a[2], &zero, 0L, 0L);
		while (r != 0 && get_errno() == EINTR);
		if (r == 0 || get_errno() != ETIMEDOUT) {
			why = r == 0 ? keep : get_errno();
			delist(&w);
			set_errno(why);
			return r;
		}
		t = now();
		look = t + pause;
		if (t < deadline)
			suspend_waiter(co, look < deadline ? look : deadline);
		if (delist(&w)) {
			set_errno(keep);
			return 0;
		}
		if (t >= deadline)
			return fail(ETIMEDOUT);
	}
}

static long wake_word(const long *a) {
	int all = (a[1] & FUTEX_CMD_MASK) == FUTEX_WAKE_BITSET && (uint32_t)a[5] != FUTEX_BITSET_MATCH_ANY;
	long most = (int)a[2] < 1 ? 1 : (int)a[2], woken = wake_waiters((const void *)a[0], all ? INT32_MAX : (int)most), more;
	if (all)
		woken = 0; /* which of them are meant only the kernel knows */
	if (woken >= most)
		return woken;
	more = own.syscall(SYS_futex, a[0], a[1], most - woken, a[3], a[4], a[5]);
	return more < 0 && woken == 0 ? more : woken + (more < 0 ? 0 : more);
}

long netio_syscall(long number, ...) {
	long a[6];
	seam_coro *any, *co = sharing(&any);
	SYSTEM_CALL_WORDS(a, number);
	need_own();
	if (number == SYS_futex) {
		const struct timespec *t = (const struct timespec *)a[3];
		switch (a[1] & FUTEX_CMD_MASK) {
		case FUTEX_WAIT:
		case FUTEX_WAIT_BITSET:
			if (co && !(t && (t->tv_sec < 0 || bad_time(t))))
				return wait_word(co, a);
			break;
		case FUTEX_WAKE:
		case FUTEX_WAKE_BITSET:
			return wake_word(a);
		case FUTEX_REQUEUE:
		case FUTEX_CMP_REQUEUE:
		case FUTEX_WAKE_OP:
			wake_waiters((const void *)a[0], INT32_MAX);
			wake_waiters((const void *)a[4], INT32_MAX);
		}
	}
	return plain_syscall(number, a);
}

/* until_word waits, on a coroutine or a thread, while the word has the value. */
static void until_word(uint32_t *word, uint32_t value) {
	while (__atomic_load_n(word, __ATOMIC_ACQUIRE) == value)
		netio_syscall(SYS_futex, word, (long)FUTEX_WAIT_PRIVATE, (long)value, NULL, 0L, 0L);
}

static void wake_word_of(uint32_t *word) { netio_syscall(SYS_futex, word, (long)FUTEX_WAKE_PRIVATE, (long)INT_MAX, NULL, 0L, 0L); }

/* ---- barriers
 *
 * All of a process's own are ours, since threads and coroutines may meet at one. libc's wait would
 * keep a worker, and with it perhaps those that are waited for. libc's struct takes 20 bytes of 32, so
 * what it has made (one that processes share, one that was made before we were there) is not mistaken
 * for ours. */

#define BARRIER_MAGIC UINT64_C(0x7265697272616273)

struct barrier {
	uint64_t state; /* the round, and in the lower half how many have come to it */
	uint32_t count;
	uint32_t inside; /* calls that still look at it */
	uint32_t unused[2];
	uint64_t magic;
};
typedef char barrier_fits[sizeof(struct barrier) <= sizeof(pthread_barrier_t) ? 1 : -1];

int netio_pthread_barrier_init(pthread_barrier_t *b, const pthread_barrierattr_t *how, unsigned count) {
	int shared = PTHREAD_PROCESS_PRIVATE, r;
	struct barrier *ours = (struct barrier *)b;
	need_own();
	r = own.pthread_barrier_init(b, how, count);
	if (r != 0)
		return r;
	if (how)
		pthread_barrierattr_getpshared(how, &shared);
	ours->magic = 0;
	if (shared == PTHREAD_PROCESS_PRIVATE) {
		memset(ours, 0, sizeof *ours);
		ours->count = count;
		ours->magic = BARRIER_MAGIC;
	}
	return 0;
}

int netio_pthread_barrier_wait(pthread_barrier_t *b) {
	struct barrier *ours = (struct barrier *)b;
	need_own();
	if (ours->magic != BARRIER_MAGIC)
		return otherwise_pthread_barrier_wait(here(), b);
	__atomic_fetch_add(&ours->inside, 1, __ATOMIC_RELAXED);
	uint64_t s = __atomic_load_n(&ours->state, __ATOMIC_RELAXED), n;
	int last;
	do {
		last = (uint32_t)s + 1 == ours->count;
		n = last ? ((s >> 32) + 1) << 32 : s + 1;
	} while (!__atomic_compare_exchange_n(&ours->state, &s, n, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
	uint32_t *round = (uint32_t *)&ours->state + 1; /* the upper half */
	if (last)
		wake_word_of(round);
	else
		until_word(round, (uint32_t)(s >> 32));
	__atomic_fetch_sub(&ours->inside, 1, __ATOMIC_RELEASE);
	return last ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}

/* Who is on the way out of a round may be there yet. */
int netio_pthread_barrier_destroy(pthread_barrier_t *b) {
	struct barrier *ours = (struct barrier *)b;
	seam_coro *co = here();
	const struct timespec pause = {0, 50000};
	need_own();
	if (ours->magic != BARRIER_MAGIC)
		return own.pthread_barrier_destroy(b);
	while (__atomic_load_n(&ours->inside, __ATOMIC_ACQUIRE) != 0)
		if (co)
			suspend_waiter(co, after(pause.tv_nsec));
		else
			libc.nanosleep(&pause, NULL);
	ours->magic = 0;
	return 0;
}

/* ---- the static variables of C++ functions
 *
 * Another coroutine may come to the variable while one makes it and waits. The word is used as
 * libstdc++ uses it: a library may have a copy of that. */

enum { GUARD_MADE = 1, GUARD_BEGUN = 1 << 8, GUARD_AWAITED = 1 << 16 };

int netio_cxa_guard_acquire(uint32_t *guard) {
	uint32_t s = __atomic_load_n(guard, __ATOMIC_ACQUIRE);
	for (;;) {
		if (s & GUARD_MADE)
			return 0;
		if (s == 0) {
			if (__atomic_compare_exchange_n(guard, &s, GUARD_BEGUN, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
				return 1;
			continue;
		}
		if (!(s & GUARD_AWAITED) && !__atomic_compare_exchange_n(guard, &s, s | GUARD_AWAITED, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			continue;
		until_word(guard, s | GUARD_AWAITED);
		s = __atomic_load_n(guard, __ATOMIC_ACQUIRE);
	}
}

static void guard_ends(uint32_t *guard, uint32_t state) {
	if (__atomic_exchange_n(guard, state, __ATOMIC_ACQ_REL) & GUARD_AWAITED)
		wake_word_of(guard);
}

void netio_cxa_guard_release(uint32_t *guard) { guard_ends(guard, GUARD_MADE); }
void netio_cxa_guard_abort(uint32_t *guard) { guard_ends(guard, 0); }

#endif
