//go:build cgo && linux && !android && (amd64 || arm64) && !msan

/* pthread's waits. In a coroutine a lock is tried, and if another has it the coroutine waits
 * until somebody unlocks; elsewhere libc's function is called. libc's lock is taken in
 * any case, so threads and coroutines share locks.
 *
 * Who unlocks, signals or posts wakes the coroutines that wait for the same address. What
 * libc does by itself wakes nobody here, so everyone that waits also looks from time to
 * time. A condition may wake without cause, which POSIX allows.
 *
 * A lock that knows its owner (recursive, errorcheck) knows the thread, which coroutines share. So
 * it is noted here which of them has it. In a welded program a goroutine's calls from callbacks count
 * as that which it has made first, with which they have the thread in common. */

#include "netio.h"
#include "locks.h"
#ifdef SEAM_HAS_LOCKS

#include <string.h>
#include <unistd.h>

#define LOOK_FOR_SIGNAL INT64_C(1000000000) /* a condition may be signalled by what we don't see */

/* ---- the lists' own locks */

static __thread int locked __attribute__((tls_model("initial-exec")));

APART int *lists_locked(void) { return &locked; }

int lock_list(pthread_mutex_t *m) {
	need_own();
	++*lists_locked();
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	return own.pthread_mutex_lock(m);
}

int unlock_list(pthread_mutex_t *m) {
	int r = own.pthread_mutex_unlock(m);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	--*lists_locked();
	return r;
}

/* ---- who waits for what */

enum { BUCKETS = 256 };

/* What a coroutine has locked that shares its thread. Its end leaves that to the thread that unlocks it: owner is NULL then. */
struct owned {
	struct owned *next;
	const void *lock, *owner;
	int count;
};

static struct bucket {
	pthread_mutex_t mu;
	struct waiter *first, **end;
	struct owned *owned;
} buckets[BUCKETS];
static int waiting; /* in all buckets */

pthread_mutex_t once_lock; /* all zero is an unlocked mutex */

int is_list_lock(uint64_t at) {
	return at - (uintptr_t)buckets < sizeof buckets || at - (uintptr_t)&once_lock < sizeof once_lock;
}

static __attribute__((constructor(101))) void make_buckets(void) {
	int i;
	for (i = 0; i < BUCKETS; i++)
		buckets[i].end = &buckets[i].first; /* all zero is an unlocked mutex */
	pthread_atfork(NULL, NULL, forget_waiters);
}

static struct bucket *bucket_of(const void *lock) {
	return &buckets[(uintptr_t)lock * UINT64_C(0x9E3779B97F4A7C15) >> 56];
}

/* The stacks of those who wait are nobody's in a child. */
void forget_waiters(void) { __atomic_store_n(&waiting, 0, __ATOMIC_RELAXED); }

void enlist(struct waiter *w, seam_coro *co, const void *lock) {
	struct bucket *b = bucket_of(lock);
	w->co = co;
	w->lock = lock;
	w->next = NULL;
	lock_list(&b->mu);
	*b->end = w;
	b->end = &w->next;
	__atomic_fetch_add(&waiting, 1, __ATOMIC_SEQ_CST);
	unlock_list(&b->mu);
}

static void take_off(struct bucket *b, struct waiter **at) {
	struct waiter *w = *at;
	*at = w->next;
	if (b->end == &w->next)
		b->end = at;
	__atomic_fetch_sub(&waiting, 1, __ATOMIC_RELAXED);
}

int delist(struct waiter *w) {
	struct bucket *b = bucket_of(w->lock);
	struct waiter **at;
	int gone = 1;
	lock_list(&b->mu);
	for (at = &b->first; *at; at = &(*at)->next)
		if (*at == w) {
			take_off(b, at);
			gone = 0;
			break;
		}
	unlock_list(&b->mu);
	return gone;
}

int wake_waiters(const void *lock, int most) {
	struct bucket *b;
	struct waiter **at;
	int left = most;
	if (__builtin_expect(__atomic_load_n(&waiting, __ATOMIC_SEQ_CST) == 0, 1))
		return 0;
	if (*lists_locked()) /* in a signal handler: who waits looks again by itself */
		return 0;
	b = bucket_of(lock);
	lock_list(&b->mu);
	for (at = &b->first; *at && left > 0;) {
		struct waiter *w = *at;
		if (w->lock != lock) {
			at = &w->next;
			continue;
		}
		take_off(b, at);
		left--;
		wake_waiter(w->co); /* it is there: it leaves only under this lock */
	}
	unlock_list(&b->mu);
	return most - left;
}

int wait_until(seam_coro *co, const void *lock, int (*try_it)(seam_coro *co, void *arg), void *arg, int busy, int64_t deadline) {
	struct waiter w;
	int64_t look, t, pause;
	int r;
	for (pause = LOOK_AGAIN;; pause = pause < LOOK_SELDOM ? pause + pause / 4 : pause) {
		if ((r = try_it(co, arg)) != busy)
			return r;
		enlist(&w, co, lock);
		/* It may have been unlocked before anybody could see us. */
		if ((r = try_it(co, arg)) != busy) {
			delist(&w);
			return r;
		}
		t = now();
		if (t >= deadline) {
			delist(&w);
			return ETIMEDOUT;
		}
		look = t + pause;
		suspend_waiter(co, look < deadline ? look : deadline);
		if (delist(&w))
			pause = LOOK_AGAIN;
	}
}

/* ---- mutexes that know their owner */

static int mutex_kind(const pthread_mutex_t *m) { return m->__data.__kind & 3; }

static int knows_owner(const pthread_mutex_t *m) { return mutex_kind(m) == PTHREAD_MUTEX_RECURSIVE_NP || mutex_kind(m) == PTHREAD_MUTEX_ERRORCHECK_NP; }

static struct owned **find_owned(struct bucket *b, const void *lock) {
	struct owned **at = &b->owned;
	while (*at && (*at)->lock != lock)
		at = &(*at)->next;
	return at;
}

/* glibc notes which thread has such a lock. A coroutine may go on on another one (Floating), and its last one run others:
 * so while a coroutine has it the note is no thread's, and only for the call of libc's it is this thread's. Nobody else
 * looks at the note of a lock that is held. Other kinds (robust, PI, PP) have the thread in their word, too. */
enum { NO_THREAD = 0x7ffffff0 };

static APART int this_thread(void) {
	static __thread int id __attribute__((tls_model("initial-exec")));
	if (!id)
		id = (int)enter(SYS_gettid, 0, 0, 0, 0, 0, 0);
	return id;
}

/* A kind of lock that knows its owner: libc's functions, note, which says that a thread has it, and held, which returns
 * whether a coroutine can have it. What has been freed or made anew since it was locked is noted for its address still. */
struct owned_kind {
	int (*try_it)(void *lock), (*leave)(void *lock);
	void (*note)(void *lock, int thread);
	int (*held)(const void *lock);
};

static void forget_owned(struct owned **at) {
	struct owned *o = *at;
	*at = o->next;
	if (o->owner)
		__atomic_fetch_sub(owns(o->owner), 1, __ATOMIC_RELAXED); /* it is there: its end passes by here first */
	o->next = NULL;
}

/* find_held returns where the note of a lock is. One that says what isn't so any more is put into *gone. */
static struct owned **find_held(struct bucket *b, const struct owned_kind *k, const void *lock, struct owned **gone) {
	struct owned **at = find_owned(b, lock);
	if (!*at || k->held(lock))
		return at;
	*gone = *at;
	forget_owned(at);
	return find_owned(b, lock);
}

/* try_owned takes the lock if no other coroutine has it. recursive: this one may have it already. */
static int try_owned(seam_coro *co, void *lock, const struct owned_kind *k, int recursive) {
	struct bucket *b = bucket_of(lock);
	struct owned *o, *gone = NULL, *fresh = malloc(sizeof *fresh); /* here: malloc may need a lock itself */
	const void *owner = owner_of(co);
	int r;
	lock_list(&b->mu);
	o = *find_held(b, k, lock, &gone);
	if (!fresh && !o)
		r = ENOMEM;
	else if (o && o->owner != owner)
		r = EBUSY;
	else if (o && !recursive)
		r = EDEADLK;
	else {
		if (o)
			k->note(lock, this_thread());
		r = k->try_it(lock);
		if (r == 0 || r == EOWNERDEAD) {
			if (!o) {
				o = fresh;
				fresh = NULL;
				*o = (struct owned){b->owned, lock, owner, 0};
				b->owned = o;
				__atomic_fetch_add(owns(owner), 1, __ATOMIC_RELAXED);
			}
			o->count++;
		}
		if (o)
			k->note(lock, NO_THREAD);
	}
	unlock_list(&b->mu);
	free(fresh);
	free(gone);
	return r;
}

/* leave_owned unlocks it, or returns EPERM if another coroutine has it. */
static int leave_owned(seam_coro *co, void *lock, const struct owned_kind *k) {
	struct bucket *b = bucket_of(lock);
	struct owned **at, *o, *stale = NULL, *gone = NULL;
	int r;
	lock_list(&b->mu);
	at = find_held(b, k, lock, &stale);
	o = *at;
	if (o && o->owner && o->owner != owner_of(co))
		r = EPERM;
	else {
		if (o)
			k->note(lock, this_thread());
		r = k->leave(lock);
		if (o && r == 0 && --o->count == 0) {
			gone = o;
			forget_owned(at);
		} else if (o)
			k->note(lock, NO_THREAD);
	}
	unlock_list(&b->mu);
	free(stale);
	free(gone);
	return r;
}

/* Its address may be that of the next owner. */
void leave_locks(const void *owner) {
	struct owned *o;
	int i;
	for (i = 0; i < BUCKETS; i++) {
		lock_list(&buckets[i].mu);
		for (o = buckets[i].owned; o; o = o->next)
			if (o->owner == owner)
				o->owner = NULL;
		unlock_list(&buckets[i].mu);
	}
	__atomic_store_n(owns(owner), 0, __ATOMIC_RELAXED);
}

static int in_kernels_word(const pthread_mutex_t *m) { return m->__data.__kind & 0x70; }

static void note_mutex(void *lock, int thread) {
	pthread_mutex_t *m = lock;
	if (!in_kernels_word(m))
		m->__data.__owner = thread;
}

static int held_mutex(const void *lock) {
	const pthread_mutex_t *m = lock;
	return m->__data.__lock != 0 && (in_kernels_word(m) || m->__data.__owner == NO_THREAD);
}

static int try_real(void *m) { return own.pthread_mutex_trylock(m); }
static int leave_real(void *m) { return own.pthread_mutex_unlock(m); }
static const struct owned_kind mutexes = {try_real, leave_real, note_mutex, held_mutex};

static int try_mutex(seam_coro *co, void *arg) {
	pthread_mutex_t *m = arg;
	return knows_owner(m) ? try_owned(co, m, &mutexes, mutex_kind(m) == PTHREAD_MUTEX_RECURSIVE_NP) : try_real(m);
}

int64_t absolute(clockid_t clock, const struct timespec *t) {
	struct timespec n;
	clock_gettime(clock, &n);
	int64_t left;
	if (t->tv_sec < n.tv_sec || (t->tv_sec == n.tv_sec && t->tv_nsec <= n.tv_nsec))
		return now();
	if (__builtin_mul_overflow((int64_t)t->tv_sec - n.tv_sec, INT64_C(1000000000), &left) ||
	    __builtin_add_overflow(left, t->tv_nsec - n.tv_nsec, &left))
		return FOREVER;
	return after(left);
}

int netio_pthread_mutex_lock(pthread_mutex_t *m) {
	seam_coro *any, *co = sharing(&any);
	need_own();
	return co ? wait_until(co, m, try_mutex, m, EBUSY, FOREVER) : otherwise_pthread_mutex_lock(any, m);
}

int netio_pthread_mutex_trylock(pthread_mutex_t *m) {
	seam_coro *any, *co = sharing(&any);
	need_own();
	if (!co)
		return own.pthread_mutex_trylock(m);
	int r = try_mutex(co, m);
	return r == EDEADLK ? EBUSY : r;
}

int netio_pthread_mutex_timedlock(pthread_mutex_t *m, const struct timespec *t) {
	seam_coro *any, *co = sharing(&any);
	need_own();
	if (!co || bad_time(t))
		return otherwise_pthread_mutex_timedlock(any, m, t);
	return wait_until(co, m, try_mutex, m, EBUSY, absolute(CLOCK_REALTIME, t));
}

int netio_pthread_mutex_unlock(pthread_mutex_t *m) {
	seam_coro *any, *co;
	int r;
	need_own();
	r = knows_owner(m) && (co = sharing(&any)) ? leave_owned(co, m, &mutexes) : own.pthread_mutex_unlock(m);
	wake_waiters(m, 1);
	return r;
}

/* ---- conditions */

static int wait_condition(seam_coro *co, pthread_cond_t *c, pthread_mutex_t *m, int64_t deadline) {
	struct waiter w;
	int64_t look;
	int r, signalled;
	enlist(&w, co, c);
	r = netio_pthread_mutex_unlock(m);
	if (r != 0) {
		delist(&w);
		return r;
	}
	look = after(LOOK_FOR_SIGNAL);
	suspend_waiter(co, look < deadline ? look : deadline);
	signalled = delist(&w);
	r = netio_pthread_mutex_lock(m);
	return r == 0 && !signalled && now() >= deadline ? ETIMEDOUT : r;
}

int netio_pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m) {
	seam_coro *any, *co = sharing(&any);
	need_own();
	return co ? wait_condition(co, c, m, FOREVER) : otherwise_pthread_cond_wait(any, c, m);
}

int netio_pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *t) {
	seam_coro *any, *co = sharing(&any);
	need_own();
	if (!co || bad_time(t))
		return otherwise_pthread_cond_timedwait(any, c, m, t);
	/* glibc keeps the clock of pthread_condattr_setclock in this bit. */
	clockid_t clock = c->__data.__wrefs & 2 ? CLOCK_MONOTONIC : CLOCK_REALTIME;
	return wait_condition(co, c, m, absolute(clock, t));
}

int netio_pthread_cond_signal(pthread_cond_t *c) {
	need_own();
	wake_waiters(c, 1);
	return own.pthread_cond_signal(c);
}

int netio_pthread_cond_broadcast(pthread_cond_t *c) {
	need_own();
	wake_waiters(c, INT32_MAX);
	return own.pthread_cond_broadcast(c);
}

/* ---- the rest */

static int try_read(seam_coro *co, void *l) {
	(void)co;
	return pthread_rwlock_tryrdlock(l);
}

static int try_write(seam_coro *co, void *arg) {
	pthread_rwlock_t *l = arg;
	int r = own.pthread_rwlock_trywrlock(l);
	(void)co;
	if (r == 0)
		l->__data.__cur_writer = NO_THREAD;
	return r;
}

int netio_pthread_rwlock_rdlock(pthread_rwlock_t *l) {
	seam_coro *any, *co = sharing(&any);
	need_own();
	return co ? wait_until(co, l, try_read, l, EBUSY, FOREVER) : otherwise_pthread_rwlock_rdlock(any, l);
}

int netio_pthread_rwlock_wrlock(pthread_rwlock_t *l) {
	seam_coro *any, *co = sharing(&any);
	need_own();
	return co ? wait_until(co, l, try_write, l, EBUSY, FOREVER) : otherwise_pthread_rwlock_wrlock(any, l);
}

int netio_pthread_rwlock_trywrlock(pthread_rwlock_t *l) {
	seam_coro *any, *co = sharing(&any);
	need_own();
	return co ? try_write(co, l) : own.pthread_rwlock_trywrlock(l);
}

int netio_pthread_rwlock_timedrdlock(pthread_rwlock_t *l, const struct timespec *t) {
	seam_coro *any, *co = sharing(&any);
	need_own();
	if (!co || bad_time(t))
		return otherwise_pthread_rwlock_timedrdlock(any, l, t);
	return wait_until(co, l, try_read, l, EBUSY, absolute(CLOCK_REALTIME, t));
}

int netio_pthread_rwlock_timedwrlock(pthread_rwlock_t *l, const struct timespec *t) {
	seam_coro *any, *co = sharing(&any);
	need_own();
	if (!co || bad_time(t))
		return otherwise_pthread_rwlock_timedwrlock(any, l, t);
	return wait_until(co, l, try_write, l, EBUSY, absolute(CLOCK_REALTIME, t));
}

int netio_pthread_rwlock_clockrdlock(pthread_rwlock_t *l, clockid_t clock, const struct timespec *t) {
	seam_coro *any, *co = sharing(&any);
	need_own();
	if (!co || !known(clock) || bad_time(t))
		return otherwise_pthread_rwlock_clockrdlock(any, l, clock, t);
	return wait_until(co, l, try_read, l, EBUSY, absolute(clock, t));
}

int netio_pthread_rwlock_clockwrlock(pthread_rwlock_t *l, clockid_t clock, const struct timespec *t) {
	seam_coro *any, *co = sharing(&any);
	need_own();
	if (!co || !known(clock) || bad_time(t))
		return otherwise_pthread_rwlock_clockwrlock(any, l, clock, t);
	return wait_until(co, l, try_write, l, EBUSY, absolute(clock, t));
}

int netio_pthread_rwlock_unlock(pthread_rwlock_t *l) {
	int r;
	need_own();
	if (l->__data.__cur_writer == NO_THREAD) /* who unlocks has it */
		l->__data.__cur_writer = this_thread();
	r = own.pthread_rwlock_unlock(l);
	wake_waiters(l, INT32_MAX);
	return r;
}

int retry_until(seam_coro *co, int (*try_it)(seam_coro *co, void *arg), void *arg, int busy, int64_t deadline) {
	int64_t pause, look, t;
	int r;
	for (pause = 50000;; pause = pause < 5000000 ? pause * 2 : pause) {
		if ((r = try_it(co, arg)) != busy)
			return r;
		t = now();
		if (t >= deadline)
			return ETIMEDOUT;
		look = t + pause < deadline ? t + pause : deadline;
		while (now() < look)
			suspend_waiter(co, look);
	}
}

static int try_spin(seam_coro *co, void *l) {
	(void)co;
	return pthread_spin_trylock(l);
}

int netio_pthread_spin_lock(pthread_spinlock_t *l) {
	seam_coro *any, *co = sharing(&any);
	long r;
	if (!co)
		return otherwise_pthread_spin_lock(any, l);
	return tried_spinning(&r, l) ? (int)r : retry_until(co, try_spin, (void *)l, EBUSY, FOREVER);
}

static int try_semaphore(seam_coro *co, void *s) {
	(void)co;
	return sem_trywait(s) == 0 ? 0 : get_errno();
}

static int wait_semaphore(seam_coro *co, sem_t *s, int64_t deadline) {
	int keep = get_errno(), r = wait_until(co, s, try_semaphore, s, EAGAIN, deadline);
	set_errno(r ? r : keep);
	return r ? -1 : 0;
}

int netio_sem_wait(sem_t *s) {
	seam_coro *any, *co = sharing(&any);
	need_own();
	return co ? wait_semaphore(co, s, FOREVER) : otherwise_sem_wait(any, s);
}

int netio_sem_timedwait(sem_t *s, const struct timespec *t) {
	seam_coro *any, *co = sharing(&any);
	need_own();
	if (!co || bad_time(t))
		return otherwise_sem_timedwait(any, s, t);
	return wait_semaphore(co, s, absolute(CLOCK_REALTIME, t));
}

int netio_sem_clockwait(sem_t *s, clockid_t clock, const struct timespec *t) {
	seam_coro *any, *co = sharing(&any);
	need_own();
	if (!co || !known(clock) || bad_time(t))
		return otherwise_sem_clockwait(any, s, clock, t);
	return wait_semaphore(co, s, absolute(clock, t));
}

int netio_sem_post(sem_t *s) {
	need_own();
	int r = own.sem_post(s);
	wake_waiters(s, 1);
	return r;
}

/* The lock of a FILE knows the thread too: a word, how often that has it, and which it is. */
static int try_real_file(void *f) { return own.ftrylockfile(f) == 0 ? 0 : EBUSY; }

static int leave_real_file(void *f) {
	own.funlockfile(f);
	return 0;
}

static void note_file(void *f, int thread) { (void)f, (void)thread; }
static int held_file(const void *f) { return ((const int *)((const FILE *)f)->_lock)[1] != 0; }

static const struct owned_kind files = {try_real_file, leave_real_file, note_file, held_file};

int try_file(seam_coro *co, void *f) { return try_owned(co, f, &files, 1); }

int netio_ftrylockfile(FILE *f) {
	seam_coro *any, *co = sharing(&any);
	need_own();
	return co ? (try_file(co, f) == 0 ? 0 : -1) : own.ftrylockfile(f);
}

void netio_flockfile(FILE *f) {
	seam_coro *any, *co = sharing(&any);
	need_own();
	if (co)
		wait_until(co, f, try_file, f, EBUSY, FOREVER);
	else
		otherwise_flockfile(any, f);
}

void netio_funlockfile(FILE *f) {
	seam_coro *any, *co = sharing(&any);
	need_own();
	if (co)
		leave_owned(co, f, &files);
	else
		own.funlockfile(f);
	wake_waiters(f, 1);
}

/* C++ waits for steady clocks by these (glibc 2.30). */
int netio_pthread_mutex_clocklock(pthread_mutex_t *m, clockid_t clock, const struct timespec *t) {
	seam_coro *any, *co = sharing(&any);
	need_own();
	if (co && !bad_time(t) && (clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC))
		return wait_until(co, m, try_mutex, m, EBUSY, absolute(clock, t));
	return otherwise_pthread_mutex_clocklock(any, m, clock, t);
}

int netio_pthread_cond_clockwait(pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock, const struct timespec *t) {
	seam_coro *any, *co = sharing(&any);
	need_own();
	if (co && !bad_time(t) && (clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC))
		return wait_condition(co, c, m, absolute(clock, t));
	return otherwise_pthread_cond_clockwait(any, c, m, clock, t);
}

#endif
