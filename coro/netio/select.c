//go:build cgo && linux && !android && (amd64 || arm64) && !msan

// select and pselect, whose signal mask works as in ppoll. They wait for the descriptors of
// their sets as poll does.
#include "netio.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

enum { SETS = 3, BITS = (int)(8 * sizeof(unsigned long)), NEAR = 256 };

static const short events_of[SETS] = {POLLIN, POLLOUT, POLLPRI};

// A copy of what the caller asked for, because select overwrites it. Sets that callers
// allocate themselves may be larger than fd_set.
struct question {
	int all;                       // what the caller says
	int n;                         // of which the kernel looks at so many
	size_t words;                  // of a set
	unsigned long *given[SETS];    // the caller's sets, each may be NULL
	unsigned long *asked;          // SETS copies of words each
	struct pollfd *fds;
	nfds_t count;
	int listed;                    // not 0: fds are there
	unsigned long near[SETS * FD_SETSIZE / (8 * sizeof(unsigned long))];
	struct pollfd near_fds[NEAR];
};

static void restore(struct question *q) {
	int s;
	for (s = 0; s < SETS; s++)
		if (q->given[s])
			memcpy(q->given[s], q->asked + (size_t)s * q->words, q->words * sizeof(long));
}

static short wanted(const struct question *q, int fd) {
	short events = 0;
	int s;
	for (s = 0; s < SETS; s++)
		if (q->given[s] && q->asked[(size_t)s * q->words + (size_t)fd / BITS] >> (fd % BITS) & 1)
			events |= events_of[s];
	return events;
}

// Returns the end of the descriptors below n that are open. It may take 0.1 s.
static int end_of_open(int n) {
	while (n > 0 && fcntl(n - 1, F_GETFD) < 0)
		n--;
	return n;
}

// The caller may give the process's limit as the number of descriptors, with far smaller
// sets: the kernel looks at no more descriptors than its table has room for. If that can't be
// asked, since no descriptor is left for it, those that are open tell: the table has room for
// them, and the kernel refuses sets with others.
static int table_size(int n) {
	char text[4096], *size;
	int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return end_of_open(n);
	ssize_t length = libc.read(fd, text, sizeof text - 1);
	libc.close(fd);
	text[length > 0 ? length : 0] = 0;
	size = strstr(text, "FDSize:");
	return size ? atoi(size + 7) : end_of_open(n);
}

static int ask(struct question *q, int n, fd_set *r, fd_set *w, fd_set *e) {
	fd_set *given[SETS] = {r, w, e};
	q->all = n;
	if (n > FD_SETSIZE) {
		int keep = get_errno(), most = table_size(n);
		set_errno(keep);
		if (n > most)
			n = most;
	}
	q->n = n;
	q->words = ((size_t)n + BITS - 1) / BITS;
	q->asked = q->near;
	q->fds = q->near_fds;
	q->count = 0;
	q->listed = 0;
	if (n > FD_SETSIZE) {
		unsigned long *far = malloc(SETS * q->words * sizeof *far);
		if (!far)
			return ENOMEM;
		q->asked = far;
	}
	int s;
	for (s = 0; s < SETS; s++) {
		q->given[s] = (unsigned long *)given[s];
		if (given[s])
			memcpy(q->asked + (size_t)s * q->words, given[s], q->words * sizeof(long));
	}
	return 0;
}

// Returns fd, or at the start of a word the start of the next word in which a set has a bit.
static int next_word(const struct question *q, int fd) {
	while (fd < q->n && fd % BITS == 0) {
		unsigned long some = 0;
		int s;
		for (s = 0; s < SETS; s++)
			if (q->given[s])
				some |= q->asked[(size_t)s * q->words + (size_t)fd / BITS];
		if (some)
			break;
		fd += BITS;
	}
	return fd;
}

static int list(struct question *q) {
	q->listed = 1;
	nfds_t count = 0;
	int fd;
	for (fd = 0; (fd = next_word(q, fd)) < q->n; fd++)
		count += wanted(q, fd) != 0;
	if (count > NEAR) {
		struct pollfd *fds = malloc(count * sizeof *fds);
		if (!fds)
			return ENOMEM;
		q->fds = fds;
	}
	for (fd = 0; (fd = next_word(q, fd)) < q->n; fd++) {
		short events = wanted(q, fd);
		if (events)
			q->fds[q->count++] = (struct pollfd){.fd = fd, .events = events};
	}
	return 0;
}

static int restore_and_list(struct question *q) {
	restore(q);
	return q->listed ? 0 : list(q);
}

static int select_until(seam_coro *co, struct question *q, int64_t deadline, const sigset_t *mask) {
	static const struct timespec zero;
	fd_set *r = (fd_set *)q->given[0], *w = (fd_set *)q->given[1], *e = (fd_set *)q->given[2];
	LOOK_UNTIL(libc.pselect(q->all, r, w, e, &zero, mask), restore_and_list(q), wait_all(co, q->fds, q->count, deadline))
}

static int select_in(seam_coro *co, int n, fd_set *r, fd_set *w, fd_set *e, int64_t deadline, const sigset_t *mask) {
	struct question q;
	int err = ask(&q, n, r, w, e);
	if (err)
		return fail(err);
	int found = select_until(co, &q, deadline, mask);
	if (q.asked != q.near || q.fds != q.near_fds) {
		int keep = get_errno();
		if (q.asked != q.near)
			free(q.asked);
		if (q.fds != q.near_fds)
			free(q.fds);
		set_errno(keep);
	}
	return found;
}

int netio_select(int n, fd_set *r, fd_set *w, fd_set *e, struct timeval *timeout) {
	seam_coro *co = self();
	if (!co || n < 0 || (timeout && (timeout->tv_sec < 0 || timeout->tv_usec < 0)))
		return libc.select(n, r, w, e, timeout);
	int64_t deadline = FOREVER;
	if (timeout) {
		struct timespec t = {.tv_sec = timeout->tv_sec + timeout->tv_usec / 1000000, .tv_nsec = timeout->tv_usec % 1000000 * 1000};
		deadline = after(nanoseconds(&t));
	}
	int found = select_in(co, n, r, w, e, deadline, NULL);
	if (timeout && deadline != FOREVER) { // Linux writes the time left there
		int64_t left = deadline - now();
		if (left < 0)
			left = 0;
		*timeout = (struct timeval){.tv_sec = left / 1000000000, .tv_usec = left % 1000000000 / 1000};
	}
	return found;
}

int netio_pselect(int n, fd_set *r, fd_set *w, fd_set *e, const struct timespec *timeout, const sigset_t *mask) {
	seam_coro *co = self();
	sigset_t with;
	if (!co || n < 0 || (timeout && !valid_time(timeout)))
		return libc.pselect(n, r, w, e, timeout, mask);
	return select_in(co, n, r, w, e, timeout ? after(nanoseconds(timeout)) : FOREVER, with_sigurg(mask, &with));
}
