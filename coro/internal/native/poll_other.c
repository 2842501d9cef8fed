//go:build cgo && !linux

// Waiting for descriptors where there is nothing better.
#include "native.h"

#ifdef _WIN32
// Descriptors of Windows are not waited for.
int seam_poll_one(int fd, uint32_t *events, int ms) {
	(void)fd;
	(void)events;
	(void)ms;
	return SEAM_EMISUSE;
}

int seam_poll_many(void *fds, uint64_t n, int ms) {
	(void)fds;
	(void)n;
	(void)ms;
	return SEAM_EMISUSE;
}
#else
#include <errno.h>
#include <poll.h>

int seam_poll_many(void *fds, uint64_t n, int ms) {
	int found = poll(fds, (nfds_t)n, ms);
	return found >= 0 ? found : errno == EINTR ? 0 : SEAM_ENOMEM;
}

int seam_poll_one(int fd, uint32_t *events, int ms) {
	struct pollfd p = {.fd = fd, .events = (short)*events};
	int found = fd < 0 ? SEAM_EBADF : seam_poll_many(&p, 1, ms);
	if (found > 0 && (p.revents & POLLNVAL))
		return SEAM_EBADF;
	if (found > 0)
		*events = (uint32_t)p.revents;
	return found;
}
#endif
