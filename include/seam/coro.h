/* seam/coro.h: the C side of package coro. C11 and C++17, header-only.
 *
 * A function started by package coro runs on a stack of its own, as a coroutine of a
 * goroutine. It gets a seam_coro, with which it can call Go functions, yield values, wait
 * and sleep:
 *
 *     int64_t sum(seam_coro *co, void *arg) {
 *         struct sum_args *a = arg;
 *         int err = seam_upcall(co, a->on_item, a);   // a Go function runs now
 *         if (err) { clean_up(); return err; }
 *         return 0;
 *     }
 *
 * Each of these operations switches to Go, which serves the request as ordinary goroutine
 * code and switches back. The rules for C:
 *
 *   - The operations return 0 (or more), or a negative SEAM_E… code on failure. Once one
 *     has returned SEAM_ECANCELED, SEAM_EPANIC, SEAM_EGOEXIT or SEAM_ESTOPPED the call is
 *     lost: every further operation of any kind fails at once with the same code. Clean
 *     up and return.
 *   - Memory passed to Go in an argument is read and written in place. It may be on this
 *     stack.
 *   - errno may change, as in any call. Don't hold a lock that others need. See the
 *     documentation of package coro for the three ways to run a coroutine and what each
 *     allows.
 *   - Never call a function exported by cgo (//export) on a coroutine's stack: the Go
 *     runtime ends the program. Use seam_upcall.
 *   - longjmp and C++ exceptions must not leave the function, and nothing may end the thread
 *     (pthread_exit). Restore the signal mask before you switch out.
 *   - The stack has 64 KB unless the Go side asks for more. Compile with
 *     -fstack-clash-protection: a function with too many local variables then ends the
 *     program with a message, however large they are.
 *
 * Nothing has to be linked: you may copy the file beside your own sources.
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
	SEAM_EPANIC = -2,       /* the Go function panicked; the panic goes on once C has returned */
	SEAM_EGOEXIT = -3,      /* the Go function ended its goroutine (runtime.Goexit, t.FailNow) */
	SEAM_ESTOPPED = -4,     /* the Go loop over the values has ended, or the coroutine is being closed */
	SEAM_ENOFUNC = -5,      /* no Go function is registered under this id, or no longer */
	SEAM_EFAILED = -6,      /* the Go function returned an error; the call will return it */
	SEAM_ETIMEDOUT = -7,    /* the wait was longer than its timeout */
	SEAM_EBADF = -8,        /* not an open descriptor, or with package netio: closed by C during the wait */
	SEAM_EMISUSE = -9,      /* not possible here: a yield without a loop, a coroutine that
	                           is NULL (seam_self outside of one) or not the one running */
	SEAM_EABI = -10,        /* this header and the library have different versions */
	SEAM_ENOMEM = -11       /* out of memory or descriptors */
};

/* Events of seam_wait_fd, with the values of POLLIN and POLLOUT. What poll reports without
 * being asked (POLLERR 8, POLLHUP 16) is returned too. */
#define SEAM_READ 1
#define SEAM_WRITE 4

/* A seam_func identifies a registered Go function (coro.Register). 0 is none. */
typedef uint64_t seam_func;

typedef struct seam_coro seam_coro;

/* A coroutine's function. What it returns is what coro.Call returns. */
typedef int64_t (*seam_coro_fn)(seam_coro *co, void *arg);

/* The state that C and Go share. The fields are not part of the interface: use the
 * functions. In this order they have the same layout in C and Go, on 32 bits too. */
struct seam_coro {
	/* The coroutine's context while it does not run. */
	void *pc, *sp, *fp;
	/* The goroutine's context while the coroutine runs. */
	void *go_sp, *go_pc, *go_fp, *go_g;
	/* The request to Go. */
	void *ptr;             /* upcall: argument; yield: value */
	uint32_t op;           /* SEAM_OP_… */
	int32_t status;        /* the answer */
	uint64_t id;           /* upcall: seam_func; wait: descriptor, or how many */
	int64_t n;             /* wait: timeout in ns, none if < 0; sleep: ns */
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
	void *real_pc;         /* pc, while pc is where fpcontrol is set first */
	uintptr_t canary;      /* the library's: tells whether this block is whole */
	uint64_t reserved[4];
};

/* The bytes that a seam_coro takes at the end of its stack. */
#define SEAM_CORO_ROOM_ 256

/* Values of flags. */
#define SEAM_CORO_SHARES_THREAD 1 /* other coroutines may run on this thread during a switch */
#define SEAM_CORO_FALLBACK 2      /* no stack of its own: switch by go_switch */

/* Values of op. */
enum {
	SEAM_OP_DONE_ = 0,
	SEAM_OP_UPCALL_ = 1,
	SEAM_OP_YIELD_ = 2,
	SEAM_OP_WAIT_FD_ = 3,  /* id: fd, events, n: timeout */
	SEAM_OP_WAIT_FDS_ = 4, /* ptr: struct pollfd *, id: how many, n: timeout */
	SEAM_OP_SLEEP_ = 5,    /* n: ns */
	SEAM_OP_OFFLOAD_ = 6,  /* id: void (*)(void *), ptr: its argument */
	SEAM_OP_DETACH_ = 7    /* the same, but few at a time; n, 0 before: 1 if the request was
	                          cancelled and the function still runs */
};

#ifdef __cplusplus
}
#endif
#include "coro_switch.h"
#ifdef __cplusplus
extern "C" {
#endif

/* seam_upcall calls the registered Go function with arg, which the function gets as a
 * pointer to its own type. It returns 0 once the function has returned, or SEAM_ENOFUNC,
 * SEAM_EPANIC, SEAM_EGOEXIT, SEAM_EFAILED, or the code of what ended the call before. */
static inline int seam_upcall(seam_coro *co, seam_func func, void *arg) {
	if (__builtin_expect(!co, 0))
		return SEAM_EMISUSE;
	co->op = SEAM_OP_UPCALL_;
	co->id = func;
	co->ptr = arg;
	seam_switch_shared_(co);
	return co->status;
}

/* seam_yield passes the value at ptr to the Go loop over this coroutine's values
 * (Generator.Values), which copies it. It returns 0 if the loop wants another value,
 * SEAM_ESTOPPED if it has ended, and SEAM_EMISUSE if there is none. */
static inline int seam_yield(seam_coro *co, const void *ptr) {
	if (!seam_runs_(co))
		return SEAM_EMISUSE;
	co->op = SEAM_OP_YIELD_;
	co->ptr = (void *)ptr;
	seam_switch_shared_(co);
	return co->status;
}

/* seam_wait_fd waits until fd is ready for one of the events (SEAM_READ, SEAM_WRITE) and
 * returns those for which it is. timeout is in ns; below 0 means none. It fails with
 * SEAM_ETIMEDOUT, SEAM_EBADF or SEAM_ECANCELED. A descriptor that can't be waited for (a
 * regular file) is always ready. */
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

/* seam_sleep sleeps for ns nanoseconds and returns 0, or SEAM_ECANCELED before that. */
static inline int seam_sleep(seam_coro *co, int64_t ns) {
	if (!seam_runs_(co))
		return SEAM_EMISUSE;
	co->op = SEAM_OP_SLEEP_;
	co->n = ns;
	seam_switch_shared_(co);
	return co->status;
}

/* seam_offload runs f(arg) on an ordinary thread, through cgo. There f may block, take its
 * time and call functions exported by cgo. f must not use co. Returns 0, or SEAM_ECANCELED
 * if f was not run. */
static inline int seam_offload(seam_coro *co, void (*f)(void *), void *arg) {
	if (!seam_runs_(co))
		return SEAM_EMISUSE;
	co->op = SEAM_OP_OFFLOAD_;
	co->id = (uint64_t)(uintptr_t)f;
	co->ptr = arg;
	seam_switch_shared_(co);
	return co->status;
}

/* seam_cancelled returns 1 if the context of the call is cancelled. It does not switch. */
#undef seam_cancelled /* that for tokens; below, one name serves both again */
#undef seam_deadline_ns
static inline int seam_cancelled(const seam_coro *co) { return seam_token_cancelled(&co->token); }

/* seam_deadline_ns returns the context's deadline as CLOCK_MONOTONIC nanoseconds, or 0 if it
 * has none. seam_deadline is its older name. */
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
