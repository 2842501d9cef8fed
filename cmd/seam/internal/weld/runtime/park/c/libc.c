/* libc's own functions that wait, besides those in netio's table of pointers. */

#include <aio.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <mqueue.h>
#include <sched.h>
#include <semaphore.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define NAMED_WAITS(F) LOCK_WAITS(F) C11_WAITS(F) SIGNAL_WAITS(F) OTHER_WAITS(F) SPECIAL_WAITS(F)
#define OWN(F) NAMED_WAITS(F) SYSTEM_WAITS(F)

#define OWN_FIELD(result, name, n, parameters, ...) result(*name) parameters;
static struct { OWN(OWN_FIELD) } own;

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

#define WORD(x) ((long)(x))
#define WORDS0() 0L, 0L, 0L, 0L, 0L, 0L, 0L, 0L
#define WORDS1(a) WORD(a), 0L, 0L, 0L, 0L, 0L, 0L, 0L
#define WORDS2(a, b) WORD(a), WORD(b), 0L, 0L, 0L, 0L, 0L, 0L
#define WORDS3(a, b, c) WORD(a), WORD(b), WORD(c), 0L, 0L, 0L, 0L, 0L
#define WORDS4(a, b, c, d) WORD(a), WORD(b), WORD(c), WORD(d), 0L, 0L, 0L, 0L
#define WORDS5(a, b, c, d, e) WORD(a), WORD(b), WORD(c), WORD(d), WORD(e), 0L, 0L, 0L
#define WORDS6(a, b, c, d, e, f) WORD(a), WORD(b), WORD(c), WORD(d), WORD(e), WORD(f), 0L, 0L
#define WORDS7(a, b, c, d, e, f, g) WORD(a), WORD(b), WORD(c), WORD(d), WORD(e), WORD(f), WORD(g), 0L
#define WORDS8(a, b, c, d, e, f, g, h) WORD(a), WORD(b), WORD(c), WORD(d), WORD(e), WORD(f), WORD(g), WORD(h)

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

/* ---- in a static executable */

#define OTHERWISE(result, name, n, parameters, arguments, how, signal, otherwise, first) \
	extern result static_##name parameters __asm__(#otherwise) __attribute__((weak));
NAMED_WAITS(OTHERWISE)

#define SYSTEM_CALL(number, a, b, c, d, e, f, ...) enter(number, a, b, c, d, e, f) /* netio's */
#define ENTER(number, words) SYSTEM_CALL(number, words)
#define OTHERWISE_SYSCALL(result, name, n, parameters, arguments, how, signal, otherwise, first) \
	static result static_##name parameters { return (result)ENTER(otherwise, WORDS##n arguments); }
SYSTEM_WAITS(OTHERWISE_SYSCALL)

int static_mtx_lock(pthread_mutex_t *m) { return c11_result(own.pthread_mutex_lock(m)); }
int static_mtx_timedlock(pthread_mutex_t *m, const struct timespec *t) { return c11_result(own.pthread_mutex_timedlock(m, t)); }
int static_cnd_wait(pthread_cond_t *c, pthread_mutex_t *m) { return c11_result(own.pthread_cond_wait(c, m)); }
int static_cnd_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *t) { return c11_result(own.pthread_cond_timedwait(c, m, t)); }

int static_thrd_join(pthread_t t, int *result) {
	void *r = NULL;
	int error = own.pthread_join(t, &r);
	if (error == 0 && result)
		*result = (int)(intptr_t)r;
	return c11_result(error);
}

void static_call_once(pthread_once_t *o, void (*f)(void)) { own.pthread_once(o, f); }

int static_pthread_spin_lock(pthread_spinlock_t *l) {
	while (pthread_spin_trylock(l) == EBUSY)
		;
	return 0;
}

int static_thrd_sleep(const struct timespec *time, struct timespec *left) {
	int error = libc.clock_nanosleep(CLOCK_REALTIME, 0, time, left);
	return error == 0 ? 0 : error == EINTR ? -1 : -2;
}

int static_thrd_yield(void) { return own.sched_yield(); }

int static_sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *t) {
	return (int)enter(SYS_rt_sigtimedwait, WORD(set), WORD(info), WORD(t), 8, 0, 0);
}

pid_t static_wait(int *status) { return own.wait4(-1, status, 0, NULL); }
pid_t static_wait3(int *status, int options, struct rusage *used) { return own.wait4(-1, status, options, used); }
pid_t static_waitpid(pid_t pid, int *status, int options) { return own.wait4(pid, status, options, NULL); }
int static_mq_send(mqd_t q, const char *m, size_t n, unsigned priority) { return own.mq_timedsend(q, m, n, priority, NULL); }
ssize_t static_mq_receive(mqd_t q, char *m, size_t n, unsigned *priority) { return own.mq_timedreceive(q, m, n, priority, NULL); }
int static_tcdrain(int fd) { return (int)enter(SYS_ioctl, fd, 0x5409 /* TCSBRK */, 1, 0, 0, 0); }
int static_pclose(FILE *f) { return fclose(f); } /* glibc's is no more */

int static_pause(void) {
	sigset_t now;
	pthread_sigmask(SIG_BLOCK, NULL, &now);
	return (int)enter(SYS_rt_sigsuspend, WORD(&now), 8, 0, 0, 0, 0);
}

ssize_t static_sendfile64(int to, int from, off_t *at, size_t n) { return own.sendfile(to, from, at, n); }

int static_semop(int id, struct sembuf *ops, size_t n) { return own.semtimedop(id, ops, n, NULL); }

/* As libaio's, of whose archive a linker takes nothing since we have the name. */
int static_io_getevents(void *context, long least, long n, void *events, struct timespec *t) {
	int keep = errno;
	long r = enter(SYS_io_getevents, WORD(context), least, n, WORD(events), WORD(t), 0);
	if (r < 0)
		r = -errno;
	errno = keep;
	return (int)r;
}

int static_fcntl(int fd, int what, ...) {
	va_list list;
	va_start(list, what);
	long argument = va_arg(list, long);
	va_end(list);
	return (int)enter(SYS_fcntl, fd, what, argument, 0, 0, 0);
}

int static_lockf(int fd, int how, off_t n) {
	struct flock l = {.l_type = how == F_ULOCK ? F_UNLCK : F_WRLCK, .l_whence = SEEK_CUR, .l_len = n};
	if (how != F_TEST)
		return own.fcntl(fd, how == F_LOCK ? F_SETLKW : F_SETLK, &l);
	if (own.fcntl(fd, F_GETLK, &l) < 0)
		return -1;
	if (l.l_type == F_UNLCK || l.l_pid == getpid())
		return 0;
	errno = EACCES;
	return -1;
}

long static_syscall(long number, ...) {
	long a[6];
	SYSTEM_CALL_WORDS(a, number);
	return enter(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

int static_system(const char *command) {
	char *words[] = {"sh", "-c", (char *)command, NULL};
	sigset_t chld, before;
	struct sigaction ignore = {.sa_handler = SIG_IGN}, interrupt, quit;
	pid_t child;
	int status = -1;
	if (!command)
		return 1;
	sigaction(SIGINT, &ignore, &interrupt);
	sigaction(SIGQUIT, &ignore, &quit);
	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	pthread_sigmask(SIG_BLOCK, &chld, &before);
	posix_spawnattr_t how;
	posix_spawnattr_init(&how);
	posix_spawnattr_setsigmask(&how, &before);
	posix_spawnattr_setsigdefault(&how, &(sigset_t){{1ul << (SIGINT - 1) | 1ul << (SIGQUIT - 1)}});
	posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	if (posix_spawn(&child, "/bin/sh", NULL, &how, words, environ) == 0)
		while (own.wait4(child, &status, 0, NULL) < 0 && errno == EINTR)
			;
	posix_spawnattr_destroy(&how);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	sigaction(SIGINT, &interrupt, NULL);
	sigaction(SIGQUIT, &quit, NULL);
	return status;
}

/* The results of these are libc's own memory. */
#define STATIC_HOST(name, parameters, ...) \
	struct hostent *static_##name parameters { \
		static struct hostent h; \
		static char buf[8192]; \
		struct hostent *found = NULL; \
		return own.name##_r(__VA_ARGS__, &h, buf, sizeof buf, &found, &h_errno) == 0 ? found : NULL; \
	}
STATIC_HOST(gethostbyname, (const char *name), name)
STATIC_HOST(gethostbyname2, (const char *name, int family), name, family)
STATIC_HOST(gethostbyaddr, (const void *addr, socklen_t n, int family), addr, n, family)

/* Another version of glibc. */
static void say_missing(const char *name) {
	static const char line[] = "seam: with coro functions this C library can't be linked statically: there is no function that seam could call for ";
	if (libc.write(2, line, sizeof line - 1) < 0 || libc.write(2, name, strlen(name)) < 0 || libc.write(2, "\n", 1) < 0)
		abort();
	abort();
}

#define MISSING(result, name, n, parameters, ...) \
	static result missing_##name parameters { \
		say_missing(#name); \
		abort(); \
	}
NAMED_WAITS(MISSING)
#define missing(name) (static_##name ? (void *)static_##name : (void *)missing_##name)

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
#define OWN_RESOLVE(result, name, ...) \
	f = next_definition(#name); \
	if (!f) \
		f = missing(name); \
	memcpy(&own.name, &f, sizeof f);
	NAMED_WAITS(OWN_RESOLVE)
#undef missing
#define missing(name) (void *)static_##name
	SYSTEM_WAITS(OWN_RESOLVE)
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
