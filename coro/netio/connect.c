//go:build cgo && linux && !android && (amd64 || arm64) && !msan

// connect and accept.
#include "netio.h"

#include <fcntl.h>

// A second connect says how a pending connect went, so we repeat it until the answer is no
// longer "in progress". The call has no flag for "don't wait", so we make the descriptor
// non-blocking for the moment.
int netio_connect(int fd, const struct sockaddr *addr, socklen_t addrlen) {
	seam_coro *co = self();
	if (!co)
		return libc.connect(fd, addr, addrlen);
	struct transfer t = {.errno_before = get_errno()};
	int flags = fcntl(fd, F_GETFL), type = option(fd, SO_TYPE);
	if (flags < 0 || (flags & O_NONBLOCK) || type < 0 || type == SOCK_DGRAM) {
		done(&t);
		return libc.connect(fd, addr, addrlen);
	}
	for (;;) {
		if (fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0)
			return -1;
		int r = libc.connect(fd, addr, addrlen), err = r == 0 ? 0 : get_errno(), waited;
		fcntl(fd, F_SETFL, flags);
		if (err == 0 || (err == EISCONN && t.waits > 0)) {
			done(&t);
			return 0;
		}
		if (err == EINPROGRESS || err == EALREADY)
			waited = await(co, &t, fd, SEAM_WRITE);
		else if (err == EAGAIN && option(fd, SO_DOMAIN) == AF_UNIX) {
			// The listener's queue is full, and no event says when it has room again.
			waited = 0;
			if (t.deadline == 0)
				t.deadline = socket_deadline(fd, SEAM_WRITE);
			if (now() >= t.deadline)
				waited = EAGAIN;
			else
				waited = pause_for(co, INT64_C(500000) << (t.waits < 5 ? t.waits++ : 5));
		} else
			return fail(err);
		if (waited)
			return fail(waited == EAGAIN ? err : waited);
	}
}

// accept waits only for listening sockets; with others, and with wrong flags, it fails at
// once.
static int accept_with(seam_coro *co, int fd, struct sockaddr *addr, socklen_t *addrlen, int flags, int has_flags) {
	struct transfer t = {.errno_before = get_errno()};
	int listening = option(fd, SO_ACCEPTCONN) == 1 && !(flags & ~(SOCK_NONBLOCK | SOCK_CLOEXEC));
	for (;;) {
		pthread_mutex_t *lock = lock_file(fd);
		int r;
		if (!listening || ready(fd, POLLIN))
			r = has_flags ? libc.accept4(fd, addr, addrlen, flags) : libc.accept(fd, addr, addrlen);
		else
			r = fail(EAGAIN);
		int err = r < 0 ? get_errno() : 0;
		pthread_mutex_unlock(lock);
		if (r >= 0) {
			done(&t);
			return r;
		}
		if (err == EAGAIN)
			err = await(co, &t, fd, SEAM_READ);
		if (err)
			return fail(err);
	}
}

int netio_accept(int fd, struct sockaddr *addr, socklen_t *addrlen) {
	seam_coro *co = self();
	return co ? accept_with(co, fd, addr, addrlen, 0, 0) : libc.accept(fd, addr, addrlen);
}

int netio_accept4(int fd, struct sockaddr *addr, socklen_t *addrlen, int flags) {
	seam_coro *co = self();
	return co ? accept_with(co, fd, addr, addrlen, flags, 1) : libc.accept4(fd, addr, addrlen, flags);
}
