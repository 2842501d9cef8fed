//go:build cgo && linux && !android && (amd64 || arm64) && !msan

// Closing. On Linux a wait for a descriptor that is closed hangs; the pollers of package coro
// end it if they are told.
#include "netio.h"

#include <fcntl.h>

extern void seam_coro_closing(int fd) __attribute__((weak));
extern void seam_coro_closed(int fd) __attribute__((weak));

static void closing(int fd) {
	if (seam_coro_closing)
		seam_coro_closing(fd);
}

// This is for waits that began between the announcement and the close. After a call that has
// failed it does no harm.
static void closed(int fd) {
	if (seam_coro_closed)
		seam_coro_closed(fd);
}

int netio_close(int fd) {
	closing(fd);
	int r = libc.close(fd);
	closed(fd);
	return r;
}

// dup2 and dup3 close the descriptor that they replace, unless they fail.
static void replacing(int from, int to) {
	int keep = errno;
	if (from != to && fcntl(from, F_GETFD) >= 0)
		closing(to);
	errno = keep;
}

int netio_dup2(int from, int to) {
	replacing(from, to);
	int r = libc.dup2(from, to);
	closed(to);
	return r;
}

int netio_dup3(int from, int to, int flags) {
	if (!(flags & ~O_CLOEXEC))
		replacing(from, to);
	int r = libc.dup3(from, to, flags);
	closed(to);
	return r;
}
