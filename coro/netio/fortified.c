//go:build cgo && linux && !android && (amd64 || arm64) && !msan

// What calls become in libraries compiled with _FORTIFY_SOURCE: the same, plus the size of the
// caller's buffer. libc's own end the program if the buffer is too small.
#include "netio.h"

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
