//go:build cgo && linux && !android && (amd64 || arm64) && !msan

// epoll_wait and its forms. An epoll descriptor can be waited for like any other: it is
// readable when it has events. The signal mask works as in ppoll.
#include "netio.h"

static int epoll_until(seam_coro *co, int epfd, struct epoll_event *events, int max, int64_t deadline, const sigset_t *mask) {
	int ignored;
	LOOK_UNTIL(libc.epoll_pwait(epfd, events, max, 0, mask), 0, wait_one(co, epfd, SEAM_READ, deadline, &ignored))
}

int netio_epoll_wait(int epfd, struct epoll_event *events, int max, int ms) {
	seam_coro *co = self();
	if (!co || ms == 0)
		return libc.epoll_wait(epfd, events, max, ms);
	return epoll_until(co, epfd, events, max, after(ms * INT64_C(1000000)), NULL);
}

int netio_epoll_pwait(int epfd, struct epoll_event *events, int max, int ms, const sigset_t *mask) {
	seam_coro *co = self();
	sigset_t with;
	if (co)
		mask = with_sigurg(mask, &with);
	if (!co || ms == 0)
		return libc.epoll_pwait(epfd, events, max, ms, mask);
	return epoll_until(co, epfd, events, max, after(ms * INT64_C(1000000)), mask);
}

int netio_epoll_pwait2(int epfd, struct epoll_event *events, int max, const struct timespec *timeout, const sigset_t *mask) {
	seam_coro *co = self();
	sigset_t with;
	if (co)
		mask = with_sigurg(mask, &with);
	if (!co || (timeout && (!valid_time(timeout) || nanoseconds(timeout) == 0)))
		return libc.epoll_pwait2(epfd, events, max, timeout, mask);
	return epoll_until(co, epfd, events, max, timeout ? after(nanoseconds(timeout)) : FOREVER, mask);
}
