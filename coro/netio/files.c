//go:build cgo && linux && !android && (amd64 || arm64) && !msan

// read, write and their vector forms. For sockets they are what recv and send are. Pipes,
// terminals, event descriptors and the like are tried without blocking if the kernel can do
// that, and polled first if it can't. Files are never waited for.
#include "netio.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef RWF_NOWAIT
#define RWF_NOWAIT 8
#endif

// The data of a call; a plain buffer is an iovec with one entry.
struct data {
	int fd, count;
	const struct iovec *iov;
	size_t total;
	int is_pipe;
	int errno_before;
};

// What a descriptor that is not a socket stands for.
enum kind { FILE_ON_DISK, PIPE, OTHER };

static enum kind kind_of(int fd) {
	struct stat st;
	// If fstat fails, libc's function shall report it.
	if (fstat(fd, &st) != 0 || S_ISREG(st.st_mode) || S_ISDIR(st.st_mode) || S_ISBLK(st.st_mode))
		return FILE_ON_DISK;
	return S_ISFIFO(st.st_mode) ? PIPE : OTHER;
}

// RWF_NOWAIT does not work for terminals, nor for pipes in older kernels.
static int nowait_fails(int err) { return err == EOPNOTSUPP || err == ENOSYS; }

// A descriptor that is not open for the direction counts as ready: the call fails at once.
static int ready_for(int fd, int events) {
	int flags = fcntl(fd, F_GETFL);
	return flags < 0 || (flags & O_ACCMODE) == (events & POLLIN ? O_WRONLY : O_RDONLY) || ready(fd, events);
}

// One attempt that does not block: it fails with EAGAIN instead.
static ssize_t read_once(const struct data *d) {
	ssize_t n = preadv2(d->fd, d->iov, d->count, -1, RWF_NOWAIT);
	if (n >= 0 || !nowait_fails(get_errno()))
		return n;
	pthread_mutex_t *lock = lock_file(d->fd);
	if (ready_for(d->fd, POLLIN))
		n = libc.readv(d->fd, d->iov, d->count);
	else
		n = fail(EAGAIN);
	pthread_mutex_unlock(lock);
	return n;
}

static ssize_t read_file(seam_coro *co, const struct data *d) {
	struct transfer t = {.errno_before = d->errno_before};
	for (;;) {
		ssize_t n = read_once(d);
		if (n >= 0) {
			done(&t);
			return n;
		}
		int err = get_errno();
		if (err == EAGAIN)
			err = await(co, &t, d->fd, SEAM_READ);
		if (err)
			return fail(err);
	}
}

// The same for writing, after the first skip bytes. A pipe that poll finds ready takes
// PIPE_BUF bytes; other descriptors want their data in one piece.
static ssize_t write_once(const struct data *d, size_t skip) {
	struct iovec window[WINDOW];
	const struct iovec *iov = d->iov;
	int count = d->count;
	if (skip > 0) {
		count = iov_window(iov, (size_t)count, skip, d->total - skip, window);
		iov = window;
	}
	ssize_t n = pwritev2(d->fd, iov, count, -1, RWF_NOWAIT);
	if (n >= 0 || !nowait_fails(get_errno()))
		return n;
	if (d->is_pipe && d->total - skip > PIPE_BUF) {
		count = iov_window(d->iov, (size_t)d->count, skip, PIPE_BUF, window);
		iov = window;
	}
	pthread_mutex_t *lock = lock_file(d->fd);
	if (ready_for(d->fd, POLLOUT))
		n = libc.writev(d->fd, iov, count);
	else
		n = fail(EAGAIN);
	pthread_mutex_unlock(lock);
	return n;
}

static ssize_t write_file(seam_coro *co, const struct data *d) {
	struct transfer t = {.errno_before = d->errno_before};
	size_t sent = 0;
	for (;;) {
		ssize_t n = write_once(d, sent);
		if (n > 0) {
			sent += (size_t)n;
			t.waits = 0;
			if (sent < d->total && d->is_pipe)
				continue; // others that accept only a part mean it
		}
		if (n >= 0) {
			done(&t);
			return (ssize_t)sent;
		}
		int err = get_errno();
		if (err == EAGAIN)
			err = await(co, &t, d->fd, SEAM_WRITE);
		if (err && sent > 0) {
			done(&t);
			return (ssize_t)sent;
		}
		if (err)
			return fail(err);
	}
}

// Sockets are tried first: the call says at once if the descriptor is not one.
static int was_socket(ssize_t result) { return result >= 0 || get_errno() != ENOTSOCK; }

ssize_t netio_read(int fd, void *buf, size_t n) {
	seam_coro *co = self();
	if (!co || n == 0)
		return libc.read(fd, buf, n);
	int keep = get_errno();
	ssize_t r = receive(co, &(struct message){.fd = fd, .buf = buf, .n = n});
	if (was_socket(r))
		return r;
	if (kind_of(fd) == FILE_ON_DISK) {
		set_errno(keep);
		return libc.read(fd, buf, n);
	}
	struct iovec iov = {.iov_base = buf, .iov_len = n < MAX_TRANSFER ? n : MAX_TRANSFER};
	return read_file(co, &(struct data){.fd = fd, .iov = &iov, .count = 1, .errno_before = keep});
}

ssize_t netio_readv(int fd, const struct iovec *iov, int count) {
	seam_coro *co = self();
	if (!co || count <= 0 || count > IOV_MAX || iov_total(iov, (size_t)count) <= 0)
		return libc.readv(fd, iov, count);
	int keep = get_errno();
	struct msghdr msg = {.msg_iov = (struct iovec *)iov, .msg_iovlen = (size_t)count};
	ssize_t r = receive(co, &(struct message){.fd = fd, .msg = &msg});
	if (was_socket(r))
		return r;
	if (kind_of(fd) == FILE_ON_DISK) {
		set_errno(keep);
		return libc.readv(fd, iov, count);
	}
	return read_file(co, &(struct data){.fd = fd, .iov = iov, .count = count, .errno_before = keep});
}

// The flags of a send that does what write does: on sockets with records, it ends one.
static int record_flags(int type) { return type == SOCK_SEQPACKET ? MSG_EOR : 0; }

ssize_t netio_write(int fd, const void *buf, size_t n) {
	seam_coro *co = self();
	if (!co || n == 0)
		return libc.write(fd, buf, n);
	int keep = get_errno(), type = option(fd, SO_TYPE);
	if (type >= 0) {
		set_errno(keep);
		return transmit(co, &(struct message){.fd = fd, .flags = record_flags(type), .buf = (void *)buf, .n = n});
	}
	enum kind kind = kind_of(fd);
	if (kind == FILE_ON_DISK) {
		set_errno(keep);
		return libc.write(fd, buf, n);
	}
	struct iovec iov = {.iov_base = (void *)buf, .iov_len = n < MAX_TRANSFER ? n : MAX_TRANSFER};
	return write_file(co, &(struct data){.fd = fd, .iov = &iov, .count = 1, .total = iov.iov_len, .is_pipe = kind == PIPE, .errno_before = keep});
}

ssize_t netio_writev(int fd, const struct iovec *iov, int count) {
	seam_coro *co = self();
	ssize_t total;
	if (!co || count <= 0 || count > IOV_MAX || (total = iov_total(iov, (size_t)count)) <= 0)
		return libc.writev(fd, iov, count);
	int keep = get_errno(), type = option(fd, SO_TYPE);
	if (type >= 0) {
		struct msghdr msg = {.msg_iov = (struct iovec *)iov, .msg_iovlen = (size_t)count};
		set_errno(keep);
		return transmit(co, &(struct message){.fd = fd, .flags = record_flags(type), .msg = &msg});
	}
	enum kind kind = kind_of(fd);
	if (kind == FILE_ON_DISK) {
		set_errno(keep);
		return libc.writev(fd, iov, count);
	}
	return write_file(co, &(struct data){.fd = fd, .iov = iov, .count = count, .total = (size_t)total, .is_pipe = kind == PIPE, .errno_before = keep});
}
