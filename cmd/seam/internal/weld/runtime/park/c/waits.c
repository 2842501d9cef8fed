/* The waits that netio asks for.
 *
 * A descriptor that is waited for is in the worker's epoll instance for as long as the wait
 * lasts. If it is there already, since another coroutine waits for it, a duplicate is. Closing a
 * descriptor takes it out without an event, so a wait looks by poll every second. */

#define PARK_LOOK INT64_C(1000000000)

static uint32_t begin_wait(seam_coro *co) {
	struct park_worker *w = co->worker;
	uint32_t slot = w->wait_free;
	if (slot != UINT32_MAX)
		w->wait_free = w->waits[slot].next;
	else if (w->wait_count < PARK_MOST_WAITS)
		slot = w->wait_count++;
	else
		return UINT32_MAX;
	w->waits[slot].co = co;
	return slot;
}

static void end_wait(struct park_worker *w, uint32_t slot) {
	w->waits[slot].co = NULL;
	w->waits[slot].turn++;
	w->waits[slot].next = w->wait_free;
	w->wait_free = slot;
}

/* Returns 1 once poll reports something, 0 at the deadline. */
static int wait_for(seam_coro *co, struct pollfd *fds, nfds_t n, int64_t deadline) {
	struct park_worker *w = co->worker;
	enum { NEAR = 16 };
	int near[NEAR], *added = n > NEAR ? malloc(n * sizeof *added) : near;
	int found = 0;
	uint32_t slot = added ? begin_wait(co) : UINT32_MAX;
	if (slot == UINT32_MAX) {
		/* No memory: look from time to time. */
		while (!found && now() < deadline) {
			int64_t look = after(1000000);
			park_suspend(co, PARK_WAITS, look < deadline ? look : deadline);
			found = libc.poll(fds, n, 0) != 0;
		}
		if (added && added != near)
			free(added);
		return found;
	}
	int64_t often = PARK_LOOK;
	nfds_t i;
	for (i = 0; i < n; i++) {
		added[i] = -1;
		if (fds[i].fd < 0)
			continue;
		struct epoll_event e = {.events = (uint32_t)(unsigned short)fds[i].events | EPOLLONESHOT,
			.data.u64 = slot | (uint64_t)w->waits[slot].turn << 32};
		if (epoll_ctl(w->epoll, EPOLL_CTL_ADD, fds[i].fd, &e) == 0) {
			added[i] = fds[i].fd;
			continue;
		}
		if (errno == EEXIST) {
			int copy = fcntl(fds[i].fd, F_DUPFD_CLOEXEC, 3);
			if (copy >= 0 && epoll_ctl(w->epoll, EPOLL_CTL_ADD, copy, &e) == 0) {
				added[i] = copy;
				continue;
			}
			if (copy >= 0)
				libc.close(copy);
		}
		often = 2000000; /* a file, a bad descriptor: poll knows */
	}
	for (;;) {
		/* What came before it was added, and what no event tells. */
		if ((found = libc.poll(fds, n, 0) != 0) || now() >= deadline)
			break;
		int64_t look = after(often);
		park_suspend(co, PARK_WAITS, look < deadline ? look : deadline);
	}
	for (i = 0; i < n; i++)
		if (added[i] >= 0) {
			epoll_ctl(w->epoll, EPOLL_CTL_DEL, added[i], NULL);
			if (added[i] != fds[i].fd)
				libc.close(added[i]);
		}
	end_wait(w, slot);
	if (added != near)
		free(added);
	return found;
}

int seam_wait_fd(seam_coro *co, int fd, int events, int64_t timeout) {
	struct pollfd p = {.fd = fd, .events = (short)events};
	int keep = errno, found = wait_for(co, &p, 1, after(timeout));
	errno = keep;
	if (!found)
		return SEAM_ETIMEDOUT;
	return p.revents & POLLNVAL ? SEAM_EBADF : p.revents;
}

int seam_sleep(seam_coro *co, int64_t ns) {
	int64_t deadline = after(ns);
	while (now() < deadline)
		park_suspend(co, PARK_WAITS, deadline);
	return 0;
}

/* ---- what runs on a thread of its own, few at once */

enum { PARK_MOST_DETACHED = 2 };

struct detached {
	seam_coro *co;
	void (*f)(void *);
	void *arg;
	int ended;
};

static int park_detached;

static void *detached(void *arg) {
	struct detached *d = arg;
	d->f(d->arg);
	__atomic_fetch_sub(&park_detached, 1, __ATOMIC_RELAXED);
	seam_coro *co = d->co;
	struct park_worker *w = co->worker;
	/* The coroutine sees the end under this lock, so it is there until it was woken. */
	park_lock(&w->mu);
	d->ended = 1;
	park_unlock(&w->mu);
	return NULL;
}

static int run_apart(seam_coro *co) {
	struct detached d = {.co = co, .f = (void (*)(void *))(uintptr_t)co->id, .arg = co->ptr};
	pthread_t id;
	co->n = 0;
	while (__atomic_add_fetch(&park_detached, 1, __ATOMIC_RELAXED) > PARK_MOST_DETACHED) {
		__atomic_fetch_sub(&park_detached, 1, __ATOMIC_RELAXED);
		seam_sleep(co, 1000000);
	}
	if (csys_start(detached, &d, 0, SIGPROF, &id) != 0) {
		__atomic_fetch_sub(&park_detached, 1, __ATOMIC_RELAXED);
		d.f(d.arg); /* then on this thread */
		co->n = 1;
		return 0;
	}
	co->n = 1;
	int64_t pause;
	for (pause = 50000;; pause = pause < 5000000 ? pause * 2 : pause) {
		park_lock(&co->worker->mu);
		int ended = d.ended;
		park_unlock(&co->worker->mu);
		if (ended)
			return 0;
		seam_sleep(co, pause);
	}
}

void seam_switch_shared_(seam_coro *co) {
	if (co->op == SEAM_OP_DETACH_) {
		co->status = run_apart(co);
		return;
	}
	int keep = errno;
	int64_t timeout = co->n;
	co->status = wait_for(co, co->ptr, (nfds_t)co->id, after(timeout)) ? 0 : SEAM_ETIMEDOUT;
	errno = keep;
}

/* ---- what blocks the thread */

int shares_thread(const seam_coro *co) { return co != NULL; }

long through_go(seam_coro *co, go_call *f, int how, const long *a) {
	(void)co;
	if (how & THROUGH_GO_HERE)
		return f(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7]);
	return by_go(CORO_NO, (void *)f, how & THROUGH_GO_QUIET, a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7]);
}
