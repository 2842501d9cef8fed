//go:build cgo && linux && !android && (amd64 || arm64) && !msan

// Waiting in a coroutine, and what calls need for it.
#include "netio.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "child.h"

int64_t now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

int64_t after(int64_t ns) {
	int64_t t;
	if (ns < 0 || __builtin_add_overflow(now(), ns, &t))
		return FOREVER;
	return t;
}

int valid_time(const struct timespec *t) { return t->tv_sec >= 0 && t->tv_nsec >= 0 && t->tv_nsec < 1000000000; }

int64_t nanoseconds(const struct timespec *t) {
	int64_t ns;
	if (__builtin_mul_overflow((int64_t)t->tv_sec, INT64_C(1000000000), &ns) || __builtin_add_overflow(ns, (int64_t)t->tv_nsec, &ns))
		return FOREVER;
	return ns;
}

int64_t time_left(int64_t deadline) {
	if (deadline == FOREVER)
		return -1;
	int64_t ns = deadline - now();
	return ns > 0 ? ns : 0;
}

static int errno_of(int status) {
	switch (status) {
	case SEAM_ETIMEDOUT:
		return ETIMEDOUT;
	case SEAM_EBADF:
		return EBADF;
	case SEAM_ENOMEM:
		return ENOMEM;
	}
	return status < 0 ? ECANCELED : 0;
}

// A child between vfork and exec that switched would resume its parent's goroutine.
int is_child(void) { return csys_child(); }

// The requests, as in coro.h, where they are refused on a stack that C has made itself.
#ifdef SEAM_PARK_H
#define request seam_switch_shared_
#define wait_fd seam_wait_fd
#define sleep_ns seam_sleep
#else
static void request(seam_coro *co) {
	seam_switch_shared_(co);
	switched(co);
}

static int wait_fd(seam_coro *co, int fd, int events, int64_t ns) {
	co->op = SEAM_OP_WAIT_FD_;
	co->id = (uint64_t)(int64_t)fd;
	co->events = (uint32_t)events;
	co->n = ns;
	request(co);
	return co->status < 0 ? co->status : (int)co->events;
}

static int sleep_ns(seam_coro *co, int64_t ns) {
	co->op = SEAM_OP_SLEEP_;
	co->n = ns;
	request(co);
	return co->status;
}
#endif

static int plain_wait(struct pollfd *fds, nfds_t n, int64_t deadline) {
	struct timespec t = time_of(time_left(deadline));
	int found = libc.ppoll(fds, n, deadline == FOREVER ? NULL : &t, NULL);
	return found > 0 ? 0 : found == 0 ? ETIMEDOUT : get_errno();
}

int wait_one(seam_coro *co, int fd, int events, int64_t deadline, int *found) {
	if (unlikely(is_child())) {
		struct pollfd p = {.fd = fd, .events = (short)events};
		int err = plain_wait(&p, 1, deadline);
		*found = p.revents;
		return err == EINTR ? 0 : err;
	}
	int r = wait_fd(co, fd, events, time_left(deadline));
	*found = r < 0 ? 0 : r;
	return errno_of(r);
}

int wait_all(seam_coro *co, struct pollfd *fds, nfds_t n, int64_t deadline) {
	if (unlikely(is_child()))
		return plain_wait(fds, n, deadline);
	if (n == 1 && fds->fd >= 0 && fds->events && !(fds->events & ~(POLLIN | POLLOUT))) {
		int ignored; // the common case, which is faster
		return wait_one(co, fds->fd, fds->events, deadline, &ignored);
	}
	co->op = SEAM_OP_WAIT_FDS_;
	co->ptr = fds;
	co->id = n;
	co->n = time_left(deadline);
	request(co);
	return errno_of(co->status);
}

int pause_for(seam_coro *co, int64_t ns) {
	if (ns <= 0)
		return 0;
	if (unlikely(is_child())) {
		struct timespec t = time_of(ns);
		return libc.clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL);
	}
	return errno_of(sleep_ns(co, ns));
}

int run_detached(seam_coro *co, void (*f)(void *), void *arg, int *runs) {
	*runs = 0;
	if (unlikely(is_child())) {
		f(arg);
		return 0;
	}
	co->op = SEAM_OP_DETACH_;
	co->id = (uint64_t)(uintptr_t)f;
	co->ptr = arg;
	co->n = 0;
	request(co);
	*runs = co->n == 1;
	return errno_of(co->status);
}

// SO_RCVTIMEO or SO_SNDTIMEO in ns, or -1 for none.
static int64_t socket_timeout(int fd, int events) {
	struct timeval t;
	socklen_t len = sizeof t;
	if (getsockopt(fd, SOL_SOCKET, events & SEAM_READ ? SO_RCVTIMEO : SO_SNDTIMEO, &t, &len) != 0)
		return -1; // not a socket
	if (t.tv_sec == 0 && t.tv_usec == 0)
		return -1;
	struct timespec ts = {.tv_sec = t.tv_sec, .tv_nsec = t.tv_usec * 1000};
	return nanoseconds(&ts);
}

int64_t socket_deadline(int fd, int events) { return after(socket_timeout(fd, events)); }

enum next after_try(int found, int64_t deadline, const sigset_t *mask, int keep) {
	if (found < 0)
		return get_errno() == EINTR && !mask ? NEXT_TRY : NEXT_RETURN; // Go's signals come at any time
	if (found == 0 && now() < deadline)
		return NEXT_WAIT;
	set_errno(keep);
	return NEXT_RETURN;
}

int back_off(seam_coro *co, unsigned waits) { return waits < 4 ? 0 : pause_for(co, 1000000); }

int await(seam_coro *co, struct transfer *t, int fd, int events) {
	int flags = fcntl(fd, F_GETFL);
	if (flags < 0)
		return get_errno();
	if (flags & O_NONBLOCK)
		return EAGAIN;
	if (t->deadline == 0)
		t->deadline = socket_deadline(fd, events);
	if (now() >= t->deadline)
		return EAGAIN;
	int err = back_off(co, t->waits++);
	if (err == 0)
		err = wait_one(co, fd, events, t->deadline, &t->found);
	return err == ETIMEDOUT ? EAGAIN : err;
}

void done(const struct transfer *t) { set_errno(t->errno_before); }

pthread_mutex_t *lock_file(int fd) {
	static pthread_mutex_t locks[16] = {
		PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
		PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
		PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
		PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
	};
	struct stat st;
	pthread_mutex_t *lock = &locks[fstat(fd, &st) == 0 ? st.st_ino % 16 : 0];
	pthread_mutex_lock(lock);
	return lock;
}

int ready(int fd, int events) {
	struct pollfd p = {.fd = fd, .events = (short)events};
	int found;
	do
		found = libc.poll(&p, 1, 0);
	while (found < 0 && get_errno() == EINTR);
	return found > 0;
}

int option(int fd, int name) {
	int value = -1;
	socklen_t len = sizeof value;
	return getsockopt(fd, SOL_SOCKET, name, &value, &len) == 0 ? value : -1;
}
