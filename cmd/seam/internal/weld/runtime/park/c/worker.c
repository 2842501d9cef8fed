/* The workers, and what Go asks of them. */

#include "thread.h"
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>

__thread seam_coro *seam_park_current PARK __attribute__((tls_model("initial-exec")));
struct park_worker *park_workers[64];
int park_worker_count;

static struct park_function *park_functions;
static void *park_go_wake;
static uint64_t park_most = 1;
static pthread_mutex_t park_mu = PTHREAD_MUTEX_INITIALIZER;

extern void crosscall2(void (*f)(void *), void *arg, int unused, size_t context);
extern void **__cxa_get_globals(void) __attribute__((weak));

seam_coro *park_on_other_stack(seam_coro *co) { return on_signal_stack() ? NULL : co; }

/* ---- timers: a heap by deadline */

static void timer_put(struct park_worker *w, int i, seam_coro *co) {
	w->timers[i] = co;
	co->timer = i;
}

static void timer_up(struct park_worker *w, int i) {
	seam_coro *co = w->timers[i];
	for (; i > 0 && w->timers[(i - 1) / 2]->deadline > co->deadline; i = (i - 1) / 2)
		timer_put(w, i, w->timers[(i - 1) / 2]);
	timer_put(w, i, co);
}

static void timer_down(struct park_worker *w, int i) {
	seam_coro *co = w->timers[i];
	for (;;) {
		int c = 2 * i + 1;
		if (c >= w->timer_count)
			break;
		if (c + 1 < w->timer_count && w->timers[c + 1]->deadline < w->timers[c]->deadline)
			c++;
		if (w->timers[c]->deadline >= co->deadline)
			break;
		timer_put(w, i, w->timers[c]);
		i = c;
	}
	timer_put(w, i, co);
}

static void timer_remove(struct park_worker *w, seam_coro *co) {
	int i = co->timer;
	if (i < 0)
		return;
	co->timer = -1;
	seam_coro *last = w->timers[--w->timer_count];
	if (last == co)
		return;
	timer_put(w, i, last);
	timer_up(w, i);
	timer_down(w, last->timer);
}

/* ---- the worker's thread */

static void push(seam_coro ***end, seam_coro *co) {
	co->next = NULL;
	**end = co;
	*end = &co->next;
}

static void make_runnable(struct park_worker *w, seam_coro *co) {
	timer_remove(w, co);
	co->state = PARK_RUNNABLE;
	push(&w->runnable_end, co);
}

static void nudge(struct park_worker *w) {
	uint64_t one = 1;
	if (libc.write(w->event, &one, sizeof one) < 0) {
		/* its counter is full: the worker will see it */
	}
}

/* park_wake makes a coroutine that waits look again at what it waits for. Any thread may
 * call it, while it holds what keeps the coroutine from ending. */
void park_wake(seam_coro *co) {
	struct park_worker *w = co->worker;
	park_lock(&w->mu);
	if (!co->woken) {
		co->woken = 1;
		co->next_woken = w->woken;
		w->woken = co;
	}
	int sleeps = w->sleeps;
	w->sleeps = 0;
	park_unlock(&w->mu);
	if (sleeps)
		nudge(w);
}

/* forget takes a call that is over out of everything of its worker's. The worker's mutex is held. */
static void forget(struct park_worker *w, seam_coro *co) {
	seam_coro **at;
	for (at = &w->woken; co->woken && *at; at = &(*at)->next_woken)
		if (*at == co) {
			*at = co->next_woken;
			break;
		}
	co->woken = 0;
}

/* park_suspend goes on with others. It returns when the coroutine is woken, or at the deadline
 * (CLOCK_MONOTONIC, ns); who calls it looks whether what it waits for has come. */
void park_suspend(seam_coro *co, int state, int64_t deadline) {
	struct park_worker *w = co->worker;
	co->state = state;
	co->deadline = deadline;
	if (deadline != FOREVER) {
		if (w->timer_count == w->timer_room) {
			make_runnable(w, co); /* too many at once: it looks again at once */
		} else {
			w->timers[w->timer_count] = co;
			timer_up(w, w->timer_count++);
		}
	}
	co->saved_errno = errno;
	if (__cxa_get_globals)
		memcpy(co->exceptions, __cxa_get_globals(), sizeof co->exceptions);
	park_switch(&co->sp, w->sp);
	/* the same thread as before */
	if (__cxa_get_globals)
		memcpy(__cxa_get_globals(), co->exceptions, sizeof co->exceptions);
	errno = co->saved_errno;
}

/* park_give_way lets the other calls of the worker run. */
void park_give_way(seam_coro *co) {
	co->worker->gives_way = 1;
	park_suspend(co, PARK_GIVES_WAY, FOREVER);
}

void let_others_run(seam_coro *co) {
	if (own_process())
		park_give_way(co);
}

void park_give_way_now(seam_coro *co) {
	__atomic_store_n(&co->worker->asks_to_give_way, 0, __ATOMIC_RELAXED);
	let_others_run(co);
}

void suspend_waiter(seam_coro *co, int64_t deadline) { park_suspend(co, PARK_WAITS, deadline); }

void wake_waiter(seam_coro *co) { park_wake(co); }

const void *owner_of(const seam_coro *co) { return co->root; }
uint32_t *owns(const void *owner) { return &((seam_coro *)(uintptr_t)owner)->has_locks; }

/* park_tell wakes the goroutines whose calls have ended or call Go. The watch does so too, where the worker can't. */
void park_tell(struct park_worker *w, int by_watch) {
	uint64_t list[PARK_MOST_TO_WAKE];
	struct { uint64_t *list; int64_t count; } batch = {list, 0};
	int i, count = __atomic_load_n(&w->to_wake_count, __ATOMIC_ACQUIRE);
	if (count == 0)
		return;
	for (i = 0; i < count; i++) {
		uint64_t go = __atomic_exchange_n(&w->to_wake[i], 0, __ATOMIC_ACQ_REL);
		if (go)
			list[batch.count++] = go;
	}
	if (!by_watch)
		__atomic_store_n(&w->to_wake_count, 0, __ATOMIC_RELAXED);
	if (batch.count > 0)
		crosscall2((void (*)(void *))park_go_wake, &batch, 0, 0);
}

static void run(struct park_worker *w, seam_coro *co) {
	if (co->state == PARK_FRESH) {
		__atomic_fetch_add(&co->function->calls, 1, __ATOMIC_RELAXED);
		memset(co->exceptions, 0, sizeof co->exceptions);
	}
	co->state = PARK_RUNS;
	if (__atomic_load_n(&co->function->told, __ATOMIC_RELAXED) & PARK_SLOW)
		park_tell(w, 0);
	__atomic_store_n(&w->asks_to_give_way, 0, __ATOMIC_RELAXED);
	w->function = co->function;
	w->low = co->low;
	w->high = co->high;
	__atomic_store_n(&w->current, co, __ATOMIC_RELEASE);
	__atomic_store_n(&w->runs, w->runs + 1, __ATOMIC_RELAXED);
	seam_park_current = co;
	park_switch(&w->sp, co->sp);
	seam_park_current = NULL;
	__atomic_store_n(&w->current, NULL, __ATOMIC_RELAXED);
	if (co->state == PARK_IN_GO) {
		if (co->event == PARK_CALLBACK)
			__atomic_fetch_add(&co->function->callbacks, 1, __ATOMIC_RELAXED);
		/* From here on, co is Go's. */
		__atomic_store_n(&w->to_wake[w->to_wake_count], co->go, __ATOMIC_RELEASE);
		__atomic_store_n(&w->to_wake_count, w->to_wake_count + 1, __ATOMIC_RELEASE);
		if (w->to_wake_count == PARK_MOST_TO_WAKE)
			park_tell(w, 0);
	} else if (co->state == PARK_GIVES_WAY)
		make_runnable(w, co);
	else
		__atomic_fetch_add(&co->function->parked, 1, __ATOMIC_RELAXED);
}

/* take moves what others have given to the worker. */
static void take(struct park_worker *w, int sleeps) {
	park_lock(&w->mu);
	seam_coro *co = w->inbox, *woken = w->woken;
	w->inbox = NULL;
	w->inbox_end = &w->inbox;
	w->woken = NULL;
	seam_coro *x;
	for (x = woken; x; x = x->next_woken)
		x->woken = 0;
	/* Nobody frees these meanwhile: one that waits ends on this thread. */
	for (; woken; woken = woken->next_woken)
		if (woken->state == PARK_WAITS)
			make_runnable(w, woken);
	w->sleeps = sleeps && !co && !w->runnable && !w->fresh;
	park_unlock(&w->mu);
	while (co) {
		seam_coro *next = co->next;
		push(&w->runnable_end, co);
		co = next;
	}
}

static seam_coro *pop(seam_coro **list, seam_coro ***end) {
	seam_coro *co = *list;
	if (co && !(*list = co->next))
		*end = list;
	return co;
}

/* next_call is what runs next. Calls that have not begun stay where others can take them until they do. */
static seam_coro *next_call(struct park_worker *w, unsigned round) {
	seam_coro *co = NULL;
	if (!w->runnable || round % 4 == 1) {
		park_lock(&w->mu);
		co = pop(&w->fresh, &w->fresh_end);
		park_unlock(&w->mu);
	}
	return co ? co : pop(&w->runnable, &w->runnable_end);
}

static void fire(struct park_worker *w) {
	if (w->timer_count == 0)
		return;
	int64_t t;
	for (t = now(); w->timer_count > 0 && w->timers[0]->deadline <= t;)
		make_runnable(w, w->timers[0]);
}

static void events(struct park_worker *w, int64_t timeout) {
	struct epoll_event list[64];
	struct timespec t = {.tv_sec = timeout / 1000000000, .tv_nsec = timeout % 1000000000};
	int n;
	if (timeout == 0 || libc.epoll_pwait2 == NULL)
		n = libc.epoll_wait(w->epoll, list, 64, timeout < 0 ? -1 : (int)((timeout + 999999) / 1000000));
	else {
		n = libc.epoll_pwait2(w->epoll, list, 64, timeout < 0 ? NULL : &t, NULL);
		if (n < 0 && errno == ENOSYS)
			n = libc.epoll_wait(w->epoll, list, 64, timeout < 0 ? -1 : (int)((timeout + 999999) / 1000000));
	}
	int i;
	for (i = 0; i < n; i++) {
		uint32_t slot = (uint32_t)list[i].data.u64, turn = (uint32_t)(list[i].data.u64 >> 32);
		if (slot == UINT32_MAX) {
			uint64_t ignored;
			if (libc.read(w->event, &ignored, sizeof ignored) < 0) {
				/* nothing there */
			}
			continue;
		}
		if (slot < w->wait_count && w->waits[slot].turn == turn && w->waits[slot].co &&
		    w->waits[slot].co->state == PARK_WAITS)
			make_runnable(w, w->waits[slot].co);
	}
}

static void *work(void *arg) {
	struct park_worker *w = arg;
	sigset_t none; /* what C starts (children, threads) has the mask of its thread, and a signal that C raises is to come at once */
	park_give_signal_stack();
	sigemptyset(&none);
	pthread_sigmask(SIG_SETMASK, &none, NULL);
	__atomic_store_n(&w->own_locks, lists_locked(), __ATOMIC_RELAXED);
	__atomic_store_n(&w->tid, (int)syscall(SYS_gettid), __ATOMIC_RELAXED);
	unsigned round;
	for (round = 0;; round++) {
		take(w, 0);
		fire(w);
		if (round % 8 != 0 && !w->gives_way) {
			seam_coro *co = next_call(w, round);
			if (co) {
				run(w, co);
				continue;
			}
		} else if (w->runnable) {
			w->gives_way = 0;
			park_tell(w, 0);
			events(w, 0);
			continue;
		}
		w->gives_way = 0;
		park_tell(w, 0);
		take(w, 1);
		int64_t timeout = -1;
		if (!w->sleeps)
			timeout = 0;
		else if (w->timer_count > 0) {
			timeout = w->timers[0]->deadline - now();
			if (timeout < 0)
				timeout = 0;
		}
		if (w->runnable)
			timeout = 0;
		events(w, timeout);
	}
	return NULL;
}

/* park_add_worker returns a new worker, or NULL. The caller holds park_mu, or is the watch. */
struct park_worker *park_add_worker(void) {
	if (park_worker_count == (int)(sizeof park_workers / sizeof *park_workers))
		return NULL;
	struct park_worker *w = calloc(1, sizeof *w);
	if (!w)
		return NULL;
	pthread_mutex_init(&w->mu, NULL);
	w->inbox_end = &w->inbox;
	w->fresh_end = &w->fresh;
	w->runnable_end = &w->runnable;
	w->to_wake = calloc(PARK_MOST_TO_WAKE, sizeof *w->to_wake);
	/* Memory that nobody touches is none. */
	w->timers = calloc(PARK_MOST_WAITS, sizeof *w->timers);
	w->timer_room = PARK_MOST_WAITS;
	w->waits = calloc(PARK_MOST_WAITS, sizeof *w->waits);
	w->wait_free = UINT32_MAX;
	w->epoll = epoll_create1(EPOLL_CLOEXEC);
	w->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	struct epoll_event e = {.events = EPOLLIN, .data.u64 = UINT32_MAX};
	if (w->to_wake && w->timers && w->waits && w->epoll >= 0 && w->event >= 0 &&
	    epoll_ctl(w->epoll, EPOLL_CTL_ADD, w->event, &e) == 0 && csys_start(work, w, 0, 0, &w->thread) == 0) {
		park_workers[park_worker_count] = w;
		__atomic_store_n(&park_worker_count, park_worker_count + 1, __ATOMIC_RELEASE);
		return w;
	}
	if (w->epoll >= 0)
		libc.close(w->epoll);
	if (w->event >= 0)
		libc.close(w->event);
	free(w->to_wake);
	free(w->timers);
	free(w->waits);
	free(w);
	return NULL;
}

/* pick returns the worker with the fewest calls. */
static struct park_worker *pick(void) {
	struct park_worker *best = NULL;
	int count = __atomic_load_n(&park_worker_count, __ATOMIC_ACQUIRE), working = 0;
	int i;
	for (i = 0; i < count; i++) {
		struct park_worker *w = park_workers[i];
		if (__atomic_load_n(&w->stuck, __ATOMIC_RELAXED))
			continue;
		working++;
		if (!best || __atomic_load_n(&w->active, __ATOMIC_RELAXED) < __atomic_load_n(&best->active, __ATOMIC_RELAXED))
			best = w;
	}
	if ((uint64_t)working < park_most && (!best || __atomic_load_n(&best->active, __ATOMIC_RELAXED) > 0)) {
		park_lock(&park_mu);
		if (__atomic_load_n(&park_worker_count, __ATOMIC_RELAXED) == count) {
			struct park_worker *w = park_add_worker();
			if (w)
				best = w;
		}
		park_unlock(&park_mu);
	}
	return best;
}

static void give(seam_coro *co) {
	struct park_worker *w = co->worker;
	park_lock(&w->mu);
	push(co->state == PARK_FRESH ? &w->fresh_end : &w->inbox_end, co);
	int sleeps = w->sleeps;
	w->sleeps = 0;
	park_unlock(&w->mu);
	if (sleeps)
		nudge(w);
}

/* ---- what Go calls, on its own threads */

/* A request of Go's: SeamParkRequest. */
struct park_request {
	struct park_function *function;
	void *args; /* on the goroutine's stack */
	uint64_t go;
	seam_coro *co;    /* submit: the call, NULL if there is neither memory nor thread for one */
	seam_coro *outer; /* the call in whose callback this one is made; NULL if none */
	uint64_t g;
};

void _seam_park_submit_v1(struct park_request *r) PARK;
void _seam_park_resume_v1(struct park_request *r) PARK;
void _seam_park_finish_v1(struct park_request *r) PARK;
void _seam_park_drop_v1(struct park_request *r) PARK;
void _seam_park_begin_v1(struct park_function *f) PARK;
int _seam_park_cross_v1(void (*callee)(void *), void *arg) PARK;

void _seam_park_submit_v1(struct park_request *r) {
	struct park_function *f = r->function;
	struct park_worker *w = r->outer ? r->outer->worker : pick();
	r->co = NULL;
	if (!w)
		return;
	size_t stack = f->stack ? f->stack : PARK_STACK;
	seam_coro *co = park_new_stack(stack);
	if (!co)
		return;
	co->go = r->go;
	co->function = f;
	co->worker = w;
	co->root = r->outer ? r->outer->root : co;
	/* The arguments lie between the call and its stack. */
	size_t room = f->in > f->out_at + f->out ? f->in : f->out_at + f->out;
	if (room > stack / 2) {
		park_free_stack(co);
		return;
	}
	char *args = (char *)co - (room + 63) / 64 * 64;
	memcpy(args, r->args, f->in);
	co->args = args;
	co->state = PARK_FRESH;
	park_prepare(co, args);
	__atomic_fetch_add(&w->active, 1, __ATOMIC_SEQ_CST);
	park_wake_clock();
	r->co = co;
	__atomic_store_n(&co->g, r->g, __ATOMIC_RELEASE);
	give(co);
}

void _seam_park_resume_v1(struct park_request *r) {
	r->co->state = PARK_RUNNABLE;
	give(r->co);
}

static void end_call(seam_coro *co) {
	struct park_worker *w = co->worker;
	if (__atomic_load_n(&co->has_locks, __ATOMIC_RELAXED))
		leave_locks(co);
	park_lock(&w->mu);
	forget(w, co);
	park_unlock(&w->mu);
	__atomic_fetch_sub(&w->active, 1, __ATOMIC_RELAXED);
	park_free_stack(co);
}

void _seam_park_finish_v1(struct park_request *r) {
	struct park_function *f = r->function;
	memcpy((char *)r->args + f->out_at, (char *)r->co->args + f->out_at, f->out);
	end_call(r->co);
}

/* A callback has panicked or ended its goroutine: C's frames are dropped. */
void _seam_park_drop_v1(struct park_request *r) { end_call(r->co); }

/* C calls Go: 1 if it was on a coroutine, whose goroutine has run it. */
int _seam_park_cross_v1(void (*callee)(void *), void *arg) {
	seam_coro *co = seam_on_stack_();
	if (!co)
		return 0;
	co->callee = callee;
	co->callee_arg = arg;
	co->event = PARK_CALLBACK;
	park_suspend(co, PARK_IN_GO, FOREVER);
	return 1;
}

/* A child that C forks has this thread alone: it waits as libc does. */
static void in_child(void) {
	seam_park_current = NULL;
	forget_waiters();
}

void _seam_park_begin_v1(struct park_function *f) {
	static int refused, complained, forks;
	const char *e = getenv("SEAM_PARK");
	const char *why = park_interposed();
	f->next = __atomic_load_n(&park_functions, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(&park_functions, &f->next, f, 1, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
	if (f->usable == PARK_ON && e && strcmp(e, "off") == 0)
		f->usable = PARK_OFF;
	else if (f->usable == PARK_ON && why) {
		f->usable = PARK_OFF;
		if (!__atomic_exchange_n(&refused, 1, __ATOMIC_RELAXED))
			csys_say("seam: ", why, "; functions that the plan parks are called through cgo\n");
	}
	if (e && *e && strcmp(e, "on") != 0 && strcmp(e, "off") != 0 && strcmp(e, "all") != 0 && !__atomic_exchange_n(&complained, 1, __ATOMIC_RELAXED))
		csys_say("seam: SEAM_PARK=", e, " is unknown: want on, off or all; taking on\n");
	if (park_package_asked(f))
		f->usable = PARK_OFF;
	f->direct = e && strcmp(e, "all") == 0 ? 0 : 1;
	if (f->usable == PARK_ON) {
		if (!__atomic_exchange_n(&forks, 1, __ATOMIC_RELAXED))
			pthread_atfork(NULL, NULL, in_child);
		park_go_wake = f->wake;
		park_most = f->workers < 1 ? 1 : f->workers > 16 ? 16 : f->workers;
		park_catch_overflow();
		park_start_clock();
	}
}
