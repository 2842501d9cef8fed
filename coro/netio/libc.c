//go:build cgo && linux && !android && (amd64 || arm64) && !msan

// libc's own functions that wait, besides those in resolve.c, and those that wake.
#include "netio.h"
#include "locks.h"
#ifdef SEAM_HAS_LOCKS

#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

struct seam_netio_own own;
int own_resolved, c11_is_libcs;

#define ROW(result, name, ...) #name " "
const char seam_netio_rows[] = LIBC_FUNCTIONS(ROW) OWN_FUNCTIONS(ROW);

/* ---- in a static executable */

#define OTHERWISE(result, name, n, parameters, arguments, how, signal, otherwise, first) \
	extern result static_##name parameters __asm__(#otherwise) __attribute__((weak));
NAMED_FUNCTIONS(OTHERWISE)

#define SYSTEM_CALL(number, a, b, c, d, e, f, ...) enter(number, a, b, c, d, e, f)
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

int static_pthread_rwlock_trywrlock(pthread_rwlock_t *l) {
	static const struct timespec past;
	int error = own.pthread_rwlock_timedwrlock(l, &past);
	return error == ETIMEDOUT || error == EDEADLK ? EBUSY : error;
}

int static_pthread_spin_lock(pthread_spinlock_t *l) {
	while (pthread_spin_trylock(l) == EBUSY)
		;
	return 0;
}

int static_thrd_sleep(const struct timespec *time, struct timespec *left) {
	int error = libc.clock_nanosleep(CLOCK_REALTIME, 0, time, left);
	return error == 0 ? 0 : error == EINTR ? -1 : -2;
}

int static_mtx_trylock(pthread_mutex_t *m) { return c11_result(own.pthread_mutex_trylock(m)); }
int static_mtx_unlock(pthread_mutex_t *m) { return c11_result(own.pthread_mutex_unlock(m)); }
int static_cnd_signal(pthread_cond_t *c) { return c11_result(own.pthread_cond_signal(c)); }
int static_cnd_broadcast(pthread_cond_t *c) { return c11_result(own.pthread_cond_broadcast(c)); }

/* Of one that processes share: others are ours (futex.c). */
int static_pthread_barrier_destroy(pthread_barrier_t *b) {
	(void)b;
	return 0;
}

/* As glibc's, 2.21 and later: the value, then how many wait, then whether processes share it. */
int static_sem_post(sem_t *s) {
	uint64_t *data = (uint64_t *)s, d = __atomic_load_n(data, __ATOMIC_RELAXED);
	do
		if ((uint32_t)d == SEM_VALUE_MAX)
			return fail(EOVERFLOW);
	while (!__atomic_compare_exchange_n(data, &d, d + 1, 1, __ATOMIC_RELEASE, __ATOMIC_RELAXED));
	if (d >> 32)
		enter(SYS_futex, WORD(s), FUTEX_WAKE | (((int *)s)[2] ? 0 : FUTEX_PRIVATE_FLAG), 1, 0, 0, 0);
	return 0;
}

/* This thread's stack is the mapping that we are in; the first thread's still grows. */
int static_pthread_getattr_np(pthread_t t, pthread_attr_t *a) {
	uintptr_t here = (uintptr_t)__builtin_frame_address(0), low, high, below = 0;
	char line[512];
	struct rlimit limit;
	int error = ESRCH;
	FILE *maps = pthread_equal(t, pthread_self()) ? fopen("/proc/self/maps", "re") : NULL;
	while (maps && error != 0 && fgets_unlocked(line, sizeof line, maps)) {
		if (sscanf(line, "%lx-%lx", &low, &high) != 2)
			continue;
		if (here < low || here >= high) {
			below = high;
			continue;
		}
		if (strstr(line, "[stack]") && getrlimit(RLIMIT_STACK, &limit) == 0) {
			if (limit.rlim_cur < high && high - limit.rlim_cur < low)
				low = high - limit.rlim_cur;
			if (low < below)
				low = below;
		}
		error = pthread_attr_init(a);
		if (error == 0)
			error = pthread_attr_setstack(a, (void *)low, high - low);
	}
	if (maps)
		fclose(maps);
	return error;
}

#define STATIC_STREAM(result, name, parameters, call, file) \
	result static_##name parameters { \
		FILE *of = file; \
		result r; \
		if (of) \
			own.flockfile(of); \
		r = call; \
		if (of) \
			own.funlockfile(of); \
		return r; \
	}

/* As libc's getdelim. */
static ssize_t read_until(char **line, size_t *size, int end, FILE *f) {
	ssize_t n = 0;
	int c;
	if (!line || !size)
		return fail(EINVAL);
	if (!*line)
		*size = 0;
	for (;;) {
		if (*size < (size_t)n + 2) {
			size_t more = *size ? 2 * *size : 120;
			char *grown = realloc(*line, more);
			if (!grown)
				return -1;
			*line = grown;
			*size = more;
		}
		if ((c = fgetc_unlocked(f)) == EOF)
			break;
		(*line)[n++] = (char)c;
		if (c == end)
			break;
	}
	(*line)[n] = 0;
	return n ? n : -1;
}

STATIC_STREAM(int, fputs, (const char *s, FILE *f), fputs_unlocked(s, f), f)
STATIC_STREAM(int, puts, (const char *s), fputs_unlocked(s, stdout) < 0 ? EOF : putc_unlocked('\n', stdout), stdout)
STATIC_STREAM(int, fputc, (int c, FILE *f), fputc_unlocked(c, f), f)
STATIC_STREAM(int, putc, (int c, FILE *f), fputc_unlocked(c, f), f)
STATIC_STREAM(int, putchar, (int c), fputc_unlocked(c, stdout), stdout)
STATIC_STREAM(size_t, fwrite, (const void *p, size_t size, size_t n, FILE *f), fwrite_unlocked(p, size, n, f), f)
STATIC_STREAM(int, fflush, (FILE *f), fflush_unlocked(f), f)
STATIC_STREAM(int, fgetc, (FILE *f), fgetc_unlocked(f), f)
STATIC_STREAM(int, getc, (FILE *f), fgetc_unlocked(f), f)
STATIC_STREAM(char *, fgets, (char *s, int n, FILE *f), fgets_unlocked(s, n, f), f)
STATIC_STREAM(ssize_t, getdelim, (char **line, size_t *size, int end, FILE *f), read_until(line, size, end, f), f)
STATIC_STREAM(ssize_t, getline, (char **line, size_t *size, FILE *f), read_until(line, size, '\n', f), f)
STATIC_STREAM(size_t, fread, (void *p, size_t size, size_t n, FILE *f), fread_unlocked(p, size, n, f), f)

/* glibc's other names for these are in the same file of its archive: then there were two definitions of this name. */
int static_vfprintf(FILE *f, const char *format, va_list a) {
	char *s;
	int n = vasprintf(&s, format, a);
	if (n < 0)
		return n;
	if (own.fwrite(s, 1, (size_t)n, f) != (size_t)n)
		n = -1;
	free(s);
	return n;
}
int static_vprintf(const char *format, va_list a) { return static_vfprintf(stdout, format, a); }
int static___vfprintf_chk(FILE *f, int flag, const char *format, va_list a) {
	(void)flag;
	return static_vfprintf(f, format, a);
}
int static___vprintf_chk(int flag, const char *format, va_list a) { return static___vfprintf_chk(stdout, flag, format, a); }

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

int static_open(const char *path, int flags, ...) {
	OPEN_MODE(mode, flags);
	return (int)enter(SYS_openat, AT_FDCWD, WORD(path), flags, mode, 0, 0);
}

int static_openat(int dir, const char *path, int flags, ...) {
	OPEN_MODE(mode, flags);
	return (int)enter(SYS_openat, dir, WORD(path), flags, mode, 0, 0);
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
	static const char line[] = "seam: with package netio, parked or coro functions this C library can't be linked statically: there is no function that seam could call for ";
	if (libc.write(2, line, sizeof line - 1) < 0 || libc.write(2, name, strlen(name)) < 0 || libc.write(2, "\n", 1) < 0)
		abort();
	abort();
}

#define MISSING(result, name, n, parameters, ...) \
	static void missing_##name(void) { \
		say_missing(#name); \
		abort(); \
	}
NAMED_FUNCTIONS(MISSING)
static void *either(void *f, void (*otherwise)(void)) { return f ? f : (void *)otherwise; }
#define missing(name) either((void *)static_##name, missing_##name)

/* The condition's functions have an older version, which dlsym may find. */
#if defined(__x86_64__)
#define NEW_VERSION "GLIBC_2.3.2"
#else
#define NEW_VERSION "GLIBC_2.17"
#endif

static void *next_definition(const char *name) {
	void *f = NULL;
	if (strcmp(name, "io_getevents") == 0) /* libaio's is the system call, as ours; and see below */
		return NULL;
	if (strncmp(name, "pthread_cond", 12) == 0 && strcmp(name, "pthread_cond_clockwait") != 0)
		f = dlvsym(RTLD_NEXT, name, NEW_VERSION);
	return f ? f : dlsym(RTLD_NEXT, name);
}

/* Where dlsym finds nothing it allocates its error, and an allocator that is preloaded (jemalloc's) comes
   back here for its locks, files and syscall: those are there before anything can be missing. One that is at
   its first call (tcmalloc's, which asks pthread_once) hangs on its own lock then: so nothing that glibc 2.30
   or later lacks is asked for. */
#define FIRST_OF_ALL(F) F(pthread_mutex_lock) F(pthread_mutex_trylock) F(pthread_mutex_unlock) F(syscall) F(open) F(open64) F(openat)

void resolve_own(void) {
	static __thread int resolving __attribute__((tls_model("initial-exec")));
	int keep = errno;
	Dl_info ours, theirs;
	void *f;
	if (resolving)
		return;
	resolving = 1;
#define RESOLVE_FIRST(name) \
	f = dlsym(RTLD_NEXT, #name); \
	memcpy(&own.name, &f, sizeof f);
	FIRST_OF_ALL(RESOLVE_FIRST)
#define OWN_RESOLVE(result, name, ...) \
	f = next_definition(#name); \
	if (!f) \
		f = missing(name); \
	memcpy(&own.name, &f, sizeof f);
	NAMED_FUNCTIONS(OWN_RESOLVE)
#undef missing
#define missing(name) (void *)static_##name
	SYSTEM_WAITS(OWN_RESOLVE)
	c11_is_libcs = own.mtx_lock == static_mtx_lock ||
		(dladdr((void *)own.mtx_lock, &theirs) && dladdr((void *)own.pthread_mutex_lock, &ours) && ours.dli_fbase == theirs.dli_fbase);
	__atomic_store_n(&own_resolved, 1, __ATOMIC_RELEASE);
	resolving = 0;
	errno = keep;
}

static __attribute__((constructor(101))) void resolve_own_first(void) { need_own(); }

#endif
