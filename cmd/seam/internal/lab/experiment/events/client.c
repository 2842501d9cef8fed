//go:build linux && cgo

#define _GNU_SOURCE
#include "client.h"
#include "message.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* How many connections are opened before the server must have answered them:
 * less than the listener's queue holds, since one that finds it full is tried
 * again after a second. */
#define TOGETHER 256

/* How long an answer may take. */
#define PATIENCE_SECONDS 10

struct connection {
	int fd, busy;
	int64_t sent;
	unsigned got; /* bytes of the answer */
	uint64_t number;
	struct seam_events_message m;
};

struct seam_events_client {
	int epoll, count, next, inflight;
	uint64_t number; /* of the last request */
	struct connection c[];
};

static int64_t now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static int ask(struct seam_events_client *l, struct connection *c)
{
	c->number = c->m.number = ++l->number;
	c->busy = 1;
	c->got = 0;
	c->sent = now();
	ssize_t n = send(c->fd, &c->m, sizeof c->m, MSG_NOSIGNAL);
	if (n < 0)
		return errno;
	return n == sizeof c->m ? 0 : EPROTO; /* so little always fits */
}

/* hear takes what has come of an answer. Returns 0, EAGAIN where there is more to
 * come, or what is wrong. */
static int hear(struct connection *c)
{
	errno = 0;
	ssize_t n = recv(c->fd, (char *)&c->m + c->got, sizeof c->m - c->got, 0);
	if (n < 0)
		return errno == EINTR ? EAGAIN : errno;
	if (n == 0)
		return ECONNRESET;
	c->got += (unsigned)n;
	if (c->got < sizeof c->m)
		return EAGAIN;
	c->busy = 0;
	return c->m.number == c->number + 1 ? 0 : EPROTO;
}

static int open_one(struct seam_events_client *l, int i, int port)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct timeval patience = {PATIENCE_SECONDS, 0};
	struct linger at_once = {1, 0}; /* no port is left behind in TIME_WAIT */
	int one = 1;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	l->c[i].fd = fd;
	if (fd < 0)
		return errno;
	l->count = i + 1;
	if (setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one) ||
	    setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once) ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) ||
	    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience) ||
	    connect(fd, (struct sockaddr *)&a, sizeof a))
		return errno == EINPROGRESS ? ETIMEDOUT : errno;
	return ask(l, &l->c[i]);
}

/* meet waits for the first answer and makes the connection ready for run. */
static int meet(struct seam_events_client *l, int i)
{
	struct epoll_event e = {.events = EPOLLIN, .data.u32 = (uint32_t)i};
	int err;
	do
		err = hear(&l->c[i]);
	while (err == EAGAIN && errno != EAGAIN); /* that of recv is the end of its patience */
	if (err)
		return err == EAGAIN ? ETIMEDOUT : err;
	if (fcntl(l->c[i].fd, F_SETFL, O_NONBLOCK) || epoll_ctl(l->epoll, EPOLL_CTL_ADD, l->c[i].fd, &e))
		return errno;
	return 0;
}

int seam_events_client_new(struct seam_events_client **out, int port, int connections)
{
	struct seam_events_client *l = calloc(1, sizeof *l + (size_t)connections * sizeof l->c[0]);
	if (!l)
		return ENOMEM;
	l->epoll = epoll_create1(EPOLL_CLOEXEC);
	int err = l->epoll < 0 ? errno : 0;
	for (int first = 0; first < connections && !err; first += TOGETHER) {
		int end = first + TOGETHER < connections ? first + TOGETHER : connections;
		for (int i = first; i < end && !err; i++)
			err = open_one(l, i, port);
		for (int i = first; i < end && !err; i++)
			err = meet(l, i);
	}
	if (err) {
		seam_events_client_free(l);
		return err;
	}
	*out = l;
	return 0;
}

void seam_events_client_free(struct seam_events_client *l)
{
	for (int i = 0; i < l->count; i++)
		close(l->c[i].fd);
	if (l->epoll >= 0)
		close(l->epoll);
	free(l);
}

/* ask_next asks over the next connection in turn that waits for nothing. */
static int ask_next(struct seam_events_client *l)
{
	while (l->c[l->next].busy)
		l->next = (l->next + 1) % l->count;
	int err = ask(l, &l->c[l->next]);
	l->next = (l->next + 1) % l->count;
	l->inflight++;
	return err;
}

int seam_events_client_run(struct seam_events_client *l, struct seam_events_load *load)
{
	struct epoll_event events[64];
	int64_t start = now(), last = start;
	int err = 0;
	load->answers = 0;
	l->inflight = 0;
	for (int i = 0; i < load->inflight && i < l->count && !err; i++)
		err = ask_next(l);
	while (l->inflight > 0 && !err) {
		int n = epoll_wait(l->epoll, events, 64, PATIENCE_SECONDS * 1000);
		if (n == 0)
			err = ETIMEDOUT;
		else if (n < 0 && errno != EINTR)
			err = errno;
		for (int i = 0; i < n && !err; i++) {
			struct connection *c = &l->c[events[i].data.u32];
			err = hear(c);
			if (err == EAGAIN) {
				err = 0;
				continue;
			}
			if (err)
				break;
			l->inflight--;
			last = now();
			int64_t took = last - c->sent;
			if (load->answers < load->room)
				load->latency[load->answers] = took < UINT32_MAX ? (uint32_t)took : UINT32_MAX;
			load->answers++;
			if (last - start < load->ns)
				err = ask_next(l);
		}
	}
	load->took = last - start;
	return err;
}
