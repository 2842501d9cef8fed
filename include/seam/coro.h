/* seam/coro.h: the C side of package coro. C11 and C++17, header-only.
 *
 * A function started by package coro runs on a stack of its own, as a coroutine
 * of a goroutine. It is given a seam_coro, and by it can call Go functions, hand
 * out values, wait and sleep:
 *
 *     int64_t sum(seam_coro *co, void *arg) {
 *         struct sum_args *a = arg;
 *         int err = seam_upcall(co, a->on_item, a);   // a Go function runs now
 *         if (err) { clean_up(); return err; }
 *         return 0;
 *     }
 *
 * Each of these operations switches to Go, which does what is asked as ordinary
 * goroutine code, and switches back. What C must know about it:
 *
 *   - The operations return 0 (or more) and on failure a negative SEAM_E… code.
 *     Once one has returned SEAM_ECANCELED, SEAM_EPANIC, SEAM_EGOEXIT or SEAM_ESTOPPED
 *     the call is lost: every further operation, of whatever kind, fails at once with
 *     the same code. Clean up and return.
 *   - Memory that is handed to Go in an argument is read and written in place. It
 *     may lie on this stack.
 *   - errno may change, as by any call. No lock should be held that others need.
 *     See the documentation of package coro for the three ways to run a coroutine
 *     and what each allows.
 *   - A function exported by cgo (//export) must not be called from a coroutine's
 *     stack: the Go runtime ends the program. seam_upcall is the way.
 *   - longjmp and C++ exceptions may not leave the function.
 *
 * The file needs nothing to be linked: it may be copied beside your own sources.
 */
#ifndef SEAM_CORO_H
#define SEAM_CORO_H

#include <stddef.h>
#include <stdint.h>
#include "token.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the layout below. A library of another version refuses it. */
#define SEAM_CORO_ABI 1

/* What the operations return on failure. */
enum {
	SEAM_ECANCELED = -1,    /* the context was cancelled or its deadline has passed */
	SEAM_EPANIC = -2,       /* the Go function panicked; the panic goes on when C has returned */
	SEAM_EGOEXIT = -3,      /* the Go function ended its goroutine (runtime.Goexit, t.FailNow) */
	SEAM_ESTOPPED = -4,     /* the Go loop over the values has ended, or the coroutine is being closed */
	SEAM_ENOFUNC = -5,      /* no Go function is registered under this id (any more) */
	SEAM_EFAILED = -6,      /* the Go function returned an error; the call will return it */
	SEAM_ETIMEDOUT = -7,    /* the wait was longer than its timeout */
	SEAM_EBADF = -8,        /* not an open descriptor; with package netio also: closed by C during the wait */
	SEAM_EMISUSE = -9,      /* not possible here: a yield without a loop, a coroutine that
	                           is NULL (seam_self outside of one) or not the one that runs */
	SEAM_EABI = -10,        /* this header is of another version than the library */
	SEAM_ENOMEM = -11       /* out of memory or descriptors */
};

/* Events of seam_wait_fd, the values of POLLIN and POLLOUT. What poll reports
 * unasked (POLLERR 8, POLLHUP 16) is returned too. */
#define SEAM_READ 1
#define SEAM_WRITE 4

/* A seam_func names a registered Go function (coro.Register). 0 is none. */
typedef uint64_t seam_func;

typedef struct seam_coro seam_coro;

/* A coroutine's function. What it returns is what coro.Call returns. */
typedef int64_t (*seam_coro_fn)(seam_coro *co, void *arg);

/* What is between C and Go. The fields are no part of the interface: use the
 * functions. In this order they lie alike in C and Go, also with 32 bits. */
struct seam_coro {
	/* The coroutine's context while it does not run. */
	void *pc, *sp, *fp;
	/* The goroutine's context while it does. */
	void *go_sp, *go_pc, *go_fp, *go_g;
	/* The request: what C wants of Go. */
	void *ptr;             /* upcall: argument; yield: value */
	uint32_t op;           /* SEAM_OP_… */
	int32_t status;        /* the answer */
	uint64_t id;           /* upcall: seam_func; wait: descriptor, or how many */
	int64_t n;             /* wait: timeout in ns, < 0: none; sleep: ns */
	uint32_t fpcontrol;    /* x86: mxcsr; arm64: fpcr */
	uint16_t abi;          /* SEAM_CORO_ABI of the library; with flags one word, little-endian */
	uint16_t flags;        /* SEAM_CORO_… */
	uint32_t go_fpcontrol; /* fpcontrol as Go has it */
	uint32_t events;       /* wait: in: wanted, out: found */
	seam_token token;
	int64_t result;
	/* Set at the start. */
	seam_coro_fn fn;
	void *arg;
	void (*go_switch)(seam_coro *); /* the fallback: how to switch, instead of the assembly */
	char *stack_low, *stack_high;   /* usable bytes */
	void *fake_stack, *go_fake_stack, *go_stack_low; /* AddressSanitizer's */
	size_t go_stack_size;
	const char *name;
	void *real_pc;         /* pc, while that is where fpcontrol is set first */
	void *reserved_pointer;
	uint64_t reserved[4];
};

/* The bytes at the end of its stack that a seam_coro takes. */
#define SEAM_CORO_ROOM_ 256

/* Values of flags. */
#define SEAM_CORO_SHARES_THREAD 1 /* other coroutines may run on this thread meanwhile */
#define SEAM_CORO_FALLBACK 2      /* no stack of its own: go_switch is how to switch */

/* Values of op. */
enum {
	SEAM_OP_DONE_ = 0,
	SEAM_OP_UPCALL_ = 1,
	SEAM_OP_YIELD_ = 2,
	SEAM_OP_WAIT_FD_ = 3,  /* id: fd, events, n: timeout */
	SEAM_OP_WAIT_FDS_ = 4, /* ptr: struct pollfd *, id: how many, n: timeout */
	SEAM_OP_SLEEP_ = 5,    /* n: ns */
	SEAM_OP_OFFLOAD_ = 6   /* id: void (*)(void *), ptr: its argument */
};

#ifdef __cplusplus
}
#endif
#include "coro_switch.h"
#ifdef __cplusplus
extern "C" {
#endif

/* seam_upcall calls the registered Go function with arg, which it gets as a
 * pointer to its own type. It returns 0 when the function has returned, else
 * SEAM_ENOFUNC, SEAM_EPANIC, SEAM_EGOEXIT, SEAM_EFAILED or what ended the call
 * before. */
static inline int seam_upcall(seam_coro *co, seam_func func, void *arg) {
	if (__builtin_expect(!co, 0))
		return SEAM_EMISUSE;
	co->op = SEAM_OP_UPCALL_;
	co->id = func;
	co->ptr = arg;
	seam_switch_shared_(co);
	return co->status;
}

/* seam_yield hands the value at ptr to the Go loop that runs over this
 * coroutine's values (coro.Values), which copies it. It returns 0 when the loop
 * wants another, SEAM_ESTOPPED when it has ended, and SEAM_EMISUSE when nobody
 * loops. */
static inline int seam_yield(seam_coro *co, const void *ptr) {
	if (!seam_runs_(co))
		return SEAM_EMISUSE;
	co->op = SEAM_OP_YIELD_;
	co->ptr = (void *)ptr;
	seam_switch_shared_(co);
	return co->status;
}

/* seam_wait_fd waits until one of the events (SEAM_READ, SEAM_WRITE) can be had
 * from fd without blocking, and returns those that can. A timeout in ns of less
 * than 0 is none. Failures: SEAM_ETIMEDOUT, SEAM_EBADF, SEAM_ECANCELED. A descriptor that
 * can't be waited for (a regular file) is always ready. */
static inline int seam_wait_fd(seam_coro *co, int fd, int events, int64_t timeout) {
	if (!seam_runs_(co))
		return SEAM_EMISUSE;
	co->op = SEAM_OP_WAIT_FD_;
	co->id = (uint64_t)(int64_t)fd;
	co->events = (uint32_t)events;
	co->n = timeout;
	seam_switch_shared_(co);
	return co->status < 0 ? co->status : (int)co->events;
}

/* seam_sleep sleeps for ns nanoseconds. It returns 0, or SEAM_ECANCELED sooner. */
static inline int seam_sleep(seam_coro *co, int64_t ns) {
	if (!seam_runs_(co))
		return SEAM_EMISUSE;
	co->op = SEAM_OP_SLEEP_;
	co->n = ns;
	seam_switch_shared_(co);
	return co->status;
}

/* seam_offload runs f(arg) on an ordinary thread, through cgo: there it may block
 * and take its time, and only there may it call functions that cgo exports. f
 * must not use co. Returns 0 or SEAM_ECANCELED when f was not run. */
static inline int seam_offload(seam_coro *co, void (*f)(void *), void *arg) {
	if (!seam_runs_(co))
		return SEAM_EMISUSE;
	co->op = SEAM_OP_OFFLOAD_;
	co->id = (uint64_t)(uintptr_t)f;
	co->ptr = arg;
	seam_switch_shared_(co);
	return co->status;
}

/* seam_cancelled returns 1 when the context that the coroutine was started with
 * is cancelled. It does not switch. */
#undef seam_cancelled /* for tokens: both are one name again below */
#undef seam_deadline_ns
static inline int seam_cancelled(const seam_coro *co) { return seam_token_cancelled(&co->token); }

/* seam_deadline_ns returns the context's deadline as CLOCK_MONOTONIC nanoseconds, 0
 * where there is none. seam_deadline is its older name. */
static inline int64_t seam_deadline_ns(const seam_coro *co) { return seam_token_deadline(&co->token); }
static inline int64_t seam_deadline(const seam_coro *co) { return seam_token_deadline(&co->token); }

#ifdef __cplusplus
}
#else
#define seam_cancelled(x) _Generic((x), \
	seam_coro *: seam_cancelled, const seam_coro *: seam_cancelled, default: seam_token_cancelled)(x)
#define seam_deadline_ns(x) _Generic((x), \
	seam_coro *: seam_deadline_ns, const seam_coro *: seam_deadline_ns, default: seam_token_deadline)(x)
#endif
#endif
