/* What the files share that know of locks, threads, signals and streams: with glibc, whose structs and names they
 * depend on. */
#ifndef SEAM_LOCKS_H
#define SEAM_LOCKS_H

#include <features.h>
#ifdef __GLIBC__
#define SEAM_HAS_LOCKS

#include <aio.h>
#include <dlfcn.h>
#include <limits.h>
#include <linux/futex.h>
#include <mqueue.h>
#include <sched.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/syscall.h>
#include <sys/wait.h>

/* ---- libc's own functions, see libc.c */

#define NAMED_WAITS(F) LOCK_WAITS(F) C11_WAITS(F) SIGNAL_WAITS(F) OTHER_WAITS(F) SPECIAL_WAITS(F)
#define NAMED_FUNCTIONS(F) NAMED_WAITS(F) WAKES(F) STREAMS(F) LIST_STREAMS(F)
#define OWN_FUNCTIONS(F) NAMED_FUNCTIONS(F) SYSTEM_WAITS(F)

struct seam_netio_own { OWN_FUNCTIONS(LIBC_FIELD) };
#define own seam_netio_own
extern struct seam_netio_own own HIDDEN;

extern const char seam_netio_rows[] HIDDEN; /* what the tables have, in their order */

#define own_resolved seam_netio_own_resolved
#define resolve_own seam_netio_resolve_own
extern int own_resolved HIDDEN;
void resolve_own(void) HIDDEN;

/* Constructors of libraries come before ours. */
static inline void need_own(void) {
	if (unlikely(!__atomic_load_n(&own_resolved, __ATOMIC_ACQUIRE)))
		resolve_own();
}

/* Two definitions of these would not link into a static executable. */
#define LIBC_WEAK(name) __asm__(#name) __attribute__((weak, visibility("default")))

#define LOCKS_DECLARE(result, name, n, parameters, ...) result netio_##name parameters LIBC_WEAK(name);
NAMED_FUNCTIONS(LOCKS_DECLARE)
SYSTEM_WAITS(LOCKS_DECLARE)

/* Whether mtx_lock and the like are glibc's, and so pthread's under other names. */
#define c11_is_libcs seam_netio_c11_is_libcs
extern int c11_is_libcs HIDDEN;

static inline int c11_result(int error) {
	enum { SUCCESS, BUSY, ERROR, NOMEM, TIMEDOUT };
	switch (error) {
	case 0:
		return SUCCESS;
	case EBUSY:
		return BUSY;
	case ENOMEM:
		return NOMEM;
	case ETIMEDOUT:
		return TIMEDOUT;
	}
	return ERROR;
}

/* ---- arguments as words */

#define WORD(x) ((long)(x))
#define WORDS0() 0L, 0L, 0L, 0L, 0L, 0L, 0L, 0L
#define WORDS1(a) WORD(a), 0L, 0L, 0L, 0L, 0L, 0L, 0L
#define WORDS2(a, b) WORD(a), WORD(b), 0L, 0L, 0L, 0L, 0L, 0L
#define WORDS3(a, b, c) WORD(a), WORD(b), WORD(c), 0L, 0L, 0L, 0L, 0L
#define WORDS4(a, b, c, d) WORD(a), WORD(b), WORD(c), WORD(d), 0L, 0L, 0L, 0L
#define WORDS5(a, b, c, d, e) WORD(a), WORD(b), WORD(c), WORD(d), WORD(e), 0L, 0L, 0L
#define WORDS6(a, b, c, d, e, f) WORD(a), WORD(b), WORD(c), WORD(d), WORD(e), WORD(f), 0L, 0L
#define WORDS7(a, b, c, d, e, f, g) WORD(a), WORD(b), WORD(c), WORD(d), WORD(e), WORD(f), WORD(g), 0L
#define WORDS8(a, b, c, d, e, f, g, h) WORD(a), WORD(b), WORD(c), WORD(d), WORD(e), WORD(f), WORD(g), WORD(h)

/* The arguments of a function like syscall. */
#define SYSTEM_CALL_WORDS(a, number) \
	do { \
		va_list list; \
		int i; \
		va_start(list, number); \
		for (i = 0; i < 6; i++) \
			a[i] = va_arg(list, long); \
		va_end(list); \
	} while (0)

/* ---- attempts, as in the table */

static inline int valid(const struct timespec *t) { return t && t->tv_nsec >= 0 && t->tv_nsec < 1000000000; }
static inline int bad_time(const struct timespec *t) { return t->tv_nsec < 0 || t->tv_nsec >= 1000000000; }
static inline int known(clockid_t clock) { return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC; }
static inline int is_done(const pthread_once_t *once) { return __atomic_load_n(once, __ATOMIC_ACQUIRE) & 2; } /* glibc */

static inline int in_progress(const void *once) { return (__atomic_load_n((const int *)once, __ATOMIC_ACQUIRE) & 3) == 1; } /* glibc */

/* std::call_once of libstdc++ calls pthread_once with __once_proxy, which takes the function from two variables of the
 * thread. They are the next call's on this thread while one waits, and if that goes on on another thread they are
 * not there: so they are taken along. dlsym finds those of the thread that calls it. Where libstdc++ is a part of the
 * program (-static-libstdc++) it finds none, and nothing can be done. */
extern void __once_proxy(void) __attribute__((weak));

struct handed_over {
	void *callable, *call;
};

static inline void hand_over(void (*f)(void), struct handed_over *h, int back) {
	void **callable, **call;
	if (!__once_proxy || f != __once_proxy)
		return;
	callable = (void **)dlsym(RTLD_DEFAULT, "_ZSt15__once_callable");
	call = (void **)dlsym(RTLD_DEFAULT, "_ZSt11__once_call");
	if (!callable || !call)
		return;
	if (!back) {
		h->callable = *callable;
		h->call = *call;
	} else if (h->call) {
		*callable = h->callable;
		*call = h->call;
	}
}

static inline int tried_semaphore(long *r, sem_t *s) {
	int keep = get_errno();
	if ((*r = sem_trywait(s)) == 0 || get_errno() != EAGAIN)
		return 1;
	set_errno(keep);
	return 0;
}

static inline int tried_spinning(long *r, pthread_spinlock_t *l) {
	int i;
	for (i = 0; i < 200; i++) {
		if ((*r = pthread_spin_trylock(l)) != EBUSY)
			return 1;
#if defined(__x86_64__)
		__builtin_ia32_pause();
#else
		__asm__ volatile("yield");
#endif
	}
	return 0;
}

/* Operations that don't wait, as those that add. Go's signal may end the attempt. */
static inline int tried_semop(long *r, int id, struct sembuf *ops, size_t n) {
	static const struct timespec zero;
	return (*r = own.semtimedop(id, ops, n, &zero)) == 0 || (get_errno() != EAGAIN && get_errno() != EINTR);
}

#define REAL(name) own.name

/* ---- those that wait for others, see locks.c */

/* sharing returns the coroutine on whose thread others run while it waits here, which so must not keep it. *co is any
 * coroutine. */
static inline seam_coro *sharing(seam_coro **co) {
	*co = here();
	return *co && shares_thread(*co) ? *co : NULL;
}

/* A waiter lies on the stack of who waits, who has it taken off the list before that ends. */
struct waiter {
	seam_coro *co;
	const void *lock;
	struct waiter *next;
};

#define enlist seam_netio_enlist
#define delist seam_netio_delist
#define wake_waiters seam_netio_wake_waiters
#define wait_until seam_netio_wait_until
#define retry_until seam_netio_retry_until
#define absolute seam_netio_absolute
#define forget_waiters seam_netio_forget_waiters
#define try_file seam_netio_try_file
void enlist(struct waiter *w, seam_coro *co, const void *lock) HIDDEN;
int delist(struct waiter *w) HIDDEN; /* 1 if somebody has taken it off the list, and woken it, already */
int wake_waiters(const void *lock, int most) HIDDEN; /* how many it has woken */
void forget_waiters(void) HIDDEN; /* in a child process */

#define LOOK_AGAIN INT64_C(20000000) /* for what somebody has ended who wakes nobody */
#define LOOK_SELDOM INT64_C(640000000)

/* wait_until waits for lock while try_it(co, arg) says busy, and returns what it says else, or ETIMEDOUT. retry_until
 * looks from time to time, where nobody wakes. */
int wait_until(seam_coro *co, const void *lock, int (*try_it)(seam_coro *co, void *arg), void *arg, int busy, int64_t deadline) HIDDEN;
int retry_until(seam_coro *co, int (*try_it)(seam_coro *co, void *arg), void *arg, int busy, int64_t deadline) HIDDEN;

/* absolute returns the deadline of a time of some clock's. */
int64_t absolute(clockid_t clock, const struct timespec *t) HIDDEN;

int try_file(seam_coro *co, void *file) HIDDEN;

/* The lists' own locks. A signal handler, which may post a semaphore, must not ask for one that its thread has. */
#define lock_list seam_netio_lock_list
#define unlock_list seam_netio_unlock_list
#define lists_locked seam_netio_lists_locked
int lock_list(pthread_mutex_t *m) HIDDEN;
int unlock_list(pthread_mutex_t *m) HIDDEN;
int *lists_locked(void) HIDDEN; /* how many this thread has */

/* Whether a futex is one of them. They are held for some instructions: where a thread waits for one long, its holder has no
 * processor, and a watch has nothing to tell. */
#define is_list_lock seam_netio_is_list_lock
#define once_lock seam_netio_once_lock
int is_list_lock(uint64_t at) HIDDEN;
extern pthread_mutex_t once_lock HIDDEN;

/* A system call with its six arguments, unless it is one for a word that coroutines wait for. */
#define plain_syscall seam_netio_plain_syscall
long plain_syscall(long number, const long *a) HIDDEN;

/* The mode of open, where there is one. */
#define OPEN_MODE(mode, flags) \
	va_list list; \
	va_start(list, flags); \
	long mode = flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE ? (long)va_arg(list, unsigned) : 0; \
	va_end(list)

/* f through Go, as through_go says, if the caller's wait needs that; else f. */
#define waits_by_go seam_netio_waits_by_go
#define wait_by_go seam_netio_wait_by_go
int waits_by_go(void) HIDDEN;
long wait_by_go(go_call *f, int how, const long *a) HIDDEN;

/* ---- otherwise_NAME(co, arguments): what others do than coroutines that share their thread. One that has its thread
 * to itself waits there, as a cgo call. In a welded program that is weld's to say. */

#define WITH_CO_(...) (seam_coro *co, __VA_ARGS__)
#define WITH_CO(parameters) WITH_CO_ parameters

#ifndef SEAM_PARK_H
#define once_here(once, f) 0 /* see threads.c */
#define OTHERWISE_BY_GO(result, name, n, parameters, arguments, how, signal, otherwise, first) \
	static inline result otherwise_##name WITH_CO(parameters) { \
		long r = -1; \
		if (!co) \
			return own.name arguments; \
		if (first) \
			return (result)r; \
		const long a[8] = {WORDS##n arguments}; \
		return (result)through_go(co, (go_call *)(void *)own.name, THROUGH_GO_HERE | (signal ? THROUGH_GO_QUIET : 0), a); \
	}
LOCK_WAITS(OTHERWISE_BY_GO)
C11_WAITS(OTHERWISE_BY_GO)
SIGNAL_WAITS(OTHERWISE_BY_GO)
static inline int otherwise_sched_yield(void) { return own.sched_yield(); }
static inline int otherwise_thrd_yield(void) { return own.thrd_yield(); }
#endif

#endif
#endif
