//go:build cgo && linux && !android && (amd64 || arm64) && !msan

// libc's own functions: the next definitions after ours, or those of a preloaded library or a
// sanitizer. They are looked up before main. What runs earlier (constructors of shared
// libraries), and static executables, which have no next definition, make the system call
// itself.
#include "netio.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

APART int get_errno(void) {
	__asm__ volatile("" ::: "memory");
	return errno;
}

APART void set_errno(int e) {
	__asm__ volatile("" ::: "memory");
	errno = e;
}

// The system call as a cancellation point, as libc did it before version 2.41.
static long call(long number, long a, long b, long c, long d, long e, long f) {
	int type;
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &type);
	long r = enter(number, a, b, c, d, e, f);
	pthread_setcanceltype(type, &type);
	return r;
}

#define P(p) ((long)(p))
#define MASK_BYTES 8L // of the kernel's sigset

static ssize_t raw_read(int fd, void *buf, size_t n) { return call(SYS_read, fd, P(buf), P(n), 0, 0, 0); }
static ssize_t raw_readv(int fd, const struct iovec *iov, int count) { return call(SYS_readv, fd, P(iov), count, 0, 0, 0); }
static ssize_t raw_write(int fd, const void *buf, size_t n) { return call(SYS_write, fd, P(buf), P(n), 0, 0, 0); }
static ssize_t raw_writev(int fd, const struct iovec *iov, int count) { return call(SYS_writev, fd, P(iov), count, 0, 0, 0); }

static ssize_t raw_recvfrom(int fd, void *buf, size_t n, int flags, struct sockaddr *addr, socklen_t *addrlen) {
	return call(SYS_recvfrom, fd, P(buf), P(n), flags, P(addr), P(addrlen));
}
static ssize_t raw_recv(int fd, void *buf, size_t n, int flags) { return raw_recvfrom(fd, buf, n, flags, NULL, NULL); }
static ssize_t raw_recvmsg(int fd, struct msghdr *msg, int flags) { return call(SYS_recvmsg, fd, P(msg), flags, 0, 0, 0); }
static ssize_t raw_sendto(int fd, const void *buf, size_t n, int flags, const struct sockaddr *addr, socklen_t addrlen) {
	return call(SYS_sendto, fd, P(buf), P(n), flags, P(addr), addrlen);
}
static ssize_t raw_send(int fd, const void *buf, size_t n, int flags) { return raw_sendto(fd, buf, n, flags, NULL, 0); }
static ssize_t raw_sendmsg(int fd, const struct msghdr *msg, int flags) { return call(SYS_sendmsg, fd, P(msg), flags, 0, 0, 0); }

static int raw_connect(int fd, const struct sockaddr *addr, socklen_t addrlen) {
	return (int)call(SYS_connect, fd, P(addr), addrlen, 0, 0, 0);
}
static int raw_accept(int fd, struct sockaddr *addr, socklen_t *addrlen) {
	return (int)call(SYS_accept, fd, P(addr), P(addrlen), 0, 0, 0);
}
static int raw_accept4(int fd, struct sockaddr *addr, socklen_t *addrlen, int flags) {
	return (int)call(SYS_accept4, fd, P(addr), P(addrlen), flags, 0, 0);
}

// The kernel writes the time left into these timeouts; libc does so only for select.
static int raw_ppoll(struct pollfd *fds, nfds_t n, const struct timespec *timeout, const sigset_t *mask) {
	struct timespec t;
	if (timeout)
		t = *timeout;
	return (int)call(SYS_ppoll, P(fds), P(n), timeout ? P(&t) : 0, P(mask), MASK_BYTES, 0);
}
static int raw_poll(struct pollfd *fds, nfds_t n, int ms) {
	struct timespec t = time_of(ms * INT64_C(1000000));
	return raw_ppoll(fds, n, ms < 0 ? NULL : &t, NULL);
}
static int raw_pselect6(int n, fd_set *r, fd_set *w, fd_set *e, struct timespec *timeout, const sigset_t *mask) {
	struct {
		const sigset_t *mask;
		size_t bytes;
	} masked = {mask, (size_t)MASK_BYTES};
	return (int)call(SYS_pselect6, n, P(r), P(w), P(e), P(timeout), P(&masked));
}
static int raw_pselect(int n, fd_set *r, fd_set *w, fd_set *e, const struct timespec *timeout, const sigset_t *mask) {
	struct timespec t;
	if (timeout)
		t = *timeout;
	return raw_pselect6(n, r, w, e, timeout ? &t : NULL, mask);
}
static int raw_select(int n, fd_set *r, fd_set *w, fd_set *e, struct timeval *timeout) {
	if (!timeout)
		return raw_pselect6(n, r, w, e, NULL, NULL);
	if (timeout->tv_sec < 0 || timeout->tv_usec < 0) {
		errno = EINVAL;
		return -1;
	}
	struct timespec t = {.tv_sec = timeout->tv_sec + timeout->tv_usec / 1000000, .tv_nsec = timeout->tv_usec % 1000000 * 1000};
	int found = raw_pselect6(n, r, w, e, &t, NULL);
	timeout->tv_sec = t.tv_sec;
	timeout->tv_usec = t.tv_nsec / 1000;
	return found;
}

static int raw_epoll_pwait(int epfd, struct epoll_event *events, int max, int ms, const sigset_t *mask) {
	return (int)call(SYS_epoll_pwait, epfd, P(events), max, ms, P(mask), MASK_BYTES);
}
static int raw_epoll_wait(int epfd, struct epoll_event *events, int max, int ms) {
	return raw_epoll_pwait(epfd, events, max, ms, NULL);
}
static int raw_epoll_pwait2(int epfd, struct epoll_event *events, int max, const struct timespec *timeout, const sigset_t *mask) {
	return (int)call(441, epfd, P(events), max, P(timeout), P(mask), MASK_BYTES); // SYS_epoll_pwait2, which older headers lack
}

static int raw_clock_nanosleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *left) {
	int keep = errno, err = 0;
	if (clock == CLOCK_THREAD_CPUTIME_ID)
		return EINVAL;
	if (call(SYS_clock_nanosleep, clock, flags, P(time), P(left), 0, 0) != 0)
		err = errno;
	errno = keep;
	return err;
}
static int raw_nanosleep(const struct timespec *time, struct timespec *left) {
	return (int)call(SYS_nanosleep, P(time), P(left), 0, 0, 0, 0);
}
static int raw_usleep(useconds_t us) {
	struct timespec t = time_of(us * INT64_C(1000));
	return raw_nanosleep(&t, NULL);
}
static unsigned raw_sleep(unsigned seconds) {
	struct timespec t = {.tv_sec = seconds};
	int keep = errno;
	if (raw_nanosleep(&t, &t) != 0)
		return (unsigned)t.tv_sec;
	errno = keep;
	return 0;
}

static int raw_close(int fd) { return (int)call(SYS_close, fd, 0, 0, 0, 0, 0); }
static int raw_dup3(int from, int to, int flags) { return (int)enter(SYS_dup3, from, to, flags, 0, 0, 0); }
static int raw_dup2(int from, int to) {
	if (from == to)
		return fcntl(from, F_GETFD) < 0 ? -1 : to;
	return raw_dup3(from, to, 0);
}

#define LIBC_RAW(result, name, ...) .name = raw_##name,
struct seam_netio_libc libc = {LIBC_FUNCTIONS(LIBC_RAW)};

void resolve(const char *name, void *field) {
	void *f = dlsym(RTLD_NEXT, name);
	if (f)
		memcpy(field, &f, sizeof f);
}

static __attribute__((constructor(101))) void resolve_all(void) {
	int keep = errno;
#define LIBC_RESOLVE(result, name, ...) resolve(#name, &libc.name);
	LIBC_FUNCTIONS(LIBC_RESOLVE)
	errno = keep;
}
