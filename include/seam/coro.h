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
 *   - errno stays, except that with Locked a Go function may call C that changes it. Other
 *     thread-local variables are the thread's, see seam_keep. Don't hold a lock that others
 *     need. See the documentation of package coro for the three ways to run a coroutine and
 *     what each allows.
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
#define SEAM_CORO_ABI 2

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
	                           is NULL (seam_self outside of one) or not the one running
	                           here, as on a thread that C has made */
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
	uintptr_t canary;      /* the library's: shows whether this block is whole */
	/* With SEAM_CORO_SHARES_THREAD. Pointers are integers, so that they all have 64 bits. */
	uint64_t error_at;     /* where errno is, from the thread pointer */
	uint64_t keep;         /* void (*)(seam_coro *, int back), if there are keepers: see seam_keep */
	uint64_t rooms;        /* what they have saved */
	uint64_t unwatched;    /* the context's end is looked for when C asks for the first time */
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
	SEAM_OP_DETACH_ = 7,   /* the same, but few at a time; n, 0 before: 1 if the request was
	                          cancelled and the function still runs */
	SEAM_OP_WATCH_ = 8,    /* to look for the context's end from now on */
	/* Package netio's, never refused: C that cleans up after a lost call may need a lock. */
	SEAM_OP_PAUSE_ = 9,    /* n: timeout in ns, none if < 0; ends when C wakes the coroutine, or sooner */
	SEAM_OP_BLOCKS_ = 10   /* id: void (*)(void *), ptr: its argument, called through cgo */
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
 * SEAM_EPANIC, SEAM_EGOEXIT, SEAM_EFAILED, or the code of what ended the call before. Only
 * the coroutine itself may use co: other threads use seam_callback. */
static inline int seam_upcall(seam_coro *co, seam_func func, void *arg) {
	if (!seam_runs_(co))
		return SEAM_EMISUSE;
	co->op = SEAM_OP_UPCALL_;
	co->id = func;
	co->ptr = arg;
	seam_switch_shared_(co);
	return co->status;
}

/* seam_callback calls the registered Go function from where there is no coroutine: from a
 * thread that C has made, a function given to seam_offload or a cgo call. On a coroutine it
 * returns SEAM_EMISUSE, as seam_upcall does elsewhere. It is a cgo callback, with the price
 * of one, and returns 0 or SEAM_ENOFUNC. A function of RegisterContext gets an empty
 * context; if it fails that is SEAM_EFAILED, and its error is lost. There is no goroutine
 * that could go on with a panic or runtime.Goexit: either ends the program.
 *
 * A coroutine must not block until such a thread is done: the garbage collector would wait
 * for the coroutine, and the thread for the collector. Join it in seam_offload, or let it
 * write to a pipe or an eventfd and use seam_wait_fd. */
extern int seam_coro_callback_(seam_func func, void *arg) SEAM_WEAK_;
static inline int seam_callback(seam_func func, void *arg) {
#ifdef __ELF__
	if (!seam_coro_callback_)
		return SEAM_EMISUSE; /* a program without package coro */
#endif
	return seam_self() ? SEAM_EMISUSE : seam_coro_callback_(func, arg);
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
 * regular file) is always ready.
 *
 * If several wait for one descriptor, what woke two may be there for one. Make it
 * non-blocking and wait again after EAGAIN: a coroutine that blocks in read keeps its
 * processor, and the garbage collector waits for it while the goroutine that would write is stopped. */
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

/* What C keeps for each thread (its last error, its current context) is shared by all
 * coroutines that run on the thread: one that waits finds there what another has left.
 * errno and C++ exceptions in flight go with the coroutine. For the rest, a seam_keeper does
 * so wherever coroutines share threads: with an executor, and with Floating, where the
 * coroutine may also change threads. Elsewhere it is not called.
 *
 * room is a coroutine's own memory, of size bytes, aligned as by malloc. When its function
 * starts it is all zeros, which stand for the state of a new thread. The functions run on
 * the coroutine's stack at every switch, must be quick, and must not switch. */
typedef struct {
	size_t size;
	void (*save)(void *room);    /* moves the thread's state to room, so that the thread is as new */
	void (*restore)(void *room); /* moves it to the thread, whose own state is of no use */
	void (*drop)(void *room);    /* the function has returned: frees what room refers to; or NULL */
} seam_keeper;

/* seam_keep registers a keeper for good, for all coroutines that are started from now on: call
 * it when the program starts. It returns 0, SEAM_ENOMEM if there are 16 already, or
 * SEAM_EMISUSE if a function is missing. */
extern int seam_coro_keep_(const seam_keeper *k, void *(*address)(void)) SEAM_WEAK_;
static inline int seam_keep(const seam_keeper *k) {
#ifdef __ELF__
	if (!seam_coro_keep_)
		return SEAM_EMISUSE; /* a program without package coro */
#endif
	return k->save && k->restore ? seam_coro_keep_(k, NULL) : SEAM_EMISUSE;
}

/* seam_keep_block registers a thread-local variable that is zero in a new thread. address
 * returns where the calling thread has it. It is moved byte by byte, and forgotten when the
 * coroutine's function has returned: what owns memory needs a keeper. */
static inline int seam_keep_block(void *(*address)(void), size_t size) {
	seam_keeper k = {size, NULL, NULL, NULL};
#ifdef __ELF__
	if (!seam_coro_keep_)
		return SEAM_EMISUSE;
#endif
	return address ? seam_coro_keep_(&k, address) : SEAM_EMISUSE;
}

/* Most calls are over before anybody could cancel them, so with Locked Go looks for the
 * context's end from the first question on. */
static inline void seam_watch_(const seam_coro *co) {
	seam_coro *c = (seam_coro *)co;
	if (!seam_runs_(c))
		return;
	c->op = SEAM_OP_WATCH_;
	seam_switch_shared_(c);
}

/* seam_cancelled returns 1 if the context of the call is cancelled. With Locked the first
 * question of a call, be it this one or seam_deadline_ns, takes some hundred nanoseconds;
 * all others are a load from memory. */
#undef seam_cancelled /* that for tokens; below, one name serves both again */
#undef seam_deadline_ns
static inline int seam_cancelled(const seam_coro *co) {
	if (__builtin_expect(co->unwatched != 0, 0))
		seam_watch_(co);
	return seam_token_cancelled(&co->token);
}

/* seam_deadline_ns returns the context's deadline as CLOCK_MONOTONIC nanoseconds, or 0 if it
 * has none. seam_deadline is its older name. */
static inline int64_t seam_deadline_ns(const seam_coro *co) {
	if (__builtin_expect(co->unwatched != 0, 0))
		seam_watch_(co);
	return seam_token_deadline(&co->token);
}
static inline int64_t seam_deadline(const seam_coro *co) { return seam_deadline_ns(co); }

#ifdef __cplusplus
}
#else
#define seam_cancelled(x) _Generic((x), \
	seam_coro *: seam_cancelled, const seam_coro *: seam_cancelled, default: seam_token_cancelled)(x)
#define seam_deadline_ns(x) _Generic((x), \
	seam_coro *: seam_deadline_ns, const seam_coro *: seam_deadline_ns, default: seam_token_deadline)(x)
#endif
#endif
