//go:build cgo && linux && !android && (amd64 || arm64) && !msan

// Receiving from and sending to sockets. A call is tried with MSG_DONTWAIT, which affects only
// the call: the descriptor, which others may share, stays as it is.
#include "netio.h"

#include <fcntl.h>
#include <sys/ioctl.h>

#ifndef MSG_ZEROCOPY
#define MSG_ZEROCOPY 0x4000000
#endif

// ---- receiving

static ssize_t receive_once(const struct message *m, int flags) {
	if (m->msg)
		return libc.recvmsg(m->fd, m->msg, flags);
	if (m->addr || m->received_len)
		return libc.recvfrom(m->fd, m->buf, m->n, flags, m->addr, m->received_len);
	return libc.recv(m->fd, m->buf, m->n, flags);
}

// Peeks until n bytes are there, and returns how many are. No event says that more has come
// than is there already, so look again from time to time.
static ssize_t peek_all(seam_coro *co, struct message *m, struct transfer *t, ssize_t got, size_t n) {
	int flags = m->flags | MSG_DONTWAIT, fd_flags = fcntl(m->fd, F_GETFL);
	struct msghdr msg = m->msg ? *m->msg : (struct msghdr){0};
	socklen_t addrlen = m->received_len ? *m->received_len : 0;
	if (fd_flags < 0 || fd_flags & O_NONBLOCK || option(m->fd, SO_DOMAIN) == AF_UNIX) // the kernel waits for no more in AF_UNIX
		return got;
	if (t->deadline == 0)
		t->deadline = socket_deadline(m->fd, SEAM_READ);
	int waits = 0, over = 0;
	for (; (size_t)got < n && !over;) {
		// More may have come before the end of the stream, so look once more after it.
		over = now() >= t->deadline || ready(m->fd, POLLRDHUP | POLLERR) || pause_for(co, INT64_C(500000) << waits) != 0;
		if (waits < 4)
			waits++;
		if (m->msg)
			*m->msg = msg;
		if (m->received_len)
			*m->received_len = addrlen;
		ssize_t more = receive_once(m, flags);
		if (more <= 0)
			break;
		got = more;
	}
	return got;
}

// Receives what follows the first part, and returns how much was received in all, up to n
// bytes.
static size_t receive_rest(seam_coro *co, struct message *m, struct transfer *t, size_t got, size_t n, size_t room) {
	while (got < n) {
		ssize_t more;
		if (await(co, t, m->fd, SEAM_READ) != 0)
			break;
		if (t->found & (POLLERR | POLLHUP)) {
			// Return the part and leave the error to the next call: don't fetch it.
			int bytes = 0;
			if (ioctl(m->fd, FIONREAD, &bytes) != 0 || bytes <= 0)
				break;
		}
		if (m->msg) {
			struct iovec iov[WINDOW];
			struct msghdr part = {.msg_iov = iov, .msg_control = m->msg->msg_control, .msg_controllen = room};
			part.msg_iovlen = (size_t)iov_window(m->msg->msg_iov, m->msg->msg_iovlen, got, n - got, iov);
			more = libc.recvmsg(m->fd, &part, m->flags | MSG_DONTWAIT);
			if (more > 0) {
				m->msg->msg_flags |= part.msg_flags;
				m->msg->msg_controllen = part.msg_controllen;
				if (part.msg_controllen > 0) // the kernel does not add what follows to it
					n = 0;
			}
		} else
			more = libc.recv(m->fd, (char *)m->buf + got, n - got, m->flags | MSG_DONTWAIT);
		if (more == 0 || (more < 0 && get_errno() != EAGAIN))
			break;
		if (more > 0) {
			got += (size_t)more;
			t->waits = 0;
		}
	}
	return got;
}

ssize_t receive(seam_coro *co, struct message *m) {
	struct transfer t = {.errno_before = get_errno()};
	size_t room = m->msg ? m->msg->msg_controllen : 0;
	// These never block: out-of-band data and the error queue are there or they aren't.
	if (m->flags & (MSG_DONTWAIT | MSG_OOB | MSG_ERRQUEUE))
		return receive_once(m, m->flags);
	for (;;) {
		ssize_t got = receive_once(m, m->flags | MSG_DONTWAIT);
		if (got > 0 && (m->flags & MSG_WAITALL) && !(m->msg && m->msg->msg_controllen > 0)) {
			size_t n = m->n < MAX_TRANSFER ? m->n : MAX_TRANSFER;
			if (m->msg)
				n = (size_t)iov_total(m->msg->msg_iov, m->msg->msg_iovlen);
			if ((size_t)got < n && option(m->fd, SO_TYPE) == SOCK_STREAM)
				got = m->flags & MSG_PEEK ? peek_all(co, m, &t, got, n) : (ssize_t)receive_rest(co, m, &t, (size_t)got, n, room);
		}
		if (got >= 0) {
			done(&t);
			return got;
		}
		int err = get_errno();
		if (err == EAGAIN)
			err = await(co, &t, m->fd, SEAM_READ);
		if (err)
			return fail(err);
	}
}

// ---- sending

static ssize_t send_once(const struct message *m, int flags) {
	if (m->msg)
		return libc.sendmsg(m->fd, m->msg, flags);
	if (m->addr || m->addrlen)
		return libc.sendto(m->fd, m->buf, m->n, flags, m->addr, m->addrlen);
	return libc.send(m->fd, m->buf, m->n, flags);
}

// Sends what follows the first part, and returns how much was sent in all. An error, with its
// SIGPIPE, is left to the next call.
static size_t send_rest(seam_coro *co, struct message *m, struct transfer *t, size_t sent, size_t n) {
	int flags = m->flags | MSG_DONTWAIT | MSG_NOSIGNAL;
	while (sent < n) {
		ssize_t more;
		if (await(co, t, m->fd, SEAM_WRITE) != 0 || t->found & (POLLERR | POLLHUP))
			break;
		if (m->msg) {
			struct iovec iov[WINDOW];
			struct msghdr part = {.msg_iov = iov};
			part.msg_iovlen = (size_t)iov_window(m->msg->msg_iov, m->msg->msg_iovlen, sent, n - sent, iov);
			more = libc.sendmsg(m->fd, &part, flags);
		} else
			more = libc.send(m->fd, (char *)m->buf + sent, n - sent, flags);
		if (more < 0 && get_errno() != EAGAIN)
			break;
		if (more > 0) {
			sent += (size_t)more;
			t->waits = 0;
		}
	}
	return sent;
}

static long send_through_go(long m, long unused2, long unused3, long unused4, long unused5, long unused6, long unused7, long unused8) {
	(void)unused2, (void)unused3, (void)unused4, (void)unused5, (void)unused6, (void)unused7, (void)unused8;
	return send_once((const struct message *)m, ((const struct message *)m)->flags);
}

ssize_t transmit(seam_coro *co, struct message *m) {
	struct transfer t = {.errno_before = get_errno()};
	if (m->flags & MSG_DONTWAIT)
		return send_once(m, m->flags);
	// The kernel tells how many calls of the library it has done with the memory: this must be one.
	if (m->flags & MSG_ZEROCOPY) {
		long a[8] = {(long)m};
		return through_go(co, send_through_go, THROUGH_GO_QUIET, a);
	}
	for (;;) {
		ssize_t sent = send_once(m, m->flags | MSG_DONTWAIT);
		if (sent >= 0) {
			// Only streams accept a part.
			size_t n = m->n < MAX_TRANSFER ? m->n : MAX_TRANSFER;
			if (m->msg)
				n = (size_t)iov_total(m->msg->msg_iov, m->msg->msg_iovlen);
			if ((size_t)sent < n)
				sent = (ssize_t)send_rest(co, m, &t, (size_t)sent, n);
			done(&t);
			return sent;
		}
		int err = get_errno();
		// With TCP_FASTOPEN the call first connects and then sends.
		if (err == EINPROGRESS || err == EALREADY)
			m->flags &= ~MSG_FASTOPEN;
		else if (err != EAGAIN)
			return -1;
		if ((err = await(co, &t, m->fd, SEAM_WRITE)) != 0)
			return fail(err);
	}
}

// ---- libc's functions

ssize_t netio_recv(int fd, void *buf, size_t n, int flags) {
	seam_coro *co = self();
	if (!co)
		return libc.recv(fd, buf, n, flags);
	return receive(co, &(struct message){.fd = fd, .flags = flags, .buf = buf, .n = n});
}

ssize_t netio_recvfrom(int fd, void *buf, size_t n, int flags, struct sockaddr *addr, socklen_t *addrlen) {
	seam_coro *co = self();
	if (!co)
		return libc.recvfrom(fd, buf, n, flags, addr, addrlen);
	return receive(co, &(struct message){.fd = fd, .flags = flags, .buf = buf, .n = n, .addr = addr, .received_len = addrlen});
}

ssize_t netio_recvmsg(int fd, struct msghdr *msg, int flags) {
	seam_coro *co = self();
	if (!co || !msg)
		return libc.recvmsg(fd, msg, flags);
	return receive(co, &(struct message){.fd = fd, .flags = flags, .msg = msg});
}

ssize_t netio_send(int fd, const void *buf, size_t n, int flags) {
	seam_coro *co = self();
	if (!co)
		return libc.send(fd, buf, n, flags);
	return transmit(co, &(struct message){.fd = fd, .flags = flags, .buf = (void *)buf, .n = n});
}

ssize_t netio_sendto(int fd, const void *buf, size_t n, int flags, const struct sockaddr *addr, socklen_t addrlen) {
	seam_coro *co = self();
	if (!co)
		return libc.sendto(fd, buf, n, flags, addr, addrlen);
	return transmit(co, &(struct message){.fd = fd, .flags = flags, .buf = (void *)buf, .n = n, .addr = (struct sockaddr *)addr, .addrlen = addrlen});
}

ssize_t netio_sendmsg(int fd, const struct msghdr *msg, int flags) {
	seam_coro *co = self();
	if (!co || !msg)
		return libc.sendmsg(fd, msg, flags);
	return transmit(co, &(struct message){.fd = fd, .flags = flags, .msg = (struct msghdr *)msg});
}
