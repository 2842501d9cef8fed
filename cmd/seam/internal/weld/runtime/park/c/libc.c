/* libc's own functions that wait, besides those in netio's table. */

#include <dlfcn.h>
#include <linux/futex.h>
#include <sched.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/syscall.h>
#include <sys/wait.h>

/* Result, name, how many arguments, whether a signal ends it even if its handler has SA_RESTART. In a static
 * executable there is no next definition to look up: the last is what glibc calls it there, park.go has what brings that.
 * These wait without a thread in functions that are parked. */
#define LOCK_WAITS(F) \
	F(int, pthread_mutex_lock, 1, 0, (pthread_mutex_t *m), (m), __pthread_mutex_lock) \
	F(int, pthread_mutex_timedlock, 2, 0, (pthread_mutex_t *m, const struct timespec *t), (m, t), __pthread_mutex_timedlock) \
	F(int, pthread_mutex_clocklock, 3, 0, (pthread_mutex_t *m, clockid_t clock, const struct timespec *t), (m, clock, t), __pthread_mutex_clocklock) \
	F(int, pthread_cond_wait, 2, 0, (pthread_cond_t *c, pthread_mutex_t *m), (c, m), __pthread_cond_wait) \
	F(int, pthread_cond_timedwait, 3, 0, (pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *t), (c, m, t), __pthread_cond_timedwait) \
	F(int, pthread_cond_clockwait, 4, 0, (pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock, const struct timespec *t), (c, m, clock, t), __pthread_cond_clockwait) \
	F(int, pthread_rwlock_rdlock, 1, 0, (pthread_rwlock_t *l), (l), __pthread_rwlock_rdlock) \
	F(int, pthread_rwlock_wrlock, 1, 0, (pthread_rwlock_t *l), (l), __pthread_rwlock_wrlock) \
	F(int, pthread_rwlock_timedrdlock, 2, 0, (pthread_rwlock_t *l, const struct timespec *t), (l, t), ___pthread_rwlock_timedrdlock) \
	F(int, pthread_rwlock_timedwrlock, 2, 0, (pthread_rwlock_t *l, const struct timespec *t), (l, t), ___pthread_rwlock_timedwrlock) \
	F(int, pthread_once, 2, 0, (pthread_once_t *o, void (*f)(void)), (o, f), __pthread_once) \
	F(int, pthread_timedjoin_np, 3, 0, (pthread_t t, void **result, const struct timespec *until), (t, result, until), ___pthread_timedjoin_np) \
	F(int, pthread_join, 2, 0, (pthread_t t, void **result), (t, result), __pthread_join) \
	F(int, pthread_barrier_wait, 1, 0, (pthread_barrier_t *b), (b), __pthread_barrier_wait) \
	F(int, sem_wait, 1, 0, (sem_t *s), (s), __new_sem_wait) \
	F(int, sem_timedwait, 2, 1, (sem_t *s, const struct timespec *t), (s, t), ___sem_timedwait) \
	F(void, flockfile, 1, 0, (FILE *f), (f), __flockfile)

/* C11's threads are pthread's under other names, if they are libc's: see locks.c. */
#define C11_WAITS(F) \
	F(int, mtx_lock, 1, 0, (pthread_mutex_t *m), (m), ) \
	F(int, mtx_timedlock, 2, 0, (pthread_mutex_t *m, const struct timespec *t), (m, t), ) \
	F(int, cnd_wait, 2, 0, (pthread_cond_t *c, pthread_mutex_t *m), (c, m), ) \
	F(int, cnd_timedwait, 3, 0, (pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *t), (c, m, t), ) \
	F(int, thrd_join, 2, 0, (pthread_t t, int *result), (t, result), ) \
	F(void, call_once, 2, 0, (pthread_once_t *o, void (*f)(void)), (o, f), )

/* In functions that are parked these keep the thread. */
#define LATER_WAITS(W) \
	W(int, pthread_rwlock_clockrdlock, 3, 0, (pthread_rwlock_t *l, clockid_t clock, const struct timespec *t), (l, clock, t), ___pthread_rwlock_clockrdlock) \
	W(int, pthread_rwlock_clockwrlock, 3, 0, (pthread_rwlock_t *l, clockid_t clock, const struct timespec *t), (l, clock, t), ___pthread_rwlock_clockwrlock) \
	W(int, pthread_clockjoin_np, 4, 0, (pthread_t t, void **result, clockid_t clock, const struct timespec *until), (t, result, clock, until), ___pthread_clockjoin_np) \
	W(int, sem_clockwait, 3, 1, (sem_t *s, clockid_t clock, const struct timespec *t), (s, clock, t), ___sem_clockwait)

#define SYSCALL_WAITS(W) \
	W(int, sched_yield, 0, 0, (void), (), SYS_sched_yield) \
	W(pid_t, wait4, 4, 0, (pid_t pid, int *status, int options, struct rusage *used), (pid, status, options, used), SYS_wait4) \
	W(int, flock, 2, 0, (int fd, int how), (fd, how), SYS_flock) \
	W(int, semtimedop, 4, 1, (int id, struct sembuf *ops, size_t n, const struct timespec *t), (id, ops, n, t), SYS_semtimedop) \
	W(int, msgsnd, 4, 1, (int id, const void *m, size_t n, int flags), (id, m, n, flags), SYS_msgsnd) \
	W(ssize_t, msgrcv, 5, 1, (int id, void *m, size_t n, long type, int flags), (id, m, n, type, flags), SYS_msgrcv) \
	W(int, recvmmsg, 5, 1, (int fd, struct mmsghdr *m, unsigned n, int flags, struct timespec *t), (fd, m, n, flags, t), SYS_recvmmsg)

#define OTHER_WAITS(W) \
	W(int, pthread_spin_lock, 1, 0, (pthread_spinlock_t *l), (l), ) \
	W(pid_t, waitpid, 3, 0, (pid_t pid, int *status, int options), (pid, status, options), )

#define MORE_WAITS(W) LATER_WAITS(W) SYSCALL_WAITS(W) OTHER_WAITS(W)
#define OWN(F) LOCK_WAITS(F) C11_WAITS(F) MORE_WAITS(F)

#define OWN_FIELD(result, name, n, ends, parameters, arguments, otherwise) result(*name) parameters;
static struct {
	OWN(OWN_FIELD)
	long (*syscall)(long number, ...);
} own;

static int c11_is_libcs;

enum { C11_SUCCESS, C11_BUSY, C11_ERROR, C11_NOMEM, C11_TIMEDOUT };

static int c11_result(int error) {
	switch (error) {
	case 0:
		return C11_SUCCESS;
	case EBUSY:
		return C11_BUSY;
	case ENOMEM:
		return C11_NOMEM;
	case ETIMEDOUT:
		return C11_TIMEDOUT;
	}
	return C11_ERROR;
}

/* Arguments and results of all these functions are integers and pointers, which calling conventions treat alike. */
#define WORD(x) ((long)(x))
#define WORDS0() 0L, 0L, 0L, 0L, 0L, 0L
#define WORDS1(a) WORD(a), 0L, 0L, 0L, 0L, 0L
#define WORDS2(a, b) WORD(a), WORD(b), 0L, 0L, 0L, 0L
#define WORDS3(a, b, c) WORD(a), WORD(b), WORD(c), 0L, 0L, 0L
#define WORDS4(a, b, c, d) WORD(a), WORD(b), WORD(c), WORD(d), 0L, 0L
#define WORDS5(a, b, c, d, e) WORD(a), WORD(b), WORD(c), WORD(d), WORD(e), 0L
#define WORDS6(a, b, c, d, e, f) WORD(a), WORD(b), WORD(c), WORD(d), WORD(e), WORD(f)

/* ---- in a static executable */

#define OTHERWISE(result, name, n, ends, parameters, arguments, otherwise) extern result static_##name parameters __asm__(#otherwise) __attribute__((weak));
LOCK_WAITS(OTHERWISE)
LATER_WAITS(OTHERWISE)

#define OTHERWISE_SYSCALL(result, name, n, ends, parameters, arguments, otherwise) \
	static result static_##name parameters { return (result)own.syscall(otherwise, WORDS##n arguments); }
SYSCALL_WAITS(OTHERWISE_SYSCALL)

static int static_mtx_lock(pthread_mutex_t *m) { return c11_result(own.pthread_mutex_lock(m)); }
static int static_mtx_timedlock(pthread_mutex_t *m, const struct timespec *t) { return c11_result(own.pthread_mutex_timedlock(m, t)); }
static int static_cnd_wait(pthread_cond_t *c, pthread_mutex_t *m) { return c11_result(own.pthread_cond_wait(c, m)); }
static int static_cnd_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *t) { return c11_result(own.pthread_cond_timedwait(c, m, t)); }

static int static_thrd_join(pthread_t t, int *result) {
	void *r = NULL;
	int error = own.pthread_join(t, &r);
	if (error == 0 && result)
		*result = (int)(intptr_t)r;
	return c11_result(error);
}

static void static_call_once(pthread_once_t *o, void (*f)(void)) { own.pthread_once(o, f); }

static int static_pthread_spin_lock(pthread_spinlock_t *l) {
	while (pthread_spin_trylock(l) == EBUSY)
		;
	return 0;
}

static pid_t static_waitpid(pid_t pid, int *status, int options) { return own.wait4(pid, status, options, NULL); }

/* Another version of glibc. */
#define MISSING(result, name, n, ends, parameters, arguments, otherwise) \
	static result missing_##name parameters { \
		static const char line[] = "seam: with coro functions this C library can't be linked statically: it has no " #name " that seam could call\n"; \
		if (libc.write(2, line, sizeof line - 1) < 0) \
			abort(); \
		abort(); \
	}
OWN(MISSING)

/* The arguments of a function like syscall. */
#define SYSTEM_CALL_WORDS(a, number) \
	do { \
		va_list list; \
		int i; \
		va_start(list, number); \
		for (i = 0; i < 6; i++) \
			a[i] = va_arg(list, long); \
		va_end(list); \
	} while (0)

static long static_syscall(long number, ...) {
	long a[6];
	SYSTEM_CALL_WORDS(a, number);
	return enter(number, a[0], a[1], a[2], a[3], a[4], a[5]); /* netio's */
}

/* The condition's functions have an older version, which dlsym may find. */
#if defined(__x86_64__)
#define NEW_VERSION "GLIBC_2.3.2"
#else
#define NEW_VERSION "GLIBC_2.17"
#endif

static void *next_definition(const char *name) {
	void *f = NULL;
	if (strncmp(name, "pthread_cond", 12) == 0)
		f = dlvsym(RTLD_NEXT, name, NEW_VERSION);
	return f ? f : dlsym(RTLD_NEXT, name);
}

static int own_resolved;

static __attribute__((constructor(101))) void resolve_own(void) {
	int keep = errno;
	Dl_info ours, theirs;
	void *f;
#define OWN_RESOLVE(result, name, n, ends, parameters, arguments, otherwise) \
	f = next_definition(#name); \
	if (!f) \
		f = static_##name ? (void *)static_##name : (void *)missing_##name; \
	memcpy(&own.name, &f, sizeof f);
	OWN(OWN_RESOLVE)
	f = dlsym(RTLD_NEXT, "syscall");
	if (!f)
		f = (void *)static_syscall;
	memcpy(&own.syscall, &f, sizeof f);
	c11_is_libcs = own.mtx_lock == static_mtx_lock ||
		(dladdr((void *)own.mtx_lock, &theirs) && dladdr((void *)own.pthread_mutex_lock, &ours) && ours.dli_fbase == theirs.dli_fbase);
	__atomic_store_n(&own_resolved, 1, __ATOMIC_RELEASE);
	errno = keep;
}

/* Constructors of libraries come before ours. */
static inline void need_own(void) {
	if (__builtin_expect(!__atomic_load_n(&own_resolved, __ATOMIC_ACQUIRE), 0))
		resolve_own();
}
