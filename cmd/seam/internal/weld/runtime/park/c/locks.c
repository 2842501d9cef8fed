/* pthread's waits. In a coroutine a lock is tried, and if another has it the coroutine waits
 * until somebody unlocks; elsewhere libc's function is called. libc's lock is taken in
 * any case, so threads and coroutines share locks.
 *
 * Who unlocks, signals or posts wakes the coroutines that wait for the same address. What
 * libc does by itself wakes nobody here, so everyone that waits also looks from time to
 * time. A condition may wake without cause, which POSIX allows.
 *
 * A lock that knows its owner (recursive, errorcheck) knows the thread, which the coroutines
 * of a worker share. So it is noted here which of them has it. A goroutine's calls from callbacks
 * count as that which it has made first, with which they have the thread in common. */

#define PARK_LOOK_AGAIN INT64_C(20000000)

#define LOCKS(F) \
	F(int, pthread_mutex_trylock, (pthread_mutex_t *m)) \
	F(int, pthread_mutex_unlock, (pthread_mutex_t *m)) \
	F(int, pthread_cond_signal, (pthread_cond_t *c)) \
	F(int, pthread_cond_broadcast, (pthread_cond_t *c)) \
	F(int, pthread_rwlock_unlock, (pthread_rwlock_t *l)) \
	F(int, sem_post, (sem_t *s)) \
	F(void, funlockfile, (FILE *f))

/* Those that wait are own (libc.c), and in coro functions another way of theirs (waitsbygo.c). */
#define LOCK_FIELD(result, name, parameters) result(*name) parameters;
static struct { LOCKS(LOCK_FIELD) } real;

#define LOCK_DECLARE(result, name, parameters) \
	result park_##name parameters __asm__(#name) __attribute__((weak, visibility("default")));
LOCKS(LOCK_DECLARE)

#define LOCK_WAITS_DECLARE(result, name, n, parameters, ...) LOCK_DECLARE(result, name, parameters)
LOCK_WAITS(LOCK_WAITS_DECLARE)
C11_WAITS(LOCK_WAITS_DECLARE)
SIGNAL_WAITS(LOCK_WAITS_DECLARE)
int park_sched_yield(void) __asm__("sched_yield") __attribute__((weak, visibility("default")));
int park_thrd_yield(void) __asm__("thrd_yield") __attribute__((weak, visibility("default")));

static void resolve_lock(const char *name, void *field) {
	void *f = next_definition(name);
	if (!f) {
		const char *words[] = {"seam: a static executable can't be built with functions that the plan parks: libc's ", name, " is not to be found", NULL};
		park_say(words);
		abort();
	}
	memcpy(field, &f, sizeof f);
}

static int locks_resolved;

static __attribute__((constructor(101))) void resolve_locks(void) {
	int keep = errno;
#define LOCK_RESOLVE(result, name, parameters) resolve_lock(#name, &real.name);
	LOCKS(LOCK_RESOLVE)
	__atomic_store_n(&locks_resolved, 1, __ATOMIC_RELEASE);
	errno = keep;
}

/* Constructors of libraries come before ours. */
static inline void need_locks(void) {
	if (__builtin_expect(!__atomic_load_n(&locks_resolved, __ATOMIC_ACQUIRE), 0))
		resolve_locks();
}

/* Locks of ours that this thread has. A signal handler, which may post a semaphore, must not
 * ask for them again. */
static __thread int park_own_locks __attribute__((tls_model("initial-exec")));

int *park_own_locks_here(void) { return &park_own_locks; }

int park_lock(pthread_mutex_t *m) {
	need_locks();
	park_own_locks++;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	need_own();
	return own.pthread_mutex_lock(m);
}
int park_unlock(pthread_mutex_t *m) {
	int r = real.pthread_mutex_unlock(m);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	park_own_locks--;
	return r;
}

/* park_interposed says why libraries don't find our functions; NULL if they do. */
const char *park_interposed(void) {
	void *f = dlsym(RTLD_DEFAULT, "pthread_mutex_lock"), *g = dlsym(RTLD_DEFAULT, "recv");
	if (f == (void *)park_pthread_mutex_lock && (g == (void *)park_our_recv || park_share_netio()))
		return NULL;
	return "libraries of this program don't find seam's recv and pthread_mutex_lock before libc's (a shared library, or package netio of another version in the program)";
}

/* ---- who waits for what */

enum { BUCKETS = 256 };
static struct bucket {
	pthread_mutex_t mu;
	seam_coro *first, **end;
} park_buckets[BUCKETS];
static int park_waiting; /* coroutines in all buckets */

static __attribute__((constructor(101))) void make_buckets(void) {
	int i;
	for (i = 0; i < BUCKETS; i++)
		park_buckets[i].end = &park_buckets[i].first; /* all zero is an unlocked mutex */
}

static struct bucket *bucket_of(const void *lock) {
	return &park_buckets[(uintptr_t)lock * UINT64_C(0x9E3779B97F4A7C15) >> 56];
}

void park_nobody_waits(void) { __atomic_store_n(&park_waiting, 0, __ATOMIC_RELAXED); }

static void enlist(seam_coro *co, const void *lock) {
	struct bucket *b = bucket_of(lock);
	park_lock(&b->mu);
	co->lock = lock;
	co->next_waiter = NULL;
	*b->end = co;
	b->end = &co->next_waiter;
	__atomic_fetch_add(&park_waiting, 1, __ATOMIC_SEQ_CST);
	park_unlock(&b->mu);
}

/* delist returns 1 if somebody has taken it off the list, and woken it, already. */
static int delist(seam_coro *co) {
	struct bucket *b = bucket_of(co->lock);
	int gone = 1;
	park_lock(&b->mu);
	seam_coro **at;
	for (at = &b->first; *at; at = &(*at)->next_waiter)
		if (*at == co) {
			*at = co->next_waiter;
			if (b->end == &co->next_waiter)
				b->end = at;
			__atomic_fetch_sub(&park_waiting, 1, __ATOMIC_RELAXED);
			gone = 0;
			break;
		}
	park_unlock(&b->mu);
	return gone;
}

/* wake_waiters returns how many it has woken. */
static int wake_waiters(const void *lock, int most) {
	struct bucket *b;
	int left = most;
	if (__builtin_expect(__atomic_load_n(&park_waiting, __ATOMIC_SEQ_CST) == 0, 1))
		return 0;
	if (park_own_locks) /* in a signal handler: who waits looks again by itself */
		return 0;
	b = bucket_of(lock);
	park_lock(&b->mu);
	seam_coro **at;
	for (at = &b->first; *at && left > 0;) {
		seam_coro *co = *at;
		if (co->lock != lock) {
			at = &co->next_waiter;
			continue;
		}
		*at = co->next_waiter;
		if (b->end == &co->next_waiter)
			b->end = at;
		__atomic_fetch_sub(&park_waiting, 1, __ATOMIC_RELAXED);
		left--;
		park_wake(co); /* it is there: it leaves only under this lock */
	}
	park_unlock(&b->mu);
	return most - left;
}

/* until waits for lock while try(arg) says busy, and returns what it says else, or
 * ETIMEDOUT. */
static int until(seam_coro *co, const void *lock, int (*try_it)(seam_coro *co, void *arg), void *arg, int busy, int64_t deadline) {
	for (;;) {
		int r = try_it(co, arg);
		if (r != busy)
			return r;
		enlist(co, lock);
		/* It may have been unlocked before anybody could see us. */
		r = try_it(co, arg);
		if (r != busy) {
			delist(co);
			return r;
		}
		if (park_now() >= deadline) {
			delist(co);
			return ETIMEDOUT;
		}
		int64_t look = park_after(PARK_LOOK_AGAIN);
		park_suspend(co, PARK_WAITS, look < deadline ? look : deadline);
		delist(co);
	}
}

/* ---- mutexes that know their owner */

/* What coroutines have locked, by worker. It is read and written on the worker's thread only. */
struct owned {
	struct owned *next;
	const void *lock;
	seam_coro *co; /* the root */
	int count;
};
static __thread struct owned *park_owned __attribute__((tls_model("initial-exec")));

static int knows_owner(const pthread_mutex_t *m) { return (m->__data.__kind & 3) == PTHREAD_MUTEX_RECURSIVE_NP || (m->__data.__kind & 3) == PTHREAD_MUTEX_ERRORCHECK_NP; }

static struct owned *find_owned(const void *lock) {
	struct owned *o = park_owned;
	while (o && o->lock != lock)
		o = o->next;
	return o;
}

static void note_owned(seam_coro *co, const void *lock) {
	struct owned *o = find_owned(lock);
	if (!o) {
		o = malloc(sizeof *o);
		if (!o)
			return; /* then the coroutines of this worker share the lock */
		o->lock = lock;
		o->count = 0;
		o->next = park_owned;
		park_owned = o;
	}
	o->co = co->root;
	o->count++;
}

static void note_unlocked(const void *lock) {
	struct owned **at;
	for (at = &park_owned; *at; at = &(*at)->next)
		if ((*at)->lock == lock) {
			struct owned *o = *at;
			if (--o->count == 0) {
				*at = o->next;
				free(o);
			}
			return;
		}
}

static int try_mutex(seam_coro *co, void *arg) {
	pthread_mutex_t *m = arg;
	if (!knows_owner(m))
		return real.pthread_mutex_trylock(m);
	struct owned *o = find_owned(m);
	if (o && o->co != co->root)
		return EBUSY;
	if (o && (m->__data.__kind & 3) == PTHREAD_MUTEX_ERRORCHECK_NP)
		return EDEADLK;
	int r = real.pthread_mutex_trylock(m);
	if (r == 0 || r == EOWNERDEAD)
		note_owned(co, m);
	return r;
}

static int64_t absolute(clockid_t clock, const struct timespec *t) {
	struct timespec n;
	clock_gettime(clock, &n);
	int64_t left;
	if (t->tv_sec < n.tv_sec || (t->tv_sec == n.tv_sec && t->tv_nsec <= n.tv_nsec))
		return park_now();
	if (__builtin_mul_overflow((int64_t)t->tv_sec - n.tv_sec, INT64_C(1000000000), &left) ||
	    __builtin_add_overflow(left, t->tv_nsec - n.tv_nsec, &left))
		return PARK_FOREVER;
	return park_after(left);
}

static int bad_time(const struct timespec *t) { return t->tv_nsec < 0 || t->tv_nsec >= 1000000000; }

int park_pthread_mutex_lock(pthread_mutex_t *m) {
	seam_coro *co = seam_on_stack_();
	need_locks();
	return co ? until(co, m, try_mutex, m, EBUSY, PARK_FOREVER) : coro_pthread_mutex_lock(m);
}

int park_pthread_mutex_trylock(pthread_mutex_t *m) {
	seam_coro *co = seam_on_stack_();
	need_locks();
	if (!co)
		return real.pthread_mutex_trylock(m);
	int r = try_mutex(co, m);
	return r == EDEADLK ? EBUSY : r;
}

int park_pthread_mutex_timedlock(pthread_mutex_t *m, const struct timespec *t) {
	seam_coro *co = seam_on_stack_();
	need_locks();
	if (!co || bad_time(t))
		return coro_pthread_mutex_timedlock(m, t);
	return until(co, m, try_mutex, m, EBUSY, absolute(CLOCK_REALTIME, t));
}

int park_pthread_mutex_unlock(pthread_mutex_t *m) {
	seam_coro *co = seam_on_stack_();
	need_locks();
	if (co && knows_owner(m)) {
		struct owned *o = find_owned(m);
		if (o && o->co != co->root)
			return EPERM;
		int r = real.pthread_mutex_unlock(m);
		if (r == 0) {
			note_unlocked(m);
			wake_waiters(m, 1);
		}
		return r;
	}
	int r = real.pthread_mutex_unlock(m);
	wake_waiters(m, 1);
	return r;
}

/* ---- conditions */

static int wait_condition(seam_coro *co, pthread_cond_t *c, pthread_mutex_t *m, int64_t deadline) {
	enlist(co, c);
	int r = park_pthread_mutex_unlock(m);
	if (r != 0) {
		delist(co);
		return r;
	}
	/* A wake-up by what we don't see comes within a second. */
	int64_t look = park_after(PARK_LOOK);
	park_suspend(co, PARK_WAITS, look < deadline ? look : deadline);
	int signalled = delist(co);
	r = park_pthread_mutex_lock(m);
	if (r == 0 && !signalled && park_now() >= deadline)
		return ETIMEDOUT;
	return r;
}

int park_pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m) {
	seam_coro *co = seam_on_stack_();
	need_locks();
	return co ? wait_condition(co, c, m, PARK_FOREVER) : coro_pthread_cond_wait(c, m);
}

int park_pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *t) {
	seam_coro *co = seam_on_stack_();
	need_locks();
	if (!co || bad_time(t))
		return coro_pthread_cond_timedwait(c, m, t);
	/* glibc keeps the clock of pthread_condattr_setclock in this bit. */
	clockid_t clock = c->__data.__wrefs & 2 ? CLOCK_MONOTONIC : CLOCK_REALTIME;
	return wait_condition(co, c, m, absolute(clock, t));
}

int park_pthread_cond_signal(pthread_cond_t *c) {
	need_locks();
	wake_waiters(c, 1);
	return real.pthread_cond_signal(c);
}

int park_pthread_cond_broadcast(pthread_cond_t *c) {
	need_locks();
	wake_waiters(c, INT32_MAX);
	return real.pthread_cond_broadcast(c);
}

/* ---- the rest */

static int try_read(seam_coro *co, void *l) {
	(void)co;
	return pthread_rwlock_tryrdlock(l);
}

static int try_write(seam_coro *co, void *l) {
	(void)co;
	return pthread_rwlock_trywrlock(l);
}

int park_pthread_rwlock_rdlock(pthread_rwlock_t *l) {
	seam_coro *co = seam_on_stack_();
	need_locks();
	return co ? until(co, l, try_read, l, EBUSY, PARK_FOREVER) : coro_pthread_rwlock_rdlock(l);
}

int park_pthread_rwlock_wrlock(pthread_rwlock_t *l) {
	seam_coro *co = seam_on_stack_();
	need_locks();
	return co ? until(co, l, try_write, l, EBUSY, PARK_FOREVER) : coro_pthread_rwlock_wrlock(l);
}

int park_pthread_rwlock_timedrdlock(pthread_rwlock_t *l, const struct timespec *t) {
	seam_coro *co = seam_on_stack_();
	need_locks();
	if (!co || bad_time(t))
		return coro_pthread_rwlock_timedrdlock(l, t);
	return until(co, l, try_read, l, EBUSY, absolute(CLOCK_REALTIME, t));
}

int park_pthread_rwlock_timedwrlock(pthread_rwlock_t *l, const struct timespec *t) {
	seam_coro *co = seam_on_stack_();
	need_locks();
	if (!co || bad_time(t))
		return coro_pthread_rwlock_timedwrlock(l, t);
	return until(co, l, try_write, l, EBUSY, absolute(CLOCK_REALTIME, t));
}

int park_pthread_rwlock_clockrdlock(pthread_rwlock_t *l, clockid_t clock, const struct timespec *t) {
	seam_coro *co = seam_on_stack_();
	need_locks();
	if (!co || !known(clock) || bad_time(t))
		return coro_pthread_rwlock_clockrdlock(l, clock, t);
	return until(co, l, try_read, l, EBUSY, absolute(clock, t));
}

int park_pthread_rwlock_clockwrlock(pthread_rwlock_t *l, clockid_t clock, const struct timespec *t) {
	seam_coro *co = seam_on_stack_();
	need_locks();
	if (!co || !known(clock) || bad_time(t))
		return coro_pthread_rwlock_clockwrlock(l, clock, t);
	return until(co, l, try_write, l, EBUSY, absolute(clock, t));
}

int park_pthread_rwlock_unlock(pthread_rwlock_t *l) {
	need_locks();
	int r = real.pthread_rwlock_unlock(l);
	wake_waiters(l, INT32_MAX);
	return r;
}

/* retry_until looks from time to time, where nobody wakes, until try says something else than busy. */
static int retry_until(seam_coro *co, int (*try_it)(seam_coro *co, void *arg), void *arg, int busy, int64_t deadline) {
	int64_t pause;
	for (pause = 50000;; pause = pause < 5000000 ? pause * 2 : pause) {
		int r = try_it(co, arg);
		if (r != busy)
			return r;
		int64_t left = deadline == PARK_FOREVER ? pause : deadline - park_now();
		if (left <= 0)
			return ETIMEDOUT;
		seam_sleep(co, left < pause ? left : pause);
	}
}

static int try_spin(seam_coro *co, void *l) {
	(void)co;
	return pthread_spin_trylock(l);
}

int park_pthread_spin_lock(pthread_spinlock_t *l) {
	seam_coro *co = seam_on_stack_();
	long r;
	if (!co)
		return coro_pthread_spin_lock(l);
	return tried_spinning(&r, l) ? (int)r : retry_until(co, try_spin, (void *)l, EBUSY, PARK_FOREVER);
}

struct joining {
	pthread_t thread;
	void **result;
};

static int try_join(seam_coro *co, void *arg) {
	struct joining *j = arg;
	(void)co;
	return pthread_tryjoin_np(j->thread, j->result);
}

static int join(seam_coro *co, pthread_t t, void **result, int64_t deadline) {
	struct joining j = {t, result};
	return retry_until(co, try_join, &j, EBUSY, deadline);
}

int park_pthread_join(pthread_t t, void **result) {
	seam_coro *co = seam_on_stack_();
	need_locks();
	return co ? join(co, t, result, PARK_FOREVER) : coro_pthread_join(t, result);
}

int park_pthread_timedjoin_np(pthread_t t, void **result, const struct timespec *end) {
	seam_coro *co = seam_on_stack_();
	need_locks();
	if (!co || (end && bad_time(end)))
		return coro_pthread_timedjoin_np(t, result, end);
	return join(co, t, result, end ? absolute(CLOCK_REALTIME, end) : PARK_FOREVER);
}

int park_pthread_clockjoin_np(pthread_t t, void **result, clockid_t clock, const struct timespec *end) {
	seam_coro *co = seam_on_stack_();
	need_locks();
	if (!co || !known(clock) || (end && bad_time(end)))
		return coro_pthread_clockjoin_np(t, result, clock, end);
	return join(co, t, result, end ? absolute(clock, end) : PARK_FOREVER);
}

/* What is done once may wait. Then libc would keep the thread of each other coroutine that comes
 * to it, and with it perhaps that of the one that does it. */
struct once {
	struct once *next;
	const void *control;
	seam_coro *co;
};
static struct {
	pthread_mutex_t mu;
	struct once *list;
} park_onces;

static int try_once(seam_coro *co, void *arg) {
	struct once *mine = arg, *o;
	park_lock(&park_onces.mu);
	for (o = park_onces.list; o && (o->control != mine->control || o->co == co->root); o = o->next)
		;
	if (!o) {
		mine->next = park_onces.list;
		park_onces.list = mine;
	}
	park_unlock(&park_onces.mu);
	return o ? EBUSY : 0;
}

/* begin_once and end_once stand around libc's function. The memory is not on the stack, which a
 * panic in a callback may drop: then it is never done, as with libc. */
static struct once *begin_once(seam_coro *co, const void *control) {
	struct once *mine = malloc(sizeof *mine);
	if (!mine)
		return NULL;
	mine->control = control;
	mine->co = co->root;
	until(co, control, try_once, mine, EBUSY, PARK_FOREVER);
	return mine;
}

static void end_once(struct once *mine) {
	if (!mine)
		return;
	park_lock(&park_onces.mu);
	struct once **at;
	for (at = &park_onces.list; *at; at = &(*at)->next)
		if (*at == mine) {
			*at = mine->next;
			break;
		}
	park_unlock(&park_onces.mu);
	wake_waiters(mine->control, INT32_MAX);
	free(mine);
}

int park_pthread_once(pthread_once_t *control, void (*f)(void)) {
	seam_coro *co = seam_on_stack_();
	need_locks();
	if (!co || is_done(control))
		return coro_pthread_once(control, f);
	struct once *mine = begin_once(co, control);
	int r = coro_pthread_once(control, f);
	end_once(mine);
	return r;
}

static int try_semaphore(seam_coro *co, void *s) {
	(void)co;
	return sem_trywait(s) == 0 ? 0 : errno;
}

static int wait_semaphore(seam_coro *co, sem_t *s, int64_t deadline) {
	int keep = errno, r = until(co, s, try_semaphore, s, EAGAIN, deadline);
	errno = r ? r : keep;
	return r ? -1 : 0;
}

int park_sem_wait(sem_t *s) {
	seam_coro *co = seam_on_stack_();
	need_locks();
	return co ? wait_semaphore(co, s, PARK_FOREVER) : coro_sem_wait(s);
}

int park_sem_timedwait(sem_t *s, const struct timespec *t) {
	seam_coro *co = seam_on_stack_();
	need_locks();
	if (!co || bad_time(t))
		return coro_sem_timedwait(s, t);
	return wait_semaphore(co, s, absolute(CLOCK_REALTIME, t));
}

int park_sem_clockwait(sem_t *s, clockid_t clock, const struct timespec *t) {
	seam_coro *co = seam_on_stack_();
	need_locks();
	if (!co || !known(clock) || bad_time(t))
		return coro_sem_clockwait(s, clock, t);
	return wait_semaphore(co, s, absolute(clock, t));
}

int park_sem_post(sem_t *s) {
	need_locks();
	int r = real.sem_post(s);
	wake_waiters(s, 1);
	return r;
}

/* The lock of a FILE knows the thread too. */
static int try_file(seam_coro *co, void *f) {
	struct owned *o = find_owned(f);
	if (o && o->co != co->root)
		return EBUSY;
	if (ftrylockfile(f) != 0)
		return EBUSY;
	note_owned(co, f);
	return 0;
}

void park_flockfile(FILE *f) {
	seam_coro *co = seam_on_stack_();
	need_locks();
	if (co)
		until(co, f, try_file, f, EBUSY, PARK_FOREVER);
	else
		coro_flockfile(f);
}

void park_funlockfile(FILE *f) {
	need_locks();
	real.funlockfile(f);
	if (seam_on_stack_())
		note_unlocked(f);
	wake_waiters(f, 1);
}

/* C++ waits for steady clocks by these (glibc 2.30). */
int park_pthread_mutex_clocklock(pthread_mutex_t *m, clockid_t clock, const struct timespec *t) {
	seam_coro *co = seam_on_stack_();
	need_locks();
	if (co && !bad_time(t) && (clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC))
		return until(co, m, try_mutex, m, EBUSY, absolute(clock, t));
	return coro_pthread_mutex_clocklock(m, clock, t);
}

int park_pthread_cond_clockwait(pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock, const struct timespec *t) {
	seam_coro *co = seam_on_stack_();
	need_locks();
	if (co && !bad_time(t) && (clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC))
		return wait_condition(co, c, m, absolute(clock, t));
	return coro_pthread_cond_clockwait(c, m, clock, t);
}

/* ---- the threads of C11
 *
 * In glibc they are pthread's under other names: mtx_lock calls pthread_mutex_lock with the same
 * address. A library may have its own instead, with other numbers for success and failure (they
 * are copied from one that is older than glibc's); so only libc's are taken for pthread's,
 * and what comes next is called in any other case. */

#define C11(F) \
	F(int, mtx_trylock, (pthread_mutex_t *m)) \
	F(int, mtx_unlock, (pthread_mutex_t *m)) \
	F(int, cnd_signal, (pthread_cond_t *c)) \
	F(int, cnd_broadcast, (pthread_cond_t *c))

static struct { C11(LOCK_FIELD) } c11;
C11(LOCK_DECLARE)

static __attribute__((constructor(101))) void resolve_c11(void) {
	int keep = errno;
	need_own();
#define C11_RESOLVE(result, name, parameters) do { \
		void *f = dlsym(RTLD_NEXT, #name); \
		memcpy(&c11.name, &f, sizeof f); \
	} while (0);
	C11(C11_RESOLVE)
	errno = keep;
}

/* The coroutine whose call is to be pthread's. Constructors of libraries come before ours. */
static seam_coro *c11_coro(void) {
	seam_coro *co = seam_on_stack_();
	if (__builtin_expect(!c11.mtx_unlock, 0))
		resolve_c11();
	return c11_is_libcs ? co : NULL;
}

int park_mtx_lock(pthread_mutex_t *m) { return c11_coro() ? c11_result(park_pthread_mutex_lock(m)) : coro_mtx_lock(m); }

int park_mtx_trylock(pthread_mutex_t *m) { return c11_coro() ? c11_result(park_pthread_mutex_trylock(m)) : c11.mtx_trylock(m); }

int park_mtx_timedlock(pthread_mutex_t *m, const struct timespec *t) {
	return c11_coro() ? c11_result(park_pthread_mutex_timedlock(m, t)) : coro_mtx_timedlock(m, t);
}

int park_mtx_unlock(pthread_mutex_t *m) {
	if (c11_coro())
		return c11_result(park_pthread_mutex_unlock(m));
	int r = c11.mtx_unlock(m);
	wake_waiters(m, 1);
	return r;
}

int park_cnd_wait(pthread_cond_t *c, pthread_mutex_t *m) {
	return c11_coro() ? c11_result(park_pthread_cond_wait(c, m)) : coro_cnd_wait(c, m);
}

int park_cnd_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *t) {
	return c11_coro() ? c11_result(park_pthread_cond_timedwait(c, m, t)) : coro_cnd_timedwait(c, m, t);
}

int park_cnd_signal(pthread_cond_t *c) {
	c11_coro();
	wake_waiters(c, 1);
	return c11.cnd_signal(c);
}

int park_cnd_broadcast(pthread_cond_t *c) {
	c11_coro();
	wake_waiters(c, INT32_MAX);
	return c11.cnd_broadcast(c);
}

int park_thrd_join(pthread_t t, int *result) {
	if (!c11_coro())
		return coro_thrd_join(t, result);
	void *r = NULL;
	int error = park_pthread_join(t, &r);
	if (error == 0 && result)
		*result = (int)(intptr_t)r;
	return c11_result(error);
}

void park_call_once(pthread_once_t *control, void (*f)(void)) {
	seam_coro *co = c11_coro();
	if (!co || is_done(control)) {
		coro_call_once(control, f);
		return;
	}
	struct once *mine = begin_once(co, control);
	coro_call_once(control, f);
	end_once(mine);
}

int park_thrd_sleep(const struct timespec *time, struct timespec *left) {
	int keep = errno, error;
	if (!c11_coro())
		return coro_thrd_sleep(time, left);
	error = netio_clock_nanosleep(CLOCK_REALTIME, 0, time, left);
	errno = keep;
	return error == 0 ? 0 : error == EINTR ? -1 : -2;
}

/* ---- the processor */

int park_sched_yield(void) {
	seam_coro *co = seam_on_stack_();
	if (!co)
		return coro_sched_yield();
	park_give_way(co);
	return own.sched_yield();
}

int park_thrd_yield(void) {
	if (!c11_coro())
		return coro_thrd_yield();
	return park_sched_yield();
}

/* ---- signals
 *
 * They may be sent to this thread, so no other can wait for them. */

struct signal_wait {
	const sigset_t *set;
	siginfo_t *info;
};

/* The signal, or an error as a negative number. */
static int try_signal(seam_coro *co, void *arg) {
	static const struct timespec zero;
	struct signal_wait *w = arg;
	int keep = errno, r = own.sigtimedwait(w->set, w->info, &zero);
	(void)co;
	if (r < 0)
		r = errno == EINTR ? -EAGAIN : -errno;
	errno = keep;
	return r;
}

static int wait_signal(seam_coro *co, const sigset_t *set, siginfo_t *info, int64_t deadline) {
	struct signal_wait w = {set, info};
	int r = retry_until(co, try_signal, &w, -EAGAIN, deadline);
	return r == ETIMEDOUT ? -EAGAIN : r; /* which is no signal's number */
}

static int failed(int r) {
	if (r >= 0)
		return r;
	errno = -r;
	return -1;
}

int park_sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *t) {
	seam_coro *co = seam_on_stack_();
	need_own();
	if (!co || (t && (t->tv_sec < 0 || bad_time(t))))
		return coro_sigtimedwait(set, info, t);
	return failed(wait_signal(co, set, info, t ? park_after(t->tv_sec > INT64_MAX / 2000000000 ? -1 : t->tv_sec * INT64_C(1000000000) + t->tv_nsec) : PARK_FOREVER));
}

int park_sigwaitinfo(const sigset_t *set, siginfo_t *info) {
	seam_coro *co = seam_on_stack_();
	need_own();
	return co ? failed(wait_signal(co, set, info, PARK_FOREVER)) : coro_sigwaitinfo(set, info);
}

int park_sigwait(const sigset_t *set, int *signal) {
	seam_coro *co = seam_on_stack_();
	int r;
	need_own();
	if (!co)
		return coro_sigwait(set, signal);
	r = wait_signal(co, set, NULL, PARK_FOREVER);
	if (r < 0)
		return -r;
	*signal = r;
	return 0;
}
