/* C in coro functions that waits.
 *
 * To Go's runtime a goroutine in such C is running: it has its processor, and who stops the world waits for it.
 * C that waits for a lock may so keep the processor that the lock's owner needs, who is in a callback or waits in
 * his turn. So what may wait is called by Go, as a cgo call, during which others get the processor: a lock that
 * another has, a transfer that may block, a sleep. The goroutine's thread is locked (rt/coro.go), so a lock's owner
 * is the thread that asked.
 *
 * Not before a lock was tried: one that is free costs the try and nothing else. Transfers are not
 * tried: what doesn't block is no less work than the call of Go, and for some there is no try that does the same.
 *
 * In Go a thread gets SIGURG, after which some functions fail with EINTR even if its handler has SA_RESTART
 * (signal(7)), and there are libraries that take that for an error. In a cgo call it gets none, but what was sent
 * before may come now. So such functions wait with SIGURG blocked.
 *
 * On a signal stack and in child processes no Go is called. */

#include <sys/mman.h>

/* As in seam_weld.h. No package that calls C by coro: no gate. */
struct _seam_gate {
	void (*from_c)(void (*f)(void *), void *a, int n, size_t context);
	void *slowly;
	int (*in_coro)(void);
	void (*wait)(void *);
};
extern struct _seam_gate _seam_gate_v1 __attribute__((weak, visibility("hidden")));

/* CORO_ELSEWHERE: on another stack than that of a coro function's C, as signal handlers are. */
enum { CORO_NO, CORO_YES, CORO_ELSEWHERE };

static inline int coro_here(void) {
	int (*in_coro)(void) = &_seam_gate_v1 ? __atomic_load_n(&_seam_gate_v1.in_coro, __ATOMIC_ACQUIRE) : NULL;
	return in_coro ? in_coro() : CORO_NO;
}

/* ---- child processes
 *
 * fork tells its child, and what else makes a copy of the process is known by a page that the kernel has wiped there
 * (qemu-user wipes none). A child of vfork runs in its parent's memory, and is known by our vfork. getpid would say it
 * too, but is a system call. */

static const char *own_page; /* NULL: an old kernel */
static pid_t own_pid;
static int own_forked;

static void in_forked(void) { own_forked = 1; }

__thread int seam_parked_vforked PARK __attribute__((tls_model("initial-exec")));

static __attribute__((constructor(101))) void know_process(void) {
	int keep = errno;
	char *page = mmap(NULL, 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	own_pid = getpid();
	pthread_atfork(NULL, NULL, in_forked);
	if (page != MAP_FAILED && madvise(page, 1, 18 /* MADV_WIPEONFORK */) == 0) {
		*page = 1;
		own_page = page;
	}
	errno = keep;
}

static int own_process(void) {
	return !own_forked && !seam_parked_vforked && (own_page ? *own_page : getpid() == own_pid);
}

/* As libc's: the return address is kept in a register, since the child overwrites the stack. The word says in the child that
 * it is one, and in its parent what it said before. */
#if defined(__x86_64__)
__asm__(".pushsection .text\n.weak vfork\n.type vfork, @function\nvfork:\n"
	"	mov seam_parked_vforked@gottpoff(%rip), %rdx\n	mov %fs:(%rdx), %esi\n"
	"	pop %rdi\n	mov $58, %eax\n	syscall\n	push %rdi\n"
	"	test %rax, %rax\n	jnz 1f\n	mov $1, %esi\n"
	"1:	mov %esi, %fs:(%rdx)\n	cmp $-4095, %rax\n	jae 2f\n	ret\n"
	"2:	neg %eax\n	push %rax\n	call __errno_location@PLT\n	pop %rcx\n	mov %ecx, (%rax)\n	mov $-1, %eax\n	ret\n"
	".size vfork, .-vfork\n.popsection\n");
#else
__asm__(".pushsection .text\n.weak vfork\n.type vfork, %function\nvfork:\n"
	"	mrs x9, tpidr_el0\n	adrp x10, :gottprel:seam_parked_vforked\n	ldr x10, [x10, :gottprel_lo12:seam_parked_vforked]\n"
	"	add x9, x9, x10\n	ldr w11, [x9]\n"
	"	mov x0, #0x4111\n	mov x1, sp\n	mov x8, #220\n	svc #0\n" /* clone(CLONE_VM | CLONE_VFORK | SIGCHLD) */
	"	cbnz x0, 1f\n	mov w11, #1\n"
	"1:	str w11, [x9]\n	cmn x0, #4095\n	b.hs 2f\n	ret\n"
	"2:	stp x29, x30, [sp, #-32]!\n	neg x0, x0\n	str x0, [sp, #16]\n	bl __errno_location\n	ldr x1, [sp, #16]\n"
	"	str w1, [x0]\n	mov x0, #-1\n	ldp x29, x30, [sp], #32\n	ret\n"
	".size vfork, .-vfork\n.popsection\n");
#endif

/* ---- calls by Go */

/* Whether SIGURG wasn't blocked and is now. */
static int block_sigurg(void) {
	sigset_t urgent, before;
	sigemptyset(&urgent);
	sigaddset(&urgent, SIGURG);
	return pthread_sigmask(SIG_BLOCK, &urgent, &before) == 0 && sigismember(&before, SIGURG) == 0;
}

static void unblock_sigurg(void) {
	sigset_t urgent;
	sigemptyset(&urgent);
	sigaddset(&urgent, SIGURG);
	pthread_sigmask(SIG_UNBLOCK, &urgent, NULL);
}

typedef long (*by_go_function)(long, long, long, long, long, long);

/* Go knows the first word. */
struct by_go {
	int (*run)(void *);
	by_go_function f;
	long a[6], result;
	int quiet, error;
};

static int run_by_go(void *p) {
	struct by_go *c = p;
	int blocked = c->quiet && block_sigurg();
	errno = c->error;
	c->result = c->f(c->a[0], c->a[1], c->a[2], c->a[3], c->a[4], c->a[5]);
	c->error = errno;
	if (blocked)
		unblock_sigurg();
	return 0;
}

/* quiet: with SIGURG blocked. */
static __attribute__((noinline)) long by_go(int here, void *f, int quiet, long a, long b, long c, long d, long e, long g) {
	struct by_go call = {run_by_go, (by_go_function)f, {a, b, c, d, e, g}, 0, quiet, errno};
	if (here == CORO_YES && own_process())
		_seam_gate_v1.from_c(_seam_gate_v1.wait, &call, sizeof call, 0);
	else {
		call.quiet = 1;
		run_by_go(&call);
	}
	errno = call.error;
	return call.result;
}

/* BY_GO returns f(arguments) from a function, and calls it by Go if C is a coro function's. */
#define BY_GO(result, f, quiet, n, arguments) \
	do { \
		int here = coro_here(); \
		if (__builtin_expect(here == CORO_NO, 1)) \
			return f arguments; \
		return (result)by_go(here, (void *)f, quiet, WORDS##n arguments); \
	} while (0)

/* ---- locks, and what waits for others without a descriptor
 *
 * try_NAME is the function where that needs no wait: it returns 1, and the result. */

static int valid(const struct timespec *t) { return t && t->tv_nsec >= 0 && t->tv_nsec < 1000000000; }

static int known(clockid_t clock) { return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC; }

static inline int tried(int *r, int error) { return (*r = error) != EBUSY; }

static int tried_semaphore(int *r, sem_t *s) {
	int keep = errno;
	if ((*r = sem_trywait(s)) == 0 || errno != EAGAIN)
		return 1;
	errno = keep;
	return 0;
}

static int tried_spinning(int *r, pthread_spinlock_t *l) {
	int i;
	for (i = 0; i < 200; i++) {
		if (tried(r, pthread_spin_trylock(l)))
			return 1;
#if defined(__x86_64__)
		__builtin_ia32_pause();
#else
		__asm__ volatile("yield");
#endif
	}
	return 0;
}

/* A library's own lock is left to it: it waits in libc's. */
static int tried_c11(int *r, pthread_mutex_t *m) {
	*r = 0;
	return c11_is_libcs && pthread_mutex_trylock(m) == 0;
}

#define DONE(once) (__atomic_load_n(once, __ATOMIC_ACQUIRE) & 2) /* glibc */

#define TRY_pthread_mutex_lock tried(&r, pthread_mutex_trylock(m))
#define TRY_pthread_mutex_timedlock tried(&r, pthread_mutex_trylock(m))
#define TRY_pthread_mutex_clocklock (known(clock) && tried(&r, pthread_mutex_trylock(m)))
#define TRY_pthread_cond_wait 0
#define TRY_pthread_cond_timedwait 0
#define TRY_pthread_cond_clockwait 0
#define TRY_pthread_rwlock_rdlock tried(&r, pthread_rwlock_tryrdlock(l))
#define TRY_pthread_rwlock_wrlock tried(&r, pthread_rwlock_trywrlock(l))
#define TRY_pthread_rwlock_timedrdlock (valid(t) && tried(&r, pthread_rwlock_tryrdlock(l)))
#define TRY_pthread_rwlock_timedwrlock (valid(t) && tried(&r, pthread_rwlock_trywrlock(l)))
#define TRY_pthread_rwlock_clockrdlock (known(clock) && valid(t) && tried(&r, pthread_rwlock_tryrdlock(l)))
#define TRY_pthread_rwlock_clockwrlock (known(clock) && valid(t) && tried(&r, pthread_rwlock_trywrlock(l)))
#define TRY_pthread_once (r = 0, DONE(o))
#define TRY_pthread_join 0
#define TRY_pthread_timedjoin_np 0
#define TRY_pthread_clockjoin_np 0
#define TRY_pthread_barrier_wait 0
#define TRY_pthread_spin_lock tried_spinning(&r, l)
#define TRY_sem_wait tried_semaphore(&r, s)
#define TRY_sem_timedwait (valid(t) && tried_semaphore(&r, s))
#define TRY_sem_clockwait (known(clock) && valid(t) && tried_semaphore(&r, s))
#define TRY_flockfile (r = 0, ftrylockfile(f) == 0)
#define TRY_mtx_lock tried_c11(&r, m)
#define TRY_mtx_timedlock tried_c11(&r, m)
#define TRY_cnd_wait 0
#define TRY_cnd_timedwait 0
#define TRY_thrd_join 0
#define TRY_call_once (r = 0, DONE(o))
#define TRY_sched_yield 0
#define TRY_waitpid 0
#define TRY_wait4 0
#define TRY_flock 0
#define TRY_semtimedop 0
#define TRY_msgsnd 0
#define TRY_msgrcv 0
#define TRY_recvmmsg 0

#define LOCK_BY_GO(result, name, n, ends, parameters, arguments, otherwise) \
	static result coro_##name parameters { \
		int r = -1; \
		if (__builtin_expect(TRY_##name, 1)) \
			return (result)r; \
		need_own(); \
		BY_GO(result, own.name, ends, n, arguments); \
	}
OWN(LOCK_BY_GO)

#define MORE_DEFINE(result, name, n, ends, parameters, arguments, otherwise) \
	result more_##name parameters __asm__(#name) __attribute__((weak, visibility("default"))); \
	result more_##name parameters { return coro_##name arguments; }
MORE_WAITS(MORE_DEFINE)

int more_semop(int id, struct sembuf *ops, size_t n) __asm__("semop") __attribute__((weak, visibility("default")));
int more_semop(int id, struct sembuf *ops, size_t n) { return coro_semtimedop(id, ops, n, NULL); }

pid_t more_wait(int *status) __asm__("wait") __attribute__((weak, visibility("default")));
pid_t more_wait(int *status) { return coro_waitpid(-1, status, 0); }

static long by_go_futex(long a, long b, long c, long d, long e, long f) { return own.syscall(SYS_futex, a, b, c, d, e, f); }

/* coro_syscall has a system call's six arguments. */
static long coro_syscall(long number, const long *a) {
	need_own();
	if (number == SYS_futex)
		switch (a[1] & FUTEX_CMD_MASK) {
		case FUTEX_WAIT:
		case FUTEX_WAIT_BITSET:
		case FUTEX_LOCK_PI:
		case FUTEX_WAIT_REQUEUE_PI:
			BY_GO(long, by_go_futex, 1, 6, (a[0], a[1], a[2], a[3], a[4], a[5]));
		}
	return own.syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

/* ---- descriptors and time */

static struct seam_netio_libc next;

#define TRANSFERS(F) \
	F(ssize_t, read, 3, (int fd, void *buf, size_t n), (fd, buf, n), 0) \
	F(ssize_t, readv, 3, (int fd, const struct iovec *iov, int count), (fd, iov, count), 0) \
	F(ssize_t, recv, 4, (int fd, void *buf, size_t n, int flags), (fd, buf, n, flags), flags) \
	F(ssize_t, recvfrom, 6, (int fd, void *buf, size_t n, int flags, struct sockaddr *addr, socklen_t *addrlen), (fd, buf, n, flags, addr, addrlen), flags) \
	F(ssize_t, recvmsg, 3, (int fd, struct msghdr *msg, int flags), (fd, msg, flags), flags) \
	F(ssize_t, write, 3, (int fd, const void *buf, size_t n), (fd, buf, n), 0) \
	F(ssize_t, writev, 3, (int fd, const struct iovec *iov, int count), (fd, iov, count), 0) \
	F(ssize_t, send, 4, (int fd, const void *buf, size_t n, int flags), (fd, buf, n, flags), flags) \
	F(ssize_t, sendto, 6, (int fd, const void *buf, size_t n, int flags, const struct sockaddr *addr, socklen_t addrlen), (fd, buf, n, flags, addr, addrlen), flags) \
	F(ssize_t, sendmsg, 3, (int fd, const struct msghdr *msg, int flags), (fd, msg, flags), flags) \
	F(int, connect, 3, (int fd, const struct sockaddr *addr, socklen_t addrlen), (fd, addr, addrlen), 0) \
	F(int, accept, 3, (int fd, struct sockaddr *addr, socklen_t *addrlen), (fd, addr, addrlen), 0) \
	F(int, accept4, 4, (int fd, struct sockaddr *addr, socklen_t *addrlen, int flags), (fd, addr, addrlen, flags), 0)

/* With MSG_DONTWAIT a call doesn't wait. */
#define TRANSFER_BY_GO(result, name, n, parameters, arguments, flags) \
	static result coro_##name parameters { \
		if ((flags) & MSG_DONTWAIT) \
			return next.name arguments; \
		BY_GO(result, next.name, 0, n, arguments); \
	}
TRANSFERS(TRANSFER_BY_GO)

#define SLEEPS(F) \
	F(int, nanosleep, 2, (const struct timespec *t, struct timespec *left), (t, left)) \
	F(int, clock_nanosleep, 4, (clockid_t clock, int flags, const struct timespec *t, struct timespec *left), (clock, flags, t, left)) \
	F(int, usleep, 1, (useconds_t us), (us)) \
	F(unsigned, sleep, 1, (unsigned seconds), (seconds))

#define SLEEP_BY_GO(result, name, n, parameters, arguments) \
	static result coro_##name parameters { BY_GO(result, next.name, 1, n, arguments); }
SLEEPS(SLEEP_BY_GO)

#define POLLS(F) \
	F(int, poll, 3, (struct pollfd *fds, nfds_t n, int ms), (fds, n, ms)) \
	F(int, ppoll, 4, (struct pollfd *fds, nfds_t n, const struct timespec *t, const sigset_t *mask), (fds, n, t, mask)) \
	F(int, select, 5, (int n, fd_set *in, fd_set *out, fd_set *other, struct timeval *t), (n, in, out, other, t)) \
	F(int, pselect, 6, (int n, fd_set *in, fd_set *out, fd_set *other, const struct timespec *t, const sigset_t *mask), (n, in, out, other, t, mask)) \
	F(int, epoll_wait, 4, (int ep, struct epoll_event *e, int max, int ms), (ep, e, max, ms)) \
	F(int, epoll_pwait, 5, (int ep, struct epoll_event *e, int max, int ms, const sigset_t *mask), (ep, e, max, ms, mask)) \
	F(int, epoll_pwait2, 5, (int ep, struct epoll_event *e, int max, const struct timespec *t, const sigset_t *mask), (ep, e, max, t, mask))

static int valid_wait(const struct timespec *t) { return !t || (valid(t) && t->tv_sec >= 0); }

static int no_time(const struct timespec *t) { return t && t->tv_sec == 0 && t->tv_nsec == 0; }

/* with_sigurg returns mask, which a wait puts in the place of the thread's, with SIGURG in it. */
static const sigset_t *with_sigurg(const sigset_t *mask, sigset_t *with) {
	if (!mask)
		return NULL;
	*with = *mask;
	sigaddset(with, SIGURG);
	return with;
}

/* What is there already needs no wait, which an event loop asks for often. Two system calls would block SIGURG. */
#define POLL(name, n, arguments, masked, nothing, look) \
	int here = coro_here(), found; \
	if (here == CORO_NO || (nothing)) \
		return next.name arguments; \
	if ((found = (look)) != 0) \
		return found; \
	return (int)by_go(here, (void *)next.name, 1, WORDS##n masked)

static int coro_poll(struct pollfd *fds, nfds_t n, int ms) {
	POLL(poll, 3, (fds, n, ms), (fds, n, ms), ms == 0, next.poll(fds, n, 0));
}

static int coro_ppoll(struct pollfd *fds, nfds_t n, const struct timespec *t, const sigset_t *mask) {
	sigset_t with;
	const struct timespec zero = {0, 0};
	POLL(ppoll, 4, (fds, n, t, mask), (fds, n, t, with_sigurg(mask, &with)), no_time(t),
		!valid_wait(t) ? 0 : next.ppoll(fds, n, &zero, with_sigurg(mask, &with)));
}

static int coro_epoll_wait(int ep, struct epoll_event *e, int max, int ms) {
	POLL(epoll_wait, 4, (ep, e, max, ms), (ep, e, max, ms), ms == 0, next.epoll_wait(ep, e, max, 0));
}

static int coro_epoll_pwait(int ep, struct epoll_event *e, int max, int ms, const sigset_t *mask) {
	sigset_t with;
	POLL(epoll_pwait, 5, (ep, e, max, ms, mask), (ep, e, max, ms, with_sigurg(mask, &with)), ms == 0,
		next.epoll_pwait(ep, e, max, 0, with_sigurg(mask, &with)));
}

static int coro_epoll_pwait2(int ep, struct epoll_event *e, int max, const struct timespec *t, const sigset_t *mask) {
	sigset_t with;
	POLL(epoll_pwait2, 5, (ep, e, max, t, mask), (ep, e, max, t, with_sigurg(mask, &with)), no_time(t),
		!valid_wait(t) ? 0 : next.epoll_pwait(ep, e, max, 0, with_sigurg(mask, &with)));
}

/* A look that finds nothing would empty the sets. */
static int coro_select(int n, fd_set *in, fd_set *out, fd_set *other, struct timeval *t) {
	POLL(select, 5, (n, in, out, other, t), (n, in, out, other, t), t && t->tv_sec == 0 && t->tv_usec == 0, 0);
}

static int coro_pselect(int n, fd_set *in, fd_set *out, fd_set *other, const struct timespec *t, const sigset_t *mask) {
	sigset_t with;
	POLL(pselect, 6, (n, in, out, other, t, mask), (n, in, out, other, t, with_sigurg(mask, &with)), no_time(t), 0);
}

/* A program with package coro's netio has libc's names from there. Both tables are changed alike: they
 * are compared (netio.c). */
extern struct seam_netio_libc netios __asm__("seam_" "netio_libc") __attribute__((weak));

static __attribute__((constructor(102))) void replace_libc(void) {
	int shared = &netios && memcmp(&netios, &libc, sizeof libc) == 0;
	next = libc;
#define REPLACE(result, name, ...) \
	libc.name = coro_##name; \
	if (shared) \
		netios.name = coro_##name;
	TRANSFERS(REPLACE)
	SLEEPS(REPLACE)
	POLLS(REPLACE)
}
