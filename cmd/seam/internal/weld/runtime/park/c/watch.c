/* Waits that nobody sees: a system call by the processor's instruction, a lock of libc's, a device. They hold
 * the worker with all of its coroutines.
 *
 * One thread ticks a hundred times a second, while there are calls. It looks whether a call has the worker that it had
 * before. Then it tells Go of the calls that have ended or call Go, which the worker would do only afterwards, and asks
 * the call to give way: it does when it next comes to netio. As long as calls do, it ticks a thousand times a second.
 *
 * Ten times a second it looks whether a worker is still at the same piece of work and has used no processor for it.
 * Then another thread, the watch, which has no descriptors of the program's (csys_watch), looks where it waits, and
 * names the function, once, and who has called what there; from then on the function is called
 * through cgo. The worker gets no new calls until it goes on, those that have not begun go to
 * another one. The latter is so, too, where a call computes for some tenths of a second. */

#include "watch.h"

enum { LOOK_NS = 100000000, TICK_NS = 10000000, QUICK_TICK_NS = 1000000, LOOKS = 3 };

/* What the watch has been asked about a worker, and says. */
enum { SIGHT_NONE, SIGHT_WANTED, SIGHT_RUNS, SIGHT_WAITS };

static int64_t cpu_of(struct park_worker *w) {
	clockid_t clock;
	struct timespec t;
	if (pthread_getcpuclockid(w->thread, &clock) != 0 || clock_gettime(clock, &t) != 0)
		return -1;
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

/* demote has the function called through cgo. seen is NULL where there is no watch. */
static void demote(struct park_function *f, int tid, const csys_sight *seen, uintptr_t high) {
	__atomic_store_n(&f->on, PARK_OFF, __ATOMIC_RELEASE);
	if (__atomic_fetch_or(&f->told, PARK_TOLD, __ATOMIC_RELAXED) & PARK_TOLD)
		return;
	if (seen && !csys_speak())
		return;
	csys_say("seam: ", f->name, " waits in a way that keeps its thread", !seen ? "" : seen->call == SYS_futex ? " (a futex)" : " (system call ",
		seen && seen->call != SYS_futex ? csys_decimal(seen->call) : "", seen && seen->call != SYS_futex ? ")" : "",
		"; it is called through cgo from now on. Mark it cgo in seam.plan", seen ? ". C was here:\n" : "\n");
	if (seen) {
		csys_say_stack(tid, seen, high);
		csys_hush();
	}
}

static void see(struct park_worker *w) {
	struct park_function *f = w->function;
	uintptr_t high = (uintptr_t)w->high;
	int wanted = SIGHT_WANTED;
	csys_sight s;
	memset(&s, 0, sizeof s);
	/* Asleep, or waiting for a processor? */
	int waits = csys_look(w->tid, &s) || !csys_runs(w->tid);
	if (__atomic_load_n(&w->runs, __ATOMIC_RELAXED) != w->sight_runs)
		waits = 0;
#ifdef SEAM_HAS_LOCKS
	if (s.call == SYS_futex && is_list_lock(s.first))
		waits = 0;
#endif
	if (waits)
		demote(f, w->tid, &s, high);
	__atomic_compare_exchange_n(&w->sight, &wanted, waits ? SIGHT_WAITS : SIGHT_RUNS, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}

static uint32_t sights_wanted;

static void watch(void) {
	for (;;) {
		uint32_t before = __atomic_load_n(&sights_wanted, __ATOMIC_ACQUIRE);
		int i, count = __atomic_load_n(&park_worker_count, __ATOMIC_ACQUIRE);
		for (i = 0; i < count; i++)
			if (__atomic_load_n(&park_workers[i]->sight, __ATOMIC_ACQUIRE) == SIGHT_WANTED)
				see(park_workers[i]);
		csys_call(SYS_futex, (long)&sights_wanted, FUTEX_WAIT_PRIVATE, before, 0);
	}
}

enum { WATCH_NONE, WATCH_BEGINS, WATCH_LOOKS, WATCH_FAILED };
static int watch_state;

static void begin_to_watch(void) {
	__atomic_store_n(&watch_state, WATCH_LOOKS, __ATOMIC_RELEASE);
	watch();
}

static void *start_watch(void *unused) {
	csys_watch(begin_to_watch);
	__atomic_store_n(&watch_state, WATCH_FAILED, __ATOMIC_RELEASE);
	return unused;
}

/* sight_of asks the watch, which is started when it is first asked, and returns what it has said of this piece of work. */
static int sight_of(struct park_worker *w, uint64_t runs) {
	int sight = __atomic_load_n(&w->sight, __ATOMIC_ACQUIRE);
	if (watch_state == WATCH_NONE) {
		watch_state = WATCH_BEGINS;
		if (csys_start_watch(start_watch) != 0)
			watch_state = WATCH_FAILED;
	}
	if (__atomic_load_n(&watch_state, __ATOMIC_ACQUIRE) == WATCH_FAILED) {
		demote(w->function, 0, NULL, 0);
		return SIGHT_WAITS;
	}
	if (sight == SIGHT_NONE) {
		w->sight_runs = runs;
		__atomic_store_n(&w->sight, SIGHT_WANTED, __ATOMIC_RELEASE);
		__atomic_fetch_add(&sights_wanted, 1, __ATOMIC_RELEASE);
		csys_call(SYS_futex, (long)&sights_wanted, FUTEX_WAKE_PRIVATE, 1, 0);
	} else if (sight == SIGHT_RUNS)
		__atomic_store_n(&w->sight, SIGHT_NONE, __ATOMIC_RELAXED);
	return sight;
}

static int has_calls_to_give(struct park_worker *w) {
	seam_coro *co;
	park_lock(&w->mu);
	for (co = w->fresh; co && co->root != co; co = co->next)
		;
	park_unlock(&w->mu);
	return co != NULL;
}

/* give_away gives calls that have not begun to another worker. */
static void give_away(struct park_worker *w) {
	struct park_worker *other = NULL;
	if (!has_calls_to_give(w))
		return;
	int count = __atomic_load_n(&park_worker_count, __ATOMIC_ACQUIRE);
	int i;
	for (i = 0; i < count; i++)
		if (!__atomic_load_n(&park_workers[i]->stuck, __ATOMIC_RELAXED))
			other = park_workers[i];
	if (!other) {
		park_lock(&park_mu);
		other = park_add_worker();
		park_unlock(&park_mu);
	}
	if (!other)
		return;
	park_lock(&w->mu);
	seam_coro *list = NULL, **at = &w->fresh;
	w->fresh_end = &w->fresh;
	while (*at) {
		seam_coro *co = *at;
		if (co->root == co) {
			*at = co->next;
			co->next = list;
			list = co;
		} else { /* it belongs to the thread of the call above it */
			at = &co->next;
			w->fresh_end = at;
		}
	}
	park_unlock(&w->mu);
	while (list) {
		seam_coro *co = list;
		list = co->next;
		co->worker = other;
		__atomic_fetch_sub(&w->active, 1, __ATOMIC_RELAXED);
		__atomic_fetch_add(&other->active, 1, __ATOMIC_RELAXED);
		give(co);
	}
}

/* Who computes for long has all the time that it wants, but what is to stop it may be a call that
 * has not begun: an interrupt, a cancellation. */
static void computes(struct park_worker *w, uint64_t runs) {
	w->looks = 0;
	if (++w->computes < 2 || __atomic_load_n(&w->runs, __ATOMIC_RELAXED) != runs)
		return;
	__atomic_store_n(&w->stuck, 1, __ATOMIC_RELAXED);
	give_away(w);
}

static void look_at(struct park_worker *w) {
	seam_coro *co = __atomic_load_n(&w->current, __ATOMIC_RELAXED);
	uint64_t runs = __atomic_load_n(&w->runs, __ATOMIC_RELAXED);
	if (!co || runs != w->seen_runs) {
		w->seen_runs = runs;
		w->looks = w->computes = 0;
		__atomic_store_n(&w->stuck, 0, __ATOMIC_RELAXED);
		__atomic_store_n(&w->sight, SIGHT_NONE, __ATOMIC_RELAXED);
		w->seen_cpu = cpu_of(w);
		return;
	}
	int64_t cpu = cpu_of(w);
	if (cpu - w->seen_cpu > LOOK_NS / 10) {
		w->seen_cpu = cpu;
		computes(w, runs);
		return;
	}
	w->seen_cpu = cpu;
	if (++w->looks < LOOKS)
		return;
	/* For a lock of ours, whose owner never waits, but may itself have to wait for a processor: where hundreds of
	 * threads want one, for seconds. */
	int *own = __atomic_load_n(&w->own_locks, __ATOMIC_RELAXED);
	if (own && __atomic_load_n(own, __ATOMIC_RELAXED) > 0) {
		w->looks--;
		return;
	}
	if (__atomic_load_n(&w->runs, __ATOMIC_RELAXED) != runs)
		return;
	switch (sight_of(w, runs)) {
	case SIGHT_RUNS:
		computes(w, runs);
		break;
	case SIGHT_WAITS:
		__atomic_store_n(&w->stuck, 1, __ATOMIC_RELAXED);
		give_away(w);
	}
}

/* tick returns 1 if a call has given way since the last one. */
static int tick(struct park_worker *w) {
	uint64_t runs = __atomic_load_n(&w->runs, __ATOMIC_RELAXED);
	int gave_way = w->asked && !__atomic_load_n(&w->asks_to_give_way, __ATOMIC_RELAXED);
	w->asked = 0;
	if (runs == w->ticked_runs && __atomic_load_n(&w->current, __ATOMIC_ACQUIRE)) {
		struct park_function *f = w->function;
		int64_t cpu = cpu_of(w);
		park_tell(w, 1);
		/* Not if it waits for a processor, as on a busy machine. */
		if (w->ticked_cpu > 0 && cpu - w->ticked_cpu > TICK_NS / 4)
			__atomic_fetch_or(&f->told, PARK_SLOW, __ATOMIC_RELAXED);
		w->ticked_cpu = cpu;
		w->asked = 1;
		__atomic_store_n(&w->asks_to_give_way, 1, __ATOMIC_RELAXED);
	} else
		w->ticked_cpu = 0;
	w->ticked_runs = runs;
	return gave_way;
}

static int calls_now(void) {
	int i, count = __atomic_load_n(&park_worker_count, __ATOMIC_ACQUIRE);
	for (i = 0; i < count; i++)
		if (__atomic_load_n(&park_workers[i]->active, __ATOMIC_SEQ_CST) > 0)
			return 1;
	return 0;
}

/* While there are no calls, the clock sleeps until there is one. */
static uint32_t clock_sleeps;

void park_wake_clock(void) {
	if (__atomic_load_n(&clock_sleeps, __ATOMIC_SEQ_CST) && __atomic_exchange_n(&clock_sleeps, 0, __ATOMIC_SEQ_CST))
		enter(SYS_futex, (long)&clock_sleeps, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
}

static void *ticks(void *unused) {
	int64_t next_look = 0;
	(void)unused;
	for (;;) {
		struct timespec t = {.tv_nsec = TICK_NS};
		int i, count = __atomic_load_n(&park_worker_count, __ATOMIC_ACQUIRE), look = now() >= next_look;
		for (i = 0; i < count; i++) {
			if (tick(park_workers[i]))
				t.tv_nsec = QUICK_TICK_NS;
			if (look)
				look_at(park_workers[i]);
		}
		if (look)
			next_look = now() + LOOK_NS;
		if (!calls_now()) {
			__atomic_store_n(&clock_sleeps, 1, __ATOMIC_SEQ_CST);
			if (!calls_now())
				enter(SYS_futex, (long)&clock_sleeps, FUTEX_WAIT_PRIVATE, 1, 0, 0, 0);
			__atomic_store_n(&clock_sleeps, 0, __ATOMIC_SEQ_CST);
		}
		libc.nanosleep(&t, NULL);
	}
	return NULL;
}

void park_start_clock(void) {
	static int started;
	pthread_t id;
	if (__atomic_exchange_n(&started, 1, __ATOMIC_RELAXED))
		return;
	if (csys_start(ticks, NULL, 0, SIGPROF, &id) != 0)
		__atomic_store_n(&started, 0, __ATOMIC_RELAXED);
}
