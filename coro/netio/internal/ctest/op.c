//go:build cgo && linux && !android && (amd64 || arm64)

// The calls, by the names of libc. This file is also what the libraries of the tests
// are made of: it refers to nothing else.
#undef _FORTIFY_SOURCE
#undef _GNU_SOURCE
#define _GNU_SOURCE
#include "op.h"

#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

ssize_t read_chk(int, void *, size_t, size_t) __asm__("__read_chk");
ssize_t recv_chk(int, void *, size_t, size_t, int) __asm__("__recv_chk");
ssize_t recvfrom_chk(int, void *, size_t, size_t, int, struct sockaddr *, socklen_t *) __asm__("__recvfrom_chk");
int poll_chk(struct pollfd *, nfds_t, int, size_t) __asm__("__poll_chk");
int ppoll_chk(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *, size_t) __asm__("__ppoll_chk");
extern int my_epoll_pwait2(int, struct epoll_event *, int, const struct timespec *, const sigset_t *) __asm__("epoll_pwait2");

// errno of the thread that we are on by now.
__attribute__((noinline)) static int errno_now(void) {
	__asm__ volatile("" ::: "memory");
	return errno;
}
__attribute__((noinline)) static void set_errno_now(int e) {
	__asm__ volatile("" ::: "memory");
	errno = e;
}

static int split(struct seam_test_op *op, struct iovec *iov) {
	int parts = op->parts > 0 ? op->parts : 1;
	size_t each = op->n / (size_t)parts;
	for (int i = 0; i < parts; i++)
		iov[i] = (struct iovec){(char *)op->buf + each * (size_t)i, i == parts - 1 ? op->n - each * (size_t)i : each};
	return op->parts < 0 ? op->parts : parts;
}

static void get_ready(struct seam_test_op *op, int n, struct epoll_event *events) {
	for (int i = 0; i < n && i < 8; i++)
		op->fds[i] = (struct seam_test_pollfd){events[i].data.fd, 0, (int16_t)events[i].events};
}

static int do_select(struct seam_test_op *op, struct timespec *ts, sigset_t *mask) {
	enum { WIDE = 64 * 1024 / 8 };
	static const short bits[3] = {POLLIN, POLLOUT, POLLPRI};
	fd_set *sets[3];
	int top = op->n ? (int)op->n : 0, r;
	for (int s = 0; s < 3; s++) {
		sets[s] = calloc(1, WIDE);
		for (int i = 0; i < op->nfds; i++) {
			if (op->fds[i].events & bits[s])
				((unsigned char *)sets[s])[op->fds[i].fd / 8] |= (unsigned char)(1 << op->fds[i].fd % 8);
			if (op->n == 0 && op->fds[i].fd >= top)
				top = op->fds[i].fd + 1;
		}
	}
	set_errno_now(SEAM_TEST_ERRNO);
	if (op->kind == OP_SELECT) {
		struct timeval tv = {.tv_sec = ts ? ts->tv_sec : 0, .tv_usec = ts ? ts->tv_nsec / 1000 : 0};
		r = select(top, sets[0], sets[1], sets[2], ts ? &tv : NULL);
		op->left = ts ? tv.tv_sec * INT64_C(1000000000) + tv.tv_usec * INT64_C(1000) : -1;
	} else
		r = pselect(top, sets[0], sets[1], sets[2], ts, mask);
	int err = errno_now();
	for (int i = 0; i < op->nfds; i++) {
		op->fds[i].revents = 0;
		for (int s = 0; s < 3; s++)
			if (((unsigned char *)sets[s])[op->fds[i].fd / 8] >> op->fds[i].fd % 8 & 1)
				op->fds[i].revents |= bits[s];
	}
	for (int s = 0; s < 3; s++)
		free(sets[s]);
	set_errno_now(err);
	return r;
}

static int64_t once(struct seam_test_op *op) {
	struct iovec iov[1024];
	struct epoll_event events[8];
	struct timespec t = {.tv_sec = op->timeout / 1000000000, .tv_nsec = op->timeout % 1000000000}, *ts = op->timeout < 0 ? NULL : &t, left = {-1, -1};
	int ms = op->timeout < 0 ? -1 : (int)(op->timeout / 1000000);
	struct sockaddr *addr = op->addrlen ? (struct sockaddr *)op->addr : NULL;
	socklen_t addrlen = op->addrlen, *len = op->addrlen ? &addrlen : NULL;
	struct msghdr msg = {0};
	sigset_t set, *mask = op->masked ? &set : NULL;
	int64_t r;
	sigemptyset(&set);
	if (op->kind == OP_READV || op->kind == OP_WRITEV || op->kind == OP_RECVMSG || op->kind == OP_SENDMSG) {
		int n = split(op, iov);
		msg = (struct msghdr){.msg_iov = iov, .msg_iovlen = (size_t)n, .msg_name = addr, .msg_namelen = addrlen,
			.msg_control = op->controllen ? op->control : NULL, .msg_controllen = op->controllen};
	}
	set_errno_now(SEAM_TEST_ERRNO);
	switch (op->kind) {
	case OP_READ: return read(op->fd, op->buf, op->n);
	case OP_READV: return readv(op->fd, iov, (int)msg.msg_iovlen);
	case OP_RECV: return recv(op->fd, op->buf, op->n, op->flags);
	case OP_RECVFROM:
		r = recvfrom(op->fd, op->buf, op->n, op->flags, addr, len);
		op->addrlen = addrlen;
		return r;
	case OP_RECVMSG:
		r = recvmsg(op->fd, &msg, op->flags);
		op->addrlen = msg.msg_namelen;
		op->controllen = (uint32_t)msg.msg_controllen;
		op->msg_flags = msg.msg_flags;
		return r;
	case OP_WRITE: return write(op->fd, op->buf, op->n);
	case OP_WRITEV: return writev(op->fd, iov, (int)msg.msg_iovlen);
	case OP_SEND: return send(op->fd, op->buf, op->n, op->flags);
	case OP_SENDTO: return sendto(op->fd, op->buf, op->n, op->flags, addr, addrlen);
	case OP_SENDMSG: return sendmsg(op->fd, &msg, op->flags);
	case OP_CONNECT: return connect(op->fd, (struct sockaddr *)op->addr, addrlen);
	case OP_ACCEPT:
		r = accept(op->fd, addr, len);
		op->addrlen = addrlen;
		return r;
	case OP_ACCEPT4:
		r = accept4(op->fd, addr, len, op->flags);
		op->addrlen = addrlen;
		return r;
	case OP_POLL: return poll(op->buf ? op->buf : (struct pollfd *)op->fds, (nfds_t)op->nfds, ms);
	case OP_PPOLL: return ppoll(op->buf ? op->buf : (struct pollfd *)op->fds, (nfds_t)op->nfds, ts, mask);
	case OP_SELECT: case OP_PSELECT: return do_select(op, ts, mask);
	case OP_EPOLL_WAIT: r = epoll_wait(op->fd, events, op->parts, ms); break;
	case OP_EPOLL_PWAIT: r = epoll_pwait(op->fd, events, op->parts, ms, mask); break;
	case OP_EPOLL_PWAIT2: r = my_epoll_pwait2(op->fd, events, op->parts, ts, mask); break;
	case OP_NANOSLEEP: r = nanosleep(&t, &left); goto time_left;
	case OP_CLOCK_NANOSLEEP: r = clock_nanosleep(op->clock, op->flags, &t, &left); goto time_left;
	case OP_USLEEP: return usleep((useconds_t)(op->timeout / 1000));
	case OP_SLEEP: return sleep((unsigned)(op->timeout / 1000000000));
	case OP_CLOSE: return close(op->fd);
	case OP_DUP2: return dup2(op->fd, op->fd2);
	case OP_DUP3: return dup3(op->fd, op->fd2, op->flags);
	case OP_GETADDRINFO: {
		struct addrinfo *list = NULL, hints = {.ai_socktype = SOCK_STREAM, .ai_flags = op->flags};
		r = getaddrinfo(op->buf, NULL, &hints, &list);
		if (list) {
			int err = errno_now();
			op->addrlen = list->ai_addrlen;
			memcpy(op->addr, list->ai_addr, list->ai_addrlen);
			freeaddrinfo(list);
			set_errno_now(err);
		}
		return r;
	}
	case OP_READ_CHK: return read_chk(op->fd, op->buf, op->n, op->n);
	case OP_RECV_CHK: return recv_chk(op->fd, op->buf, op->n, op->n, op->flags);
	case OP_RECVFROM_CHK:
		r = recvfrom_chk(op->fd, op->buf, op->n, op->n, op->flags, addr, len);
		op->addrlen = addrlen;
		return r;
	case OP_POLL_CHK: return poll_chk((struct pollfd *)op->fds, (nfds_t)op->nfds, ms, (size_t)op->nfds * sizeof(struct pollfd));
	case OP_PPOLL_CHK: return ppoll_chk((struct pollfd *)op->fds, (nfds_t)op->nfds, ts, mask, (size_t)op->nfds * sizeof(struct pollfd));
	default: abort();
	}
	get_ready(op, (int)r, events);
	return r;
time_left:
	op->left = left.tv_sec < 0 ? -1 : left.tv_sec * INT64_C(1000000000) + left.tv_nsec;
	return r;
}

void seam_netio_test_plain(struct seam_test_op *op) {
	__atomic_store_n(&op->started, 1, __ATOMIC_RELEASE);
	do {
		op->result = once(op);
		op->err = errno_now();
	} while (op->again-- > 0);
}

int64_t seam_netio_test(seam_coro *co, struct seam_test_op *op) {
	(void)co;
	seam_netio_test_plain(op);
	return op->result;
}
