/* C in coro functions that waits.
 *
 * To Go's runtime a goroutine in such C is running. So once that has lasted for 10 ms, or while
 * the world is to be stopped, its thread gets SIGURG; one in a cgo call gets none. After a signal these functions
 * fail with EINTR, even if its handler has SA_RESTART (signal(7)), and there are libraries that take
 * that for an error. So they wait with SIGURG blocked. Nothing comes later by that: the
 * goroutine can't be stopped before C returns.
 *
 * Meanwhile the goroutine has its processor, and who stops the world waits for it. If it waits for Go
 * code of this program, that is for ever. So after SIGURG_MS it calls Go, which makes a cgo call that waits for
 * the rest. Not at once: C may have a lock. Others that wait for that in coro C have processors too, and if they have
 * all, the wait doesn't come back from Go. SQLite, for one, sleeps with locks, for 100 ms at most.
 *
 * Other signals end the wait as ever, but between its two parts, as before a wait. Sockets with SO_RCVTIMEO or SO_SNDTIMEO, sem_timedwait and
 * System V's semaphores and queues are left as they are. */

#define SIGURG_MS 200

/* As in seam_weld.h. No package that calls C by coro: no gate. */
struct _seam_gate {
	void (*from_c)(void (*f)(void *), void *a, int n, size_t context);
	void *slowly;
	int (*in_coro)(void);
	void (*wait)(void *);
};
extern struct _seam_gate _seam_gate_v1 __attribute__((weak, visibility("hidden")));

static struct seam_netio_libc sigurg_next;
static pid_t sigurg_owner;

/* sigurg_block_here tells whether SIGURG wasn't blocked and is now. */
static int sigurg_block_here(void) {
	sigset_t urgent, before;
	sigemptyset(&urgent);
	sigaddset(&urgent, SIGURG);
	return pthread_sigmask(SIG_BLOCK, &urgent, &before) == 0 && sigismember(&before, SIGURG) == 0;
}

/* sigurg_block does so in C of a coro function. */
static int sigurg_block(void) {
	int (*in_coro)(void) = &_seam_gate_v1 ? __atomic_load_n(&_seam_gate_v1.in_coro, __ATOMIC_ACQUIRE) : NULL;
	return in_coro && in_coro() && sigurg_block_here();
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

/* sigurg_call is what Go is to call by cgo. Go knows the first word. Arguments and results of all
 * these functions are integers and pointers, which calling conventions treat alike. */
struct sigurg_call {
	int (*run)(void *);
	long (*f)(long, long, long, long, long, long);
	long a[6], result;
	int error;
};

/* What Go sent before its cgo call may come now. */
static int sigurg_run(void *p) {
	struct sigurg_call *c = p;
	int blocked = sigurg_block_here();
	c->result = c->f(c->a[0], c->a[1], c->a[2], c->a[3], c->a[4], c->a[5]);
	c->error = errno;
	if (blocked)
		sigurg_unblock();
	return 0;
}

/* sigurg_may_call_go: not on a signal stack, as with cgo, and not in a child process. */
static int sigurg_may_call_go(void) {
	stack_t s;
	return sigaltstack(NULL, &s) == 0 && !(s.ss_flags & SS_ONSTACK) && getpid() == sigurg_owner;
}

static int sigurg_by_go(struct sigurg_call *c) {
	c->run = sigurg_run;
	if (sigurg_may_call_go())
		_seam_gate_v1.from_c(_seam_gate_v1.wait, c, sizeof *c, 0);
	else
		sigurg_run(c);
	errno = c->error;
	return (int)c->result;
}

/* ---- waits for time, and nobody else */

#define SIGURG_SLEEPS(F) \
	F(int, nanosleep, (const struct timespec *t, struct timespec *left), (t, left)) \
	F(int, clock_nanosleep, (clockid_t clock, int flags, const struct timespec *t, struct timespec *left), (clock, flags, t, left)) \
	F(int, usleep, (useconds_t us), (us)) \
	F(unsigned, sleep, (unsigned seconds), (seconds))

#define SIGURG_SLEEP(result, name, parameters, arguments) \
	static result sigurg_##name parameters { \
		int blocked = sigurg_block(); \
		result r = sigurg_next.name arguments; \
		if (blocked) \
			sigurg_unblock(); \
		return r; \
	}
SIGURG_SLEEPS(SIGURG_SLEEP)

/* ---- waits for others */

#define SIGURG_POLLS(F) \
	F(int, poll, (struct pollfd *fds, nfds_t n, int ms), (fds, n, ms)) \
	F(int, ppoll, (struct pollfd *fds, nfds_t n, const struct timespec *t, const sigset_t *mask), (fds, n, t, mask)) \
	F(int, select, (int n, fd_set *in, fd_set *out, fd_set *other, struct timeval *t), (n, in, out, other, t)) \
	F(int, pselect, (int n, fd_set *in, fd_set *out, fd_set *other, const struct timespec *t, const sigset_t *mask), (n, in, out, other, t, mask)) \
	F(int, epoll_wait, (int ep, struct epoll_event *e, int max, int ms), (ep, e, max, ms)) \
	F(int, epoll_pwait, (int ep, struct epoll_event *e, int max, int ms, const sigset_t *mask), (ep, e, max, ms, mask)) \
	F(int, epoll_pwait2, (int ep, struct epoll_event *e, int max, const struct timespec *t, const sigset_t *mask), (ep, e, max, t, mask))

#define SIGURG_NS (SIGURG_MS * 1000000L)

static const struct timespec sigurg_first = {.tv_nsec = SIGURG_NS};

static int sigurg_zero(const struct timespec *t) { return t && t->tv_sec == 0 && t->tv_nsec == 0; }

/* sigurg_long tells whether a time, NULL for ever, is longer than the first wait, and what is left then. */
static int sigurg_long(const struct timespec *t, struct timespec *rest) {
	if (!t)
		return 1;
	if (t->tv_sec < 0 || t->tv_nsec < 0 || t->tv_nsec >= 1000000000 || (t->tv_sec == 0 && t->tv_nsec <= SIGURG_NS))
		return 0;
	rest->tv_sec = t->tv_sec - (t->tv_nsec < SIGURG_NS);
	rest->tv_nsec = t->tv_nsec - SIGURG_NS + (t->tv_nsec < SIGURG_NS ? 1000000000 : 0);
	return 1;
}

#define A(x) ((long)(x))
#define BY_GO(name, ...) \
	struct sigurg_call c = {.f = (long (*)(long, long, long, long, long, long))(void *)sigurg_next.name, .a = {__VA_ARGS__}}; \
	return sigurg_by_go(&c)

static int sigurg_poll(struct pollfd *fds, nfds_t n, int ms) {
	int r, lasts = ms < 0 || ms > SIGURG_MS;
	if (ms == 0 || !sigurg_block())
		return sigurg_next.poll(fds, n, ms);
	r = sigurg_next.poll(fds, n, lasts ? SIGURG_MS : ms);
	sigurg_unblock();
	if (r != 0 || !lasts)
		return r;
	BY_GO(poll, A(fds), A(n), A(ms < 0 ? ms : ms - SIGURG_MS));
}

static int sigurg_ppoll(struct pollfd *fds, nfds_t n, const struct timespec *t, const sigset_t *mask) {
	struct timespec rest;
	sigset_t with;
	int r, lasts = sigurg_long(t, &rest);
	if (sigurg_zero(t) || !sigurg_block())
		return sigurg_next.ppoll(fds, n, t, mask);
	r = sigurg_next.ppoll(fds, n, lasts ? &sigurg_first : t, sigurg_with(mask, &with));
	sigurg_unblock();
	if (r != 0 || !lasts)
		return r;
	BY_GO(ppoll, A(fds), A(n), A(t ? &rest : NULL), A(mask ? &with : NULL));
}

static int sigurg_epoll_pwait(int ep, struct epoll_event *e, int max, int ms, const sigset_t *mask) {
	sigset_t with;
	int r, lasts = ms < 0 || ms > SIGURG_MS;
	if (ms == 0 || !sigurg_block())
		return sigurg_next.epoll_pwait(ep, e, max, ms, mask);
	r = sigurg_next.epoll_pwait(ep, e, max, lasts ? SIGURG_MS : ms, sigurg_with(mask, &with));
	sigurg_unblock();
	if (r != 0 || !lasts)
		return r;
	BY_GO(epoll_pwait, A(ep), A(e), A(max), A(ms < 0 ? ms : ms - SIGURG_MS), A(mask ? &with : NULL));
}

static int sigurg_epoll_wait(int ep, struct epoll_event *e, int max, int ms) { return sigurg_epoll_pwait(ep, e, max, ms, NULL); }

static int sigurg_epoll_pwait2(int ep, struct epoll_event *e, int max, const struct timespec *t, const sigset_t *mask) {
	struct timespec rest;
	sigset_t with;
	int r, lasts = sigurg_long(t, &rest);
	if (sigurg_zero(t) || !sigurg_block())
		return sigurg_next.epoll_pwait2(ep, e, max, t, mask);
	r = sigurg_next.epoll_pwait2(ep, e, max, lasts ? &sigurg_first : t, sigurg_with(mask, &with));
	sigurg_unblock();
	if (r != 0 || !lasts)
		return r;
	BY_GO(epoll_pwait2, A(ep), A(e), A(max), A(t ? &rest : NULL), A(mask ? &with : NULL));
}

/* A wait that found nothing has emptied the sets. Longer ones than fd_set stay as they are. */
static void sigurg_copy(fd_set *to, const fd_set *from) {
	if (from)
		*to = *from;
}

static int sigurg_pselect(int n, fd_set *in, fd_set *out, fd_set *other, const struct timespec *t, const sigset_t *mask) {
	struct timespec rest;
	fd_set all[3];
	sigset_t with;
	int r, lasts = sigurg_long(t, &rest) && n <= FD_SETSIZE;
	if (sigurg_zero(t) || !sigurg_block())
		return sigurg_next.pselect(n, in, out, other, t, mask);
	if (lasts) {
		sigurg_copy(&all[0], in);
		sigurg_copy(&all[1], out);
		sigurg_copy(&all[2], other);
	}
	r = sigurg_next.pselect(n, in, out, other, lasts ? &sigurg_first : t, sigurg_with(mask, &with));
	sigurg_unblock();
	if (r != 0 || !lasts)
		return r;
	if (in)
		*in = all[0];
	if (out)
		*out = all[1];
	if (other)
		*other = all[2];
	BY_GO(pselect, A(n), A(in), A(out), A(other), A(t ? &rest : NULL), A(mask ? &with : NULL));
}

/* Linux writes into the time what is left of it. */
static int sigurg_select(int n, fd_set *in, fd_set *out, fd_set *other, struct timeval *t) {
	struct timespec time, before, after;
	int r, error;
	if (!t || t->tv_sec < 0 || t->tv_usec < 0 || (t->tv_sec == 0 && t->tv_usec == 0))
		return t ? sigurg_next.select(n, in, out, other, t) : sigurg_pselect(n, in, out, other, NULL, NULL);
	time.tv_sec = t->tv_sec + t->tv_usec / 1000000;
	time.tv_nsec = t->tv_usec % 1000000 * 1000;
	clock_gettime(CLOCK_MONOTONIC, &before);
	r = sigurg_pselect(n, in, out, other, &time, NULL);
	error = errno;
	clock_gettime(CLOCK_MONOTONIC, &after);
	errno = error;
	after.tv_sec = time.tv_sec - (after.tv_sec - before.tv_sec);
	after.tv_nsec = time.tv_nsec - (after.tv_nsec - before.tv_nsec);
	if (after.tv_nsec < 0)
		after.tv_sec--, after.tv_nsec += 1000000000;
	else if (after.tv_nsec >= 1000000000)
		after.tv_sec++, after.tv_nsec -= 1000000000;
	t->tv_sec = r == 0 || after.tv_sec < 0 ? 0 : after.tv_sec;
	t->tv_usec = r == 0 || after.tv_sec < 0 ? 0 : after.tv_nsec / 1000;
	return r;
}

/* A program with package coro's netio has libc's names from there. Both tables are changed alike: they
 * are compared (netio.c). */
extern struct seam_netio_libc sigurg_theirs __asm__("seam_" "netio_libc") __attribute__((weak));

static __attribute__((constructor(102))) void sigurg_replace(void) {
	int shared = &sigurg_theirs && memcmp(&sigurg_theirs, &libc, sizeof libc) == 0;
	sigurg_next = libc;
	sigurg_owner = getpid();
#define SIGURG_REPLACE(result, name, parameters, arguments) \
	libc.name = sigurg_##name; \
	if (shared) \
		sigurg_theirs.name = sigurg_##name;
	SIGURG_SLEEPS(SIGURG_REPLACE)
	SIGURG_POLLS(SIGURG_REPLACE)
}
