//go:build linux && cgo

#define _GNU_SOURCE
#include "peer.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/* An answer that is owed. All wait for the same time, so they become due in the
 * order in which they came: a queue is all it takes. */
struct owed {
	int64_t due;
	int fd;
};

struct seam_blocking_peer {
	int epoll, listener, timer, end;
	int64_t delay;
	struct owed *queue; /* a ring */
	long size, first, count;
	int64_t armed; /* when the timer fires; 0: never */
	unsigned char *open; /* of each descriptor: it is a connection of ours */
	int highest;
	pthread_t thread;
};

static int64_t now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static int watch(struct seam_blocking_peer *p, int fd)
{
	struct epoll_event e = {.events = EPOLLIN, .data.fd = fd};
	return epoll_ctl(p->epoll, EPOLL_CTL_ADD, fd, &e) ? errno : 0;
}

static void hang_up(struct seam_blocking_peer *p, int fd)
{
	p->open[fd] = 0;
	close(fd);
}

static void accept_all(struct seam_blocking_peer *p)
{
	for (;;) {
		int fd = accept4(p->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
		if (fd < 0)
			return; /* none is left, or the caller sees that it is not served */
		if (fd >= p->highest || watch(p, fd)) {
			close(fd);
			continue;
		}
		p->open[fd] = 1;
	}
}

static void take(struct seam_blocking_peer *p, int fd)
{
	char c;
	ssize_t n = recv(fd, &c, 1, 0);
	if (n == 1 && p->count < p->size) {
		p->queue[(p->first + p->count++) % p->size] = (struct owed){now() + p->delay, fd};
		return;
	}
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	hang_up(p, fd); /* gone, or it asked for more than was agreed on */
}

/* answer pays what is due and sets the timer to the next. */
static void answer(struct seam_blocking_peer *p)
{
	for (int64_t t = now(); p->count > 0 && p->queue[p->first].due <= t; t = p->count % 64 ? t : now()) {
		int fd = p->queue[p->first].fd;
		p->first = (p->first + 1) % p->size;
		p->count--;
		if (p->open[fd])
			(void)!send(fd, "", 1, MSG_NOSIGNAL); /* who has hung up wants no answer */
	}
	int64_t next = p->count > 0 ? p->queue[p->first].due : 0;
	if (next == p->armed)
		return;
	struct itimerspec at = {.it_value = {next / 1000000000, next % 1000000000}};
	timerfd_settime(p->timer, TFD_TIMER_ABSTIME, &at, NULL);
	p->armed = next;
}

static void *serve(void *arg)
{
	struct seam_blocking_peer *p = arg;
	struct epoll_event events[256];
	prctl(PR_SET_NAME, "seam-answers");
	for (;;) {
		int n = epoll_wait(p->epoll, events, 256, -1);
		for (int i = 0; i < n; i++) {
			int fd = events[i].data.fd;
			uint64_t fired;
			if (fd == p->end)
				return NULL;
			else if (fd == p->listener)
				accept_all(p);
			else if (fd == p->timer)
				(void)!read(fd, &fired, sizeof fired);
			else
				take(p, fd);
		}
		answer(p);
	}
}

static void release(struct seam_blocking_peer *p)
{
	for (int fd = 0; p->open && fd < p->highest; fd++)
		if (p->open[fd])
			close(fd);
	for (int *fd = (int[]){p->epoll, p->listener, p->timer, p->end, -2}; *fd != -2; fd++)
		if (*fd >= 0)
			close(*fd);
	free(p->queue);
	free(p->open);
	free(p);
}

/* prepare opens all that the thread needs. Returns 0 or an errno. */
static int prepare(struct seam_blocking_peer *p, char *name)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	socklen_t len = sizeof a;
	if (!p->queue || !p->open)
		return ENOMEM;
	if (p->epoll < 0 || p->listener < 0 || p->timer < 0 || p->end < 0)
		return EMFILE;
	/* An address without a name has the kernel choose one. */
	if (bind(p->listener, (struct sockaddr *)&a, sizeof a.sun_family) || listen(p->listener, 4096) ||
	    getsockname(p->listener, (struct sockaddr *)&a, &len))
		return errno;
	size_t n = len - offsetof(struct sockaddr_un, sun_path) - 1;
	memcpy(name, a.sun_path + 1, n);
	name[n] = 0;
	int err = watch(p, p->listener);
	if (!err)
		err = watch(p, p->timer);
	if (!err)
		err = watch(p, p->end);
	return err;
}

int seam_blocking_peer_new(struct seam_blocking_peer **out, int64_t delay, long most, char *name)
{
	struct seam_blocking_peer *p = calloc(1, sizeof *p);
	if (!p)
		return ENOMEM;
	p->delay = delay;
	p->size = most;
	p->queue = calloc(most, sizeof *p->queue);
	p->highest = (int)sysconf(_SC_OPEN_MAX);
	p->open = p->highest > 0 ? calloc(p->highest, 1) : NULL;
	p->epoll = epoll_create1(EPOLL_CLOEXEC);
	p->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	p->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	p->end = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	int err = prepare(p, name);
	if (!err) {
		/* Signals are for Go's threads. */
		sigset_t all, old;
		sigfillset(&all);
		pthread_sigmask(SIG_SETMASK, &all, &old);
		err = pthread_create(&p->thread, NULL, serve, p);
		pthread_sigmask(SIG_SETMASK, &old, NULL);
	}
	if (err) {
		release(p);
		return err;
	}
	*out = p;
	return 0;
}

void seam_blocking_peer_free(struct seam_blocking_peer *p)
{
	uint64_t one = 1;
	(void)!write(p->end, &one, sizeof one);
	pthread_join(p->thread, NULL);
	release(p);
}
