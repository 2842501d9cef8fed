//go:build cgo && linux && !android && (amd64 || arm64) && !msan

// poll and ppoll. The signal mask of ppoll is in effect while it checks the descriptors, not
// while the coroutine waits: the mask belongs to the thread, which then serves others. A
// signal that the mask lets through ends the wait only if it came before it.
#include "netio.h"

static int poll_until(seam_coro *co, struct pollfd *fds, nfds_t n, int64_t deadline, const sigset_t *mask) {
	static const struct timespec zero;
	LOOK_UNTIL(libc.ppoll(fds, n, &zero, mask), 0, wait_all(co, fds, n, deadline))
}

int netio_poll(struct pollfd *fds, nfds_t n, int ms) {
	seam_coro *co = self();
	if (!co)
		return libc.poll(fds, n, ms);
	return poll_until(co, fds, n, after(ms * INT64_C(1000000)), NULL);
}

int netio_ppoll(struct pollfd *fds, nfds_t n, const struct timespec *timeout, const sigset_t *mask) {
	seam_coro *co = self();
	sigset_t with;
	if (!co || (timeout && !valid_time(timeout)))
		return libc.ppoll(fds, n, timeout, mask);
	return poll_until(co, fds, n, timeout ? after(nanoseconds(timeout)) : FOREVER, with_sigurg(mask, &with));
}
