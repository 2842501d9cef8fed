/* What takes the place of seam/coro.h below package coro's netio in a welded program: the
 * C functions that the plan parks.
 *
 * Such a function runs on a stack of its own, a coroutine, on one of a few threads, the
 * workers. It stays on its worker: thread-local data, errno's address and what locks
 * know of their owner are right. Where libc's function would wait, the coroutine
 * switches to its worker, which runs others; the goroutine that made the call waits in
 * Go, where it takes no thread. A coroutine that calls Go hands over to that goroutine.
 *
 * This is a part of package runtime/cgo. */
#ifndef SEAM_PARK_H
#define SEAM_PARK_H

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SEAM_CORO_ABI 1
#define SEAM_READ POLLIN
#define SEAM_WRITE POLLOUT
enum { SEAM_ECANCELED = -1, SEAM_ETIMEDOUT = -7, SEAM_EBADF = -8, SEAM_ENOMEM = -11 };
enum { SEAM_OP_WAIT_FDS_ = 4, SEAM_OP_DETACH_ = 7 };

#define PARK __attribute__((visibility("hidden")))

/* A function that the plan parks. The package that calls it defines it, as struct
 * _seam_park in seam_weld_park.h; Go knows it as SeamParked. */
struct park_function {
	uint32_t on;          /* 0: nobody has called yet; 1; 2: it is called through cgo */
	uint32_t usable;      /* Go writes 1 if it can park, 2 if not */
	const char *name;     /* import path, dot, name in C */
	void *call;           /* the function as cgo runs it */
	int (*body)(void *);  /* the same, for arguments that don't move */
	uint64_t in;          /* bytes of the arguments */
	uint64_t out_at, out; /* where the result is, and its size */
	uint64_t stack;       /* bytes; 0: PARK_STACK */
	void *begin, *submit, *resume, *finish, *drop, *cross; /* what Go calls */
	uint64_t workers;     /* Go writes how many there may be */
	uint64_t direct;      /* calls at once that go through cgo */
	void *wake;           /* Go's function that wakes goroutines */

	uint64_t calls, parked, callbacks; /* counted by workers */
	struct park_function *next;
	uint32_t told; /* PARK_TOLD: that it is called through cgo. PARK_SLOW: others have waited for its C */
	uint32_t asked; /* where its stack is: see bounds.c */
	int (*nothing)(void *), (*pause)(void *); /* Go's alone */
};

int park_package_asked(const struct park_function *f) PARK;

enum { PARK_NEW, PARK_ON, PARK_OFF };
enum { PARK_TOLD = 1, PARK_SLOW = 2 };

typedef struct seam_coro seam_coro;

/* Why the goroutine is woken. */
enum { PARK_DONE = 1, PARK_CALLBACK = 2, PARK_BY_GO = 3 };

/* A call. It lies at the top of its stack. Go knows the first part as SeamParkedCall. */
struct seam_coro {
	uint64_t go;        /* what the goroutine waits for, an address in Go's memory */
	uint32_t event;     /* PARK_… */
	int32_t result;     /* of body */
	void (*callee)(void *); /* for PARK_CALLBACK a Go function, for PARK_BY_GO a C function for cgo, */
	void *callee_arg;

	uint32_t abi;
	uint32_t op; /* what netio asks seam_switch_shared_ for */
	void *ptr;
	uint64_t id;
	int64_t n;
	int32_t status;

	struct park_function *function;
	struct park_worker *worker;
	seam_coro *root; /* the call that the goroutine has made first: locks belong to that */
	void *args;
	char *low, *high;  /* the stack */
	size_t mapped;     /* with the guard below it */
	void *sp;          /* where it goes on */
	int saved_errno;
	void *exceptions[2]; /* C++: those in flight */

	seam_coro *next;       /* in a list of the worker: runnable, free */
	seam_coro *next_woken; /* in the worker's list of those woken by others */
	int woken;             /* it is there */
	int state;             /* of the worker's alone */
	int64_t deadline;
	uint32_t has_locks;    /* locks that know their owner, of a root */
	int timer;             /* index in the worker's heap, -1 if there is none */

	/* For list.c, which has a lock of its own. Set last, and 0 while the stack is free. */
	uint64_t g;                              /* the goroutine */
	seam_coro *listed_before, *listed_after; /* in the list of all stacks */
};

enum { PARK_FRESH, PARK_RUNNABLE, PARK_RUNS, PARK_WAITS, PARK_IN_GO, PARK_GIVES_WAY };
enum { PARK_MOST_WAITS = 1 << 16, PARK_MOST_TO_WAKE = 64 };

#define PARK_STACK (1 << 20)
#define PARK_GUARD (1 << 20)
#define PARK_FOREVER FOREVER

/* A wait for descriptors. Events of one that is over name a turn that has passed. */
struct park_wait {
	seam_coro *co; /* NULL: free */
	uint32_t turn, next;
};

struct park_worker {
	pthread_mutex_t mu; /* of what others write */
	seam_coro *inbox, **inbox_end; /* resumed by Go */
	seam_coro *fresh, **fresh_end; /* not begun: another worker may take them */
	seam_coro *woken;
	int sleeps;

	seam_coro *runnable, **runnable_end; /* the thread's own from here on */
	seam_coro **timers;
	int timer_count, timer_room;
	struct park_wait *waits; /* of descriptors: what epoll's events name */
	uint32_t wait_count, wait_free;
	void *sp; /* of its own stack */
	int epoll, event;
	uint64_t *to_wake; /* goroutines to wake; who exchanges one for 0 wakes it: the worker, or the watch */
	int to_wake_count;
	int gives_way; /* a call does, for the sake of others */

	seam_coro *current; /* what the watch reads: it runs, this function, on this stack */
	struct park_function *function;
	char *low, *high;
	uint64_t runs, seen_runs, ticked_runs;
	int asks_to_give_way, asked; /* the watch's, and that it did when it last looked */
	int64_t seen_cpu, ticked_cpu;
	int looks, computes, stuck;
	int sight; /* SIGHT_…, and of which piece of work */
	uint64_t sight_runs;
	int *own_locks; /* how many locks of ours its thread has or waits for */
	int tid;
	pthread_t thread;
	int active; /* calls that it has, atomic */
};

extern __thread seam_coro *seam_park_current PARK __attribute__((tls_model("initial-exec")));

/* A signal handler has another stack, and is no part of the coroutine; C that has switched to a stack which it has
 * made itself is. */
seam_coro *park_on_other_stack(seam_coro *co) PARK;
static inline seam_coro *seam_on_stack_(void) {
	seam_coro *co = seam_park_current;
	char *here = __builtin_frame_address(0);
	if (__builtin_expect(co == NULL, 1) || (here >= co->low && here < co->high))
		return co;
	return park_on_other_stack(co);
}

static inline int seam_cancelled(const seam_coro *co) {
	(void)co;
	return 0;
}

int seam_wait_fd(seam_coro *co, int fd, int events, int64_t timeout) PARK;
int seam_sleep(seam_coro *co, int64_t ns) PARK;
void seam_switch_shared_(seam_coro *co) PARK;

/* netio asks for these. */
#define elsewhere() NULL
void park_catch_quit(void) PARK;
void let_others_run(seam_coro *co) PARK;
void park_give_way_now(seam_coro *co) PARK;
static inline void give_way(seam_coro *co) {
	if (__builtin_expect(__atomic_load_n(&co->worker->asks_to_give_way, __ATOMIC_RELAXED), 0))
		park_give_way_now(co);
}

/* stack.c */
seam_coro *park_new_stack(size_t size) PARK;
void park_free_stack(seam_coro *co) PARK;
void park_prepare(seam_coro *co, void *top) PARK; /* top: below it the stack is free */
void park_switch(void **from, void *to) PARK;

/* worker.c */
extern struct park_worker *park_workers[64] PARK;
extern int park_worker_count PARK;
void park_suspend(seam_coro *co, int state, int64_t deadline) PARK;
void park_wake(seam_coro *co) PARK;
void park_give_way(seam_coro *co) PARK;
void park_tell(struct park_worker *w, int by_watch) PARK;
struct park_worker *park_add_worker(void) PARK;

/* netio's. */
#define park_lock seam_netio_lock_list
#define park_unlock seam_netio_unlock_list
int park_lock(pthread_mutex_t *m) PARK;
int park_unlock(pthread_mutex_t *m) PARK;
const char *park_interposed(void) PARK;

/* overflow.c, watch.c */
void park_catch_overflow(void) PARK;
void park_give_signal_stack(void) PARK;
void park_start_clock(void) PARK;
void park_wake_clock(void) PARK;

#endif
