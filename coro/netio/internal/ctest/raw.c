//go:build cgo && linux && !android && (amd64 || arm64)

// The calls as bare system calls: what libc must look like, with nobody between.
#undef _FORTIFY_SOURCE
#undef _GNU_SOURCE
#define _GNU_SOURCE
#include "raw.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static int raw_select(struct seam_test_op *op, struct timespec *ts) {
	enum { WIDE = 64 * 1024 / 8 };
	static const short bits[3] = {POLLIN, POLLOUT, POLLPRI};
	unsigned char *sets[3];
	int top = op->n ? (int)op->n : 0, r;
	for (int s = 0; s < 3; s++) {
		sets[s] = calloc(1, WIDE);
		for (int i = 0; i < op->nfds; i++) {
			if (op->fds[i].events & bits[s])
				sets[s][op->fds[i].fd / 8] |= (unsigned char)(1 << op->fds[i].fd % 8);
			if (op->n == 0 && op->fds[i].fd >= top)
				top = op->fds[i].fd + 1;
		}
	}
	errno = SEAM_TEST_ERRNO;
	r = (int)syscall(SYS_pselect6, top, sets[0], sets[1], sets[2], ts, NULL);
	int err = errno;
	if (op->kind == OP_SELECT)
		op->left = ts ? ts->tv_sec * INT64_C(1000000000) + ts->tv_nsec / 1000 * 1000 : -1;
	for (int i = 0; i < op->nfds; i++) {
		op->fds[i].revents = 0;
		for (int s = 0; s < 3; s++)
			if (sets[s][op->fds[i].fd / 8] >> op->fds[i].fd % 8 & 1)
				op->fds[i].revents |= bits[s];
	}
	for (int s = 0; s < 3; s++)
		free(sets[s]);
	errno = err;
	return r;
}

static int64_t once(struct seam_test_op *op) {
	struct iovec iov[1024];
	struct epoll_event events[8];
	struct timespec t = {.tv_sec = op->timeout / 1000000000, .tv_nsec = op->timeout % 1000000000}, *ts = op->timeout < 0 ? NULL : &t, left = {-1, -1};
	int ms = op->timeout < 0 ? -1 : (int)(op->timeout / 1000000);
	void *addr = op->addrlen ? op->addr : NULL;
	socklen_t addrlen = op->addrlen, *len = op->addrlen ? &addrlen : NULL;
	int parts = op->parts > 0 ? op->parts : 1;
	size_t each = op->n / (size_t)parts;
	int64_t r;
	for (int i = 0; i < parts; i++)
		iov[i] = (struct iovec){(char *)op->buf + each * (size_t)i, i == parts - 1 ? op->n - each * (size_t)i : each};
	if (op->parts < 0)
		parts = op->parts;
	struct msghdr msg = {.msg_iov = iov, .msg_iovlen = (size_t)parts, .msg_name = addr, .msg_namelen = addrlen,
		.msg_control = op->controllen ? op->control : NULL, .msg_controllen = op->controllen};
	errno = SEAM_TEST_ERRNO;
	switch (op->kind) {
	case OP_READ: return syscall(SYS_read, op->fd, op->buf, op->n);
	case OP_READV: return syscall(SYS_readv, op->fd, iov, parts);
	case OP_RECV: return syscall(SYS_recvfrom, op->fd, op->buf, op->n, op->flags, NULL, NULL);
	case OP_RECVFROM:
		r = syscall(SYS_recvfrom, op->fd, op->buf, op->n, op->flags, addr, len);
		op->addrlen = addrlen;
		return r;
	case OP_RECVMSG:
		r = syscall(SYS_recvmsg, op->fd, &msg, op->flags);
		op->addrlen = msg.msg_namelen;
		op->controllen = (uint32_t)msg.msg_controllen;
		op->msg_flags = msg.msg_flags;
		return r;
	case OP_WRITE: return syscall(SYS_write, op->fd, op->buf, op->n);
	case OP_WRITEV: return syscall(SYS_writev, op->fd, iov, parts);
	case OP_SEND: return syscall(SYS_sendto, op->fd, op->buf, op->n, op->flags, NULL, 0);
	case OP_SENDTO: return syscall(SYS_sendto, op->fd, op->buf, op->n, op->flags, addr, addrlen);
	case OP_SENDMSG: return syscall(SYS_sendmsg, op->fd, &msg, op->flags);
	case OP_CONNECT: return syscall(SYS_connect, op->fd, op->addr, addrlen);
	case OP_ACCEPT:
		r = syscall(SYS_accept, op->fd, addr, len);
		op->addrlen = addrlen;
		return r;
	case OP_ACCEPT4:
		r = syscall(SYS_accept4, op->fd, addr, len, op->flags);
		op->addrlen = addrlen;
		return r;
	case OP_POLL: case OP_PPOLL: return syscall(SYS_ppoll, op->fds, op->nfds, ts, NULL, 8);
	case OP_SELECT: case OP_PSELECT: return raw_select(op, ts);
	case OP_EPOLL_WAIT: case OP_EPOLL_PWAIT: case OP_EPOLL_PWAIT2:
		r = syscall(SYS_epoll_pwait, op->fd, events, op->parts, ms, NULL, 8);
		for (int i = 0; i < r && i < 8; i++)
			op->fds[i] = (struct seam_test_pollfd){events[i].data.fd, 0, (int16_t)events[i].events};
		return r;
	case OP_NANOSLEEP: r = syscall(SYS_nanosleep, &t, &left); break;
	case OP_CLOCK_NANOSLEEP:
		r = syscall(SYS_clock_nanosleep, op->clock, op->flags, &t, &left) == 0 ? 0 : errno;
		errno = SEAM_TEST_ERRNO;
		break;
	case OP_CLOSE: return syscall(SYS_close, op->fd);
	case OP_DUP2:
		if (op->fd == op->fd2)
			return syscall(SYS_fcntl, op->fd, 1 /* F_GETFD */) < 0 ? -1 : op->fd2;
		return syscall(SYS_dup3, op->fd, op->fd2, 0);
	case OP_DUP3: return syscall(SYS_dup3, op->fd, op->fd2, op->flags);
	default: abort();
	}
	op->left = left.tv_sec < 0 ? -1 : left.tv_sec * INT64_C(1000000000) + left.tv_nsec;
	return r;
}

void seam_netio_test_raw(struct seam_test_op *op) {
	op->result = once(op);
	op->err = errno;
}
