//go:build cgo && linux && !android && (amd64 || arm64) && !msan

// Locks of files, files that wait for another to open them, and what waits by the name of its system call: wait_by_go knows who calls it.
#include "netio.h"
#include "locks.h"
#ifdef SEAM_HAS_LOCKS

#include <fcntl.h>
#include <sys/stat.h>

static long call_fcntl(long fd, long what, long argument, long a, long b, long c, long d, long e) {
	(void)a, (void)b, (void)c, (void)d, (void)e;
	return own.fcntl((int)fd, (int)what, argument);
}

static int file_lock(int fd, int what, long argument) {
	int waits = what == F_SETLKW || what == F_OFD_SETLKW, keep = get_errno(), r;
	need_own();
	r = own.fcntl(fd, what == F_SETLKW ? F_SETLK : waits ? F_OFD_SETLK : what, argument);
	if (!waits || r == 0 || (get_errno() != EAGAIN && get_errno() != EACCES))
		return r;
	set_errno(keep);
	const long words[8] = {fd, what, argument};
	return (int)wait_by_go(call_fcntl, 0, words);
}

#define FCNTL(name) \
	int netio_##name(int fd, int what, ...) { \
		va_list list; \
		va_start(list, what); \
		long argument = va_arg(list, long); \
		va_end(list); \
		return file_lock(fd, what, argument); \
	}
FCNTL(fcntl)
FCNTL(fcntl64)

// To open a FIFO is to wait for its other end, and to open a terminal may be to wait for a line.
static int waits_to_open(int dir, const char *path, int flags) {
	struct stat st;
	int keep = get_errno(), waits;
	need_own();
	if (flags & (O_NONBLOCK | O_PATH) || !waits_by_go())
		return 0;
	waits = fstatat(dir, path, &st, 0) == 0 && (S_ISFIFO(st.st_mode) || S_ISCHR(st.st_mode));
	set_errno(keep);
	return waits;
}

#define OPEN(name, n, dir, parameters, ...) \
	int netio_##name parameters { \
		OPEN_MODE(mode, flags); \
		if (!waits_to_open(dir, path, flags)) \
			return own.name(__VA_ARGS__, (mode_t)mode); \
		const long words[8] = {WORDS##n(__VA_ARGS__, mode)}; \
		return (int)wait_by_go((go_call *)(void *)own.name, 0, words); \
	}
OPEN(open, 3, AT_FDCWD, (const char *path, int flags, ...), path, flags)
OPEN(open64, 3, AT_FDCWD, (const char *path, int flags, ...), path, flags)
OPEN(openat, 4, dir, (int dir, const char *path, int flags, ...), dir, path, flags)
OPEN(openat64, 4, dir, (int dir, const char *path, int flags, ...), dir, path, flags)

static long call_sigsuspend(long mask, long a, long b, long c, long d, long e, long f, long g) {
	(void)a, (void)b, (void)c, (void)d, (void)e, (void)f, (void)g;
	return own.sigsuspend((const sigset_t *)mask);
}

int netio_sigsuspend(const sigset_t *mask) {
	sigset_t with;
	need_own();
	const long words[8] = {WORD(waits_by_go() ? with_sigurg(mask, &with) : mask)};
	return (int)wait_by_go(call_sigsuspend, THROUGH_GO_QUIET, words);
}

static long call_system(long number, long a, long b, long c, long d, long e, long f, long unused) {
	(void)unused;
	return own.syscall(number, a, b, c, d, e, f);
}

enum { IO_URING_ENTER = 426, GETEVENTS = 1, SQ_WAIT = 4, LOCK_PI2 = 13 };

long plain_syscall(long number, const long *a) {
	const long words[8] = {number, a[0], a[1], a[2], a[3], a[4], a[5]};
	long r;
	need_own();
	switch (number) {
	case SYS_futex:
		switch (a[1] & FUTEX_CMD_MASK) {
		case FUTEX_WAIT:
		case FUTEX_WAIT_BITSET:
		case FUTEX_LOCK_PI:
		case LOCK_PI2:
		case FUTEX_WAIT_REQUEUE_PI: // a lock's owner is the thread
			return wait_by_go(call_system, THROUGH_GO_HERE | THROUGH_GO_QUIET, words);
		}
		break;
	case IO_URING_ENTER:
		if (!(a[3] & SQ_WAIT) && (!(a[3] & GETEVENTS) || a[2] == 0))
			break;
		r = wait_by_go(call_system, THROUGH_GO_QUIET, words);
		if (r >= 0 || get_errno() != EEXIST) // a ring of this thread alone
			return r;
		return wait_by_go(call_system, THROUGH_GO_HERE | THROUGH_GO_QUIET, words);
#define CASE(number) case number:
#define CASE_OF(result, name, n, parameters, arguments, how, signal, otherwise, first) case otherwise:
	SYSTEM_CALL_WAITS(CASE)
	SYSTEM_WAITS(CASE_OF)
		return wait_by_go(call_system, THROUGH_GO_QUIET, words);
	case SYS_fcntl:
		return file_lock((int)a[0], (int)a[1], a[2]);
	}
	return own.syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

#endif
