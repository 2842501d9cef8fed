/* C in coro functions that waits.
 *
 * To Go's runtime a goroutine in such C is running. So once that has lasted for 10 ms, or while
 * the world is to be stopped, its thread gets SIGURG; one in a cgo call gets none. After a signal these functions
 * fail with EINTR, even if its handler has SA_RESTART (signal(7)), and there are libraries that take
 * that for an error. So they wait with SIGURG blocked. Nothing comes later by that: the
 * goroutine can't be stopped before C returns.
 *
 * Other signals end the wait as ever. A descriptor's timeout (SO_RCVTIMEO), sem_timedwait and
 * System V's semaphores and queues are left as they are. */

/* As in seam_weld.h. No package that calls C by coro: no gate. */
struct _seam_gate {
	void *from_c, *slowly;
	int (*in_coro)(void);
};
extern struct _seam_gate _seam_gate_v1 __attribute__((weak, visibility("hidden")));

/* sigurg_block tells whether the thread is in C of a coro function, and SIGURG wasn't blocked and is now. */
static int sigurg_block(void) {
	int (*in_coro)(void) = &_seam_gate_v1 ? __atomic_load_n(&_seam_gate_v1.in_coro, __ATOMIC_ACQUIRE) : NULL;
	sigset_t urgent, before;
	if (!in_coro || !in_coro())
		return 0;
	sigemptyset(&urgent);
	sigaddset(&urgent, SIGURG);
	return pthread_sigmask(SIG_BLOCK, &urgent, &before) == 0 && sigismember(&before, SIGURG) == 0;
}

static void sigurg_unblock(void) {
	sigset_t urgent;
	sigemptyset(&urgent);
	sigaddset(&urgent, SIGURG);
	pthread_sigmask(SIG_UNBLOCK, &urgent, NULL);
}

/* sigurg_with returns mask, which a wait puts in the place of the thread's, with SIGURG in it. */
static const sigset_t *sigurg_with(const sigset_t *mask, sigset_t *with) {
	if (!mask)
		return NULL;
	*with = *mask;
	sigaddset(with, SIGURG);
	return with;
}

static int sigurg_zero(const struct timespec *t) { return t && t->tv_sec == 0 && t->tv_nsec == 0; }

static struct seam_netio_libc sigurg_next;

/* waits: it may do so. mask: with, if the function has one, while SIGURG is blocked. */
#define SIGURG_WAITS(F) \
	F(int, poll, (struct pollfd *fds, nfds_t n, int ms), (fds, n, ms), ms != 0, ) \
	F(int, ppoll, (struct pollfd *fds, nfds_t n, const struct timespec *t, const sigset_t *mask), (fds, n, t, mask), !sigurg_zero(t), MASK) \
	F(int, select, (int n, fd_set *in, fd_set *out, fd_set *other, struct timeval *t), (n, in, out, other, t), !t || t->tv_sec || t->tv_usec, ) \
	F(int, pselect, (int n, fd_set *in, fd_set *out, fd_set *other, const struct timespec *t, const sigset_t *mask), (n, in, out, other, t, mask), !sigurg_zero(t), MASK) \
	F(int, epoll_wait, (int ep, struct epoll_event *e, int max, int ms), (ep, e, max, ms), ms != 0, ) \
	F(int, epoll_pwait, (int ep, struct epoll_event *e, int max, int ms, const sigset_t *mask), (ep, e, max, ms, mask), ms != 0, MASK) \
	F(int, epoll_pwait2, (int ep, struct epoll_event *e, int max, const struct timespec *t, const sigset_t *mask), (ep, e, max, t, mask), !sigurg_zero(t), MASK) \
	F(int, nanosleep, (const struct timespec *t, struct timespec *left), (t, left), 1, ) \
	F(int, clock_nanosleep, (clockid_t clock, int flags, const struct timespec *t, struct timespec *left), (clock, flags, t, left), 1, ) \
	F(int, usleep, (useconds_t us), (us), 1, ) \
	F(unsigned, sleep, (unsigned seconds), (seconds), 1, )

#define MASK \
	sigset_t with; \
	if (blocked) \
		mask = sigurg_with(mask, &with);
#define SIGURG_DEFINE(result, name, parameters, arguments, waits, mask) \
	static result sigurg_##name parameters { \
		int blocked = (waits) && sigurg_block(); \
		result r; \
		mask \
		r = sigurg_next.name arguments; \
		if (blocked) \
			sigurg_unblock(); \
		return r; \
	}
SIGURG_WAITS(SIGURG_DEFINE)

/* A program with package coro's netio has libc's names from there. Both tables are changed alike: they
 * are compared (netio.c). */
extern struct seam_netio_libc sigurg_theirs __asm__("seam_" "netio_libc") __attribute__((weak));

static __attribute__((constructor(102))) void sigurg_replace(void) {
	int shared = &sigurg_theirs && memcmp(&sigurg_theirs, &libc, sizeof libc) == 0;
	sigurg_next = libc;
#define SIGURG_REPLACE(result, name, parameters, arguments, waits, mask) \
	libc.name = sigurg_##name; \
	if (shared) \
		sigurg_theirs.name = sigurg_##name;
	SIGURG_WAITS(SIGURG_REPLACE)
}
