//go:build linux && cgo

#define _GNU_SOURCE
#include "server.h"
#include "_cgo_export.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

struct connection {
	unsigned got; /* bytes of the request */
	struct seam_events_message m;
};

struct seam_events_loop {
	enum seam_events_kind kind;
	int epoll, listener, ready;
	int highest; /* of descriptors */
	struct connection *c;
	/* The queue has room for every descriptor: a connection is in it once at most. */
	pthread_mutex_t mutex;
	int32_t *queue;
	int first, count;
	/* What waits for the next upcall. */
	seam_coro *co;
	seam_func handle;
	struct seam_events_batch batch;
	int from[SEAM_EVENTS_BATCH];
};

int seam_events_loop_new(struct seam_events_loop **out, enum seam_events_kind kind, int listener)
{
	struct seam_events_loop *l = calloc(1, sizeof *l);
	if (!l)
		return ENOMEM;
	struct epoll_event e = {.events = EPOLLIN, .data.fd = listener};
	l->kind = kind;
	l->listener = listener;
	l->highest = (int)sysconf(_SC_OPEN_MAX);
	l->epoll = epoll_create1(EPOLL_CLOEXEC);
	l->ready = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	l->c = l->highest > 0 ? calloc((size_t)l->highest, sizeof *l->c) : NULL;
	l->queue = l->highest > 0 ? calloc((size_t)l->highest, sizeof *l->queue) : NULL;
	pthread_mutex_init(&l->mutex, NULL);
	*out = l;
	if (!l->c || !l->queue)
		return ENOMEM;
	if (l->epoll < 0 || l->ready < 0 || epoll_ctl(l->epoll, EPOLL_CTL_ADD, listener, &e))
		return errno;
	return 0;
}

static void accept_all(struct seam_events_loop *l)
{
	for (;;) {
		int fd = accept4(l->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
		if (fd < 0)
			return; /* none is left, or the client sees that it is not served */
		struct epoll_event e = {.events = EPOLLIN, .data.fd = fd};
		if (fd >= l->highest || epoll_ctl(l->epoll, EPOLL_CTL_ADD, fd, &e)) {
			close(fd);
			continue;
		}
		l->c[fd].got = 0;
	}
}

static void hand_over(struct seam_events_loop *l, int fd)
{
	pthread_mutex_lock(&l->mutex);
	l->queue[(l->first + l->count++) % l->highest] = fd;
	pthread_mutex_unlock(&l->mutex);
}

int seam_events_loop_take(struct seam_events_loop *l, int32_t *fds, int most)
{
	int n = 0;
	pthread_mutex_lock(&l->mutex);
	for (; n < most && l->count > 0; n++, l->count--) {
		fds[n] = l->queue[l->first];
		l->first = (l->first + 1) % l->highest;
	}
	pthread_mutex_unlock(&l->mutex);
	return n;
}

/* So little always fits; who has hung up is noticed by recv. */
static void answer(int fd, const struct seam_events_message *m) { (void)!send(fd, m, sizeof *m, MSG_NOSIGNAL); }

/* readable takes what has come over a connection. Returns 1 where something was
 * put into the queue. */
static int readable(struct seam_events_loop *l, int fd)
{
	struct connection *c = &l->c[fd];
	ssize_t n = recv(fd, (char *)&c->m + c->got, sizeof c->m - c->got, 0);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n <= 0) {
		close(fd);
		return 0;
	}
	c->got += (unsigned)n;
	if (c->got < sizeof c->m)
		return 0;
	c->got = 0;
	switch (l->kind) {
	case SEAM_EVENTS_HAND_OVER:
		hand_over(l, fd);
		return 1;
	case SEAM_EVENTS_CALLBACK:
		seamEventsHandle(&c->m);
		break;
	case SEAM_EVENTS_ANSWER:
		c->m.number++;
		break;
	case SEAM_EVENTS_UPCALL:
		l->from[l->batch.n] = fd;
		l->batch.m[l->batch.n++] = &c->m;
		return 0;
	}
	answer(fd, &c->m);
	return 0;
}

/* upcall has Go answer the batch. */
static int upcall(struct seam_events_loop *l)
{
	int err = seam_upcall(l->co, l->handle, &l->batch);
	if (err)
		return err;
	for (int i = 0; i < l->batch.n; i++)
		answer(l->from[i], l->batch.m[i]);
	l->batch.n = 0;
	return 0;
}

int seam_events_loop_run(struct seam_events_loop *l)
{
	struct epoll_event events[SEAM_EVENTS_BATCH];
	for (;;) {
		int n = epoll_wait(l->epoll, events, SEAM_EVENTS_BATCH, -1), handed = 0;
		if (n < 0 && errno != EINTR)
			return errno;
		for (int i = 0; i < n; i++) {
			if (events[i].data.fd == l->listener)
				accept_all(l);
			else
				handed |= readable(l, events[i].data.fd);
		}
		if (handed) {
			uint64_t one = 1;
			(void)!write(l->ready, &one, sizeof one);
		}
		if (l->batch.n > 0) {
			int err = upcall(l);
			if (err)
				return err;
		}
	}
}

static void *run(void *arg)
{
	seam_events_loop_run(arg);
	abort(); /* epoll failed: the client would wait for ever */
}

int seam_events_loop_start(struct seam_events_loop *l)
{
	pthread_t thread;
	sigset_t all, old;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old); /* signals are for Go's threads */
	int err = pthread_create(&thread, NULL, run, l);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (!err)
		pthread_detach(thread);
	return err;
}

int seam_events_loop_ready(struct seam_events_loop *l) { return l->ready; }
struct seam_events_message *seam_events_loop_message(struct seam_events_loop *l, int fd) { return &l->c[fd].m; }

static int64_t run_served(seam_coro *co, void *arg)
{
	struct seam_events_served_loop *s = arg;
	s->loop->co = co;
	s->loop->handle = s->handle;
	return seam_events_loop_run(s->loop);
}

void *seam_events_loop_address(void) { return (void *)run_served; }
