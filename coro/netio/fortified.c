//go:build cgo && linux && !android && (amd64 || arm64) && !msan

// What calls become in libraries compiled with _FORTIFY_SOURCE: the same, plus the size of the
// caller's buffer. libc's own end the program if the buffer is too small.
#include "netio.h"

#include <stdlib.h>

extern void chk_fail(void) __asm__("__chk_fail") __attribute__((weak, noreturn));

static void check(int fits) {
	if (fits)
		return;
	if (chk_fail)
		chk_fail();
	abort(); // other libcs have no such functions, and so no callers of them
}

ssize_t netio_read_chk(int fd, void *buf, size_t n, size_t room) LIBC(__read_chk);
ssize_t netio_read_chk(int fd, void *buf, size_t n, size_t room) {
	check(n <= room);
	return netio_read(fd, buf, n);
}

ssize_t netio_recv_chk(int fd, void *buf, size_t n, size_t room, int flags) LIBC(__recv_chk);
ssize_t netio_recv_chk(int fd, void *buf, size_t n, size_t room, int flags) {
	check(n <= room);
	return netio_recv(fd, buf, n, flags);
}

ssize_t netio_recvfrom_chk(int fd, void *buf, size_t n, size_t room, int flags, struct sockaddr *addr, socklen_t *addrlen) LIBC(__recvfrom_chk);
ssize_t netio_recvfrom_chk(int fd, void *buf, size_t n, size_t room, int flags, struct sockaddr *addr, socklen_t *addrlen) {
	check(n <= room);
	return netio_recvfrom(fd, buf, n, flags, addr, addrlen);
}

int netio_poll_chk(struct pollfd *fds, nfds_t n, int ms, size_t room) LIBC(__poll_chk);
int netio_poll_chk(struct pollfd *fds, nfds_t n, int ms, size_t room) {
	check(n <= room / sizeof *fds);
	return netio_poll(fds, n, ms);
}

int netio_ppoll_chk(struct pollfd *fds, nfds_t n, const struct timespec *timeout, const sigset_t *mask, size_t room) LIBC(__ppoll_chk);
int netio_ppoll_chk(struct pollfd *fds, nfds_t n, const struct timespec *timeout, const sigset_t *mask, size_t room) {
	check(n <= room / sizeof *fds);
	return netio_ppoll(fds, n, timeout, mask);
}
