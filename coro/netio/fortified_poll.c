//go:build cgo && linux && !android && (amd64 || arm64) && !msan

// fortified.c's for poll and ppoll, which programs have too that seam weld builds with coro functions.
#include "netio.h"

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
