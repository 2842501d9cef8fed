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

/* Result, name, how many arguments, whether a signal ends it even if its handler has SA_RESTART; the last is what
 * glibc calls it in a static executable, where there is no next definition to look up. These wait without a thread
 * in functions that are parked. */
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
	F(void, flockfile, 1, 0, (FILE *f), (f), __flockfile) \
	C11_WAITS(F)

#define C11_WAITS(F) \
	F(int, mtx_lock, 1, 0, (pthread_mutex_t *m), (m), __mtx_lock) \
	F(int, mtx_timedlock, 2, 0, (pthread_mutex_t *m, const struct timespec *t), (m, t), __mtx_timedlock) \
	F(int, cnd_wait, 2, 0, (pthread_cond_t *c, pthread_mutex_t *m), (c, m), __cnd_wait) \
	F(int, cnd_timedwait, 3, 0, (pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *t), (c, m, t), __cnd_timedwait) \
	F(int, thrd_join, 2, 0, (pthread_t t, int *result), (t, result), __thrd_join) \
	F(void, call_once, 2, 0, (pthread_once_t *o, void (*f)(void)), (o, f), __call_once)

/* In functions that are parked these keep the thread. */
#define MORE_WAITS(W) \
	W(int, pthread_rwlock_clockrdlock, 3, 0, (pthread_rwlock_t *l, clockid_t clock, const struct timespec *t), (l, clock, t), ___pthread_rwlock_clockrdlock) \
	W(int, pthread_rwlock_clockwrlock, 3, 0, (pthread_rwlock_t *l, clockid_t clock, const struct timespec *t), (l, clock, t), ___pthread_rwlock_clockwrlock) \
	W(int, pthread_clockjoin_np, 4, 0, (pthread_t t, void **result, clockid_t clock, const struct timespec *until), (t, result, clock, until), ___pthread_clockjoin_np) \
	W(int, pthread_spin_lock, 1, 0, (pthread_spinlock_t *l), (l), __pthread_spin_lock) \
	W(int, sem_clockwait, 3, 1, (sem_t *s, clockid_t clock, const struct timespec *t), (s, clock, t), ___sem_clockwait) \
	W(int, sched_yield, 0, 0, (void), (), __sched_yield) \
	W(pid_t, waitpid, 3, 0, (pid_t pid, int *status, int options), (pid, status, options), __waitpid) \
	W(pid_t, wait4, 4, 0, (pid_t pid, int *status, int options, struct rusage *used), (pid, status, options, used), __wait4) \
	W(int, flock, 2, 0, (int fd, int how), (fd, how), __flock) \
	W(int, semtimedop, 4, 1, (int id, struct sembuf *ops, size_t n, const struct timespec *t), (id, ops, n, t), __semtimedop) \
	W(int, msgsnd, 4, 1, (int id, const void *m, size_t n, int flags), (id, m, n, flags), __libc_msgsnd) \
	W(ssize_t, msgrcv, 5, 1, (int id, void *m, size_t n, long type, int flags), (id, m, n, type, flags), __libc_msgrcv) \
	W(int, recvmmsg, 5, 1, (int fd, struct mmsghdr *m, unsigned n, int flags, struct timespec *t), (fd, m, n, flags, t), __recvmmsg)

#define OWN_STATIC(result, name, n, ends, parameters, arguments, label) extern result own_##name parameters __asm__(#label) __attribute__((weak));
LOCK_WAITS(OWN_STATIC)
MORE_WAITS(OWN_STATIC)

#define OWN_FIELD(result, name, n, ends, parameters, arguments, label) result(*name) parameters;
static struct {
	LOCK_WAITS(OWN_FIELD)
	MORE_WAITS(OWN_FIELD)
	long (*syscall)(long number, ...);
} own;

/* Whether the threads of C11 are libc's: see locks.c. */
static int c11_is_libcs;

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

static void own_say(const char *name) {
	static const char before[] = "seam: this C library has in a static executable no ", after[] = " that seam could call: link with -ldflags=-extldflags=-static, or dynamically\n";
	struct iovec line[] = {{(char *)before, sizeof before - 1}, {(char *)name, strlen(name)}, {(char *)after, sizeof after - 1}};
	if (libc.writev(2, line, 3) < 0)
		return;
}

#define OWN_MISSING(result, name, n, ends, parameters, arguments, label) \
	static result missing_##name parameters { \
		own_say(#name); \
		abort(); \
	}
LOCK_WAITS(OWN_MISSING)
MORE_WAITS(OWN_MISSING)

static long raw_syscall(long number, ...) {
	va_list list;
	long a[6], r;
	int i;
	va_start(list, number);
	for (i = 0; i < 6; i++)
		a[i] = va_arg(list, long);
	va_end(list);
	{
#if defined(__x86_64__)
		register long r10 __asm__("r10") = a[3], r8 __asm__("r8") = a[4], r9 __asm__("r9") = a[5];
		__asm__ volatile("syscall" : "=a"(r) : "0"(number), "D"(a[0]), "S"(a[1]), "d"(a[2]), "r"(r10), "r"(r8), "r"(r9) : "rcx", "r11", "memory");
#else
		register long x8 __asm__("x8") = number, x0 __asm__("x0") = a[0], x1 __asm__("x1") = a[1], x2 __asm__("x2") = a[2],
			x3 __asm__("x3") = a[3], x4 __asm__("x4") = a[4], x5 __asm__("x5") = a[5];
		__asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
		r = x0;
#endif
	}
	if (r < 0 && r > -4096) {
		errno = (int)-r;
		return -1;
	}
	return r;
}

static int own_resolved;

static __attribute__((constructor(101))) void resolve_own(void) {
	int keep = errno;
	void *f;
	Dl_info ours, theirs;
#define OWN_RESOLVE(result, name, n, ends, parameters, arguments, label) \
	f = next_definition(#name); \
	if (!f) \
		f = own_##name ? (void *)own_##name : (void *)missing_##name; \
	memcpy(&own.name, &f, sizeof f);
	LOCK_WAITS(OWN_RESOLVE)
	MORE_WAITS(OWN_RESOLVE)
	f = dlsym(RTLD_NEXT, "syscall");
	if (!f)
		f = (void *)raw_syscall;
	memcpy(&own.syscall, &f, sizeof f);
	c11_is_libcs = (own_mtx_lock && own.mtx_lock == own_mtx_lock) ||
		(dladdr((void *)own.mtx_lock, &theirs) && dladdr((void *)own.pthread_mutex_lock, &ours) && ours.dli_fbase == theirs.dli_fbase);
	__atomic_store_n(&own_resolved, 1, __ATOMIC_RELEASE);
	errno = keep;
}

/* Constructors of libraries come before ours. */
static inline void need_own(void) {
	if (__builtin_expect(!__atomic_load_n(&own_resolved, __ATOMIC_ACQUIRE), 0))
		resolve_own();
}
