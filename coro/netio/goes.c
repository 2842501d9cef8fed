//go:build cgo && linux && !android && (amd64 || arm64) && !msan

// What no coroutine can wait for without a thread: it is called through Go, where it keeps neither the processor nor
// other coroutines. In a welded program that is weld's (waitsbygo.c).
#include "netio.h"
#include "locks.h"
#ifdef SEAM_HAS_LOCKS

#include <fcntl.h>

#define BY_GO(result, f, n, arguments, how) \
	const long words[8] = {WORDS##n arguments}; \
	return (result)through_go(co, (go_call *)(void *)f, how, words)

#define DEFINE_PARKS(...)
#define DEFINE_GO(result, name, n, parameters, arguments, signal, first) \
	result netio_##name parameters { \
		seam_coro *co = self(); \
		int keep = get_errno(); \
		long r = -1; \
		need_own(); \
		if (!co) \
			return own.name arguments; \
		if (first) \
			return (result)r; \
		set_errno(keep); \
		BY_GO(result, own.name, n, arguments, signal ? THROUGH_GO_QUIET : 0); \
	}
#define DEFINE(result, name, n, parameters, arguments, how, signal, otherwise, first) \
	DEFINE_##how(result, name, n, parameters, arguments, signal, first)
SYSTEM_WAITS(DEFINE)
OTHER_WAITS(DEFINE)

int netio_sigsuspend(const sigset_t *mask) {
	seam_coro *co = self();
	sigset_t with;
	need_own();
	if (!co)
		return own.sigsuspend(mask);
	BY_GO(int, own.sigsuspend, 1, (with_sigurg(mask, &with)), THROUGH_GO_QUIET);
}

static int file_lock(int fd, int what, long argument) {
	seam_coro *co = what == F_SETLKW || what == F_OFD_SETLKW ? self() : NULL;
	int keep = get_errno(), r;
	need_own();
	if (!co)
		return own.fcntl(fd, what, argument);
	r = own.fcntl(fd, what == F_SETLKW ? F_SETLK : F_OFD_SETLK, argument);
	if (r == 0 || (get_errno() != EAGAIN && get_errno() != EACCES))
		return r;
	set_errno(keep);
	BY_GO(int, own.fcntl, 3, (fd, what, argument), 0);
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

static long call_system(long number, long a, long b, long c, long d, long e, long f, long unused) {
	(void)unused;
	return own.syscall(number, a, b, c, d, e, f);
}

enum { IO_URING_ENTER = 426, GETEVENTS = 1, SQ_WAIT = 4 };

long plain_syscall(seam_coro *co, long number, const long *a) {
	const long words[8] = {number, a[0], a[1], a[2], a[3], a[4], a[5]};
	long r;
	if (co)
		switch (number) {
		case SYS_futex:
			switch (a[1] & FUTEX_CMD_MASK) {
			case FUTEX_WAIT:
			case FUTEX_WAIT_BITSET:
			case FUTEX_LOCK_PI:
			case FUTEX_WAIT_REQUEUE_PI: // a lock's owner is the thread
				return through_go(co, call_system, THROUGH_GO_HERE | THROUGH_GO_QUIET, words);
			}
			break;
		case IO_URING_ENTER:
			if (!(a[3] & SQ_WAIT) && (!(a[3] & GETEVENTS) || a[2] == 0))
				break;
			r = through_go(co, call_system, THROUGH_GO_QUIET, words);
			if (r >= 0 || get_errno() != EEXIST) // a ring of this thread alone
				return r;
			return through_go(co, call_system, THROUGH_GO_HERE | THROUGH_GO_QUIET, words);
#define CASE(number) case number:
#define CASE_OF(result, name, n, parameters, arguments, how, signal, otherwise, first) case otherwise:
		SYSTEM_CALL_WAITS(CASE)
		SYSTEM_WAITS(CASE_OF)
			return through_go(co, call_system, THROUGH_GO_QUIET, words);
		case SYS_fcntl:
			return file_lock((int)a[0], (int)a[1], a[2]);
		}
	return own.syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

#endif
