/* What the files of netio share.
 *
 * Each libc function that netio defines has a name of its own here (netio_read) and gets
 * libc's name by an assembler label, so that neither the headers' attributes nor their
 * inline forms interfere. It begins with
 *
 *     seam_coro *co = self();
 *     if (!co)
 *         return libc.read(fd, buf, n);
 *
 * After a switch (a wait, a sleep) we may be on another thread, so errno is used only
 * through get_errno and set_errno: compilers keep its address.
 */
#ifndef SEAM_NETIO_H
#define SEAM_NETIO_H

#undef _FORTIFY_SOURCE
#undef _GNU_SOURCE
#define _GNU_SOURCE

#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>

#include <seam/coro.h>
#include "kernel.h"

#define LIBC(name) __asm__(#name) __attribute__((visibility("default")))
#define HIDDEN __attribute__((visibility("hidden")))
#define unlikely(x) __builtin_expect(!!(x), 0)

/* Of functions that read what the thread has for itself: a caller that has them inlined keeps the thread's address over a
 * switch. */
#if defined(__GNUC__) && !defined(__clang__)
#define APART __attribute__((noipa))
#else
#define APART __attribute__((noinline))
#endif

/* ---- libc's own functions, see resolve.c */

#include "table.h"

#define LIBC_FUNCTIONS(F) TRANSFERS(F) POLLS(F) SLEEPS(F) CLOSES(F)

#define LIBC_FIELD(result, name, n, parameters, ...) result(*name) parameters;
struct seam_netio_libc { LIBC_FUNCTIONS(LIBC_FIELD) };
#define libc seam_netio_libc
extern struct seam_netio_libc libc HIDDEN;

/* resolve stores the next definition after ours in a pointer, if there is one. */
#define resolve seam_netio_resolve
void resolve(const char *name, void *field) HIDDEN;

#define LIBC_DECLARE(result, name, n, parameters, ...) result netio_##name parameters LIBC(name);
LIBC_FUNCTIONS(LIBC_DECLARE)

#define enter csys_call6 /* a system call; libc's syscall is a function of ours, too */

/* ---- the coroutine and its waits, see wait.c */

/* ---- what is asked of what runs the coroutines: package coro (host.c), or the workers of a program
 * that seam weld has built (weld/runtime/park) */

#ifndef SEAM_PARK_H /* weld's has its own */
/* The coroutine whose C runs here on a stack that C has made itself, or NULL. */
#define elsewhere seam_netio_elsewhere
seam_coro *elsewhere(void) HIDDEN;

/* Lets others run if the coroutine has not switched for about a millisecond. */
#define give_way seam_netio_give_way
#define let_others_run seam_netio_let_others_run
#define switched seam_netio_switched
void give_way(seam_coro *co) HIDDEN;
void let_others_run(seam_coro *co) HIDDEN;
void switched(seam_coro *co) HIDDEN; /* after every request */
#endif

/* here returns the calling coroutine, or NULL if libc's function is to be called: outside of coroutines, in the
 * fallback, and with a library of another version. self lets others run, too, if it is time. */
static inline seam_coro *here(void) {
	seam_coro *co = seam_on_stack_();
	if (!unlikely(co) && !unlikely(co = elsewhere()))
		return NULL;
	return co->abi == SEAM_CORO_ABI ? co : NULL;
}

static inline seam_coro *self(void) {
	seam_coro *co = here();
	if (unlikely(co))
		give_way(co);
	return co;
}

/* Calls f with up to eight integers or pointers through cgo, where it may block: on the coroutine's own
 * thread if that has no other coroutines or here is set, else on another, with the signal mask of this one. quiet:
 * with SIGURG, by which Go preempts, blocked. The errno and h_errno of f are the caller's. */
typedef long go_call(long, long, long, long, long, long, long, long);
#define through_go seam_netio_through_go
enum { THROUGH_GO_QUIET = 1, THROUGH_GO_HERE = 2 };
long through_go(seam_coro *co, go_call *f, int how, const long *a) HIDDEN;

/* Whether other coroutines run on the thread while this one waits. */
#define shares_thread seam_netio_shares_thread
int shares_thread(const seam_coro *co) HIDDEN;

/* Who has the locks that a coroutine has taken which know their owner, and the stack it runs on. */
#define owner_of seam_netio_owner_of
#define owns seam_netio_owns
#define leave_locks seam_netio_leave_locks
#define asks_for_stack seam_netio_asks_for_stack
const void *owner_of(const seam_coro *co) HIDDEN;
uint32_t *owns(const void *owner) HIDDEN;     /* how many locks it has that know their owner */
void leave_locks(const void *owner) HIDDEN; /* it ends, and has some */
void asks_for_stack(seam_coro *co, char **low, char **high) HIDDEN;

/* suspend_waiter returns when wake_waiter was called, or at the deadline, or sooner. Any thread may call that, as long as
 * the coroutine can't end. */
#define suspend_waiter seam_netio_suspend_waiter
#define wake_waiter seam_netio_wake_waiter
void suspend_waiter(seam_coro *co, int64_t deadline) HIDDEN;
void wake_waiter(seam_coro *co) HIDDEN;

#define get_errno seam_netio_get_errno
#define set_errno seam_netio_set_errno
int get_errno(void) HIDDEN;
void set_errno(int e) HIDDEN;

/* fail sets errno and returns -1. */
static inline int fail(int e) {
	set_errno(e);
	return -1;
}

/* Times are CLOCK_MONOTONIC in ns. FOREVER means no deadline. */
#define FOREVER INT64_MAX
#define now seam_netio_now
#define after seam_netio_after
int64_t now(void) HIDDEN;
int64_t after(int64_t ns) HIDDEN; /* the deadline ns from now; none if ns < 0 */

/* nanoseconds of a valid time, saturating. */
#define valid_time seam_netio_valid_time
#define nanoseconds seam_netio_nanoseconds
#define time_left seam_netio_time_left
#define is_child seam_netio_is_child
int64_t time_left(int64_t deadline) HIDDEN; /* ns until then, at least 0; -1 if there is none */
int is_child(void) HIDDEN; /* of a fork, or on its parent's stack after vfork: it must not switch */
int valid_time(const struct timespec *t) HIDDEN;
int64_t nanoseconds(const struct timespec *t) HIDDEN;
static inline struct timespec time_of(int64_t ns) {
	return (struct timespec){.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
}

/* with_sigurg returns mask, which a wait puts in the place of the thread's, with SIGURG in it, by which Go preempts. */
static inline const sigset_t *with_sigurg(const sigset_t *mask, sigset_t *with) {
	if (!mask)
		return NULL;
	*with = *mask;
	sigaddset(with, SIGURG);
	return with;
}

/* wait_one waits for an event of one descriptor, wait_all for events of several, pause_for
 * for time only. They return 0 or an errno value that says what ended the wait: ETIMEDOUT,
 * EBADF (closed), ECANCELED (the call is lost), ENOMEM. */
#define wait_one seam_netio_wait_one
#define wait_all seam_netio_wait_all
#define pause_for seam_netio_pause_for
int wait_one(seam_coro *co, int fd, int events, int64_t deadline, int *found) HIDDEN;
int wait_all(seam_coro *co, struct pollfd *fds, nfds_t n, int64_t deadline) HIDDEN;
int pause_for(seam_coro *co, int64_t ns) HIDDEN;

/* back_off sleeps for a while if that many waits in a row promised what then was not there:
 * others were faster, or poll is wrong, as it is for an unconnected datagram socket in
 * AF_UNIX if the receiver's queue is full. */
#define back_off seam_netio_back_off
int back_off(seam_coro *co, unsigned waits) HIDDEN;

/* after_try says what to do after a call that did not block and found found descriptors
 * ready: try again, wait, or return found. For the last it sets errno: keep, or the error. */
enum next { NEXT_TRY, NEXT_WAIT, NEXT_RETURN };
#define after_try seam_netio_after_try
enum next after_try(int found, int64_t deadline, const sigset_t *mask, int keep) HIDDEN;

/* LOOK_UNTIL is the rest of a function that polls: it looks and waits in turns. prepare comes before each wait, and is,
 * like wait, 0 or an errno value. co, deadline and mask are the function's. */
#define LOOK_UNTIL(look, prepare, wait) \
	int keep = get_errno(); \
	unsigned waits; \
	for (waits = 0;; waits++) { \
		int err, found = look; \
		enum next next = after_try(found, deadline, mask, keep); \
		if (next == NEXT_TRY) \
			continue; \
		if (next == NEXT_RETURN) \
			return found; \
		if ((err = prepare) == 0 && (err = back_off(co, waits)) == 0) \
			err = wait; \
		if (err == EBADF && (found = look) > 0) { /* poll says which */ \
			set_errno(keep); \
			return found; \
		} \
		if (err != 0 && err != ETIMEDOUT) \
			return fail(err); \
	}

/* A transfer is what one call of the library knows of its waits. All zero, it has not
 * waited. */
struct transfer {
	int64_t deadline; /* 0: not known yet */
	int found;        /* events of the last wait */
	unsigned waits;
	int errno_before;
};
#define await seam_netio_await
#define done seam_netio_done

/* await waits after a call that would have blocked. It returns 0 to try again, or the errno
 * value to fail with: EAGAIN if the descriptor is non-blocking or its timeout (SO_RCVTIMEO,
 * SO_SNDTIMEO) has passed. */
int await(seam_coro *co, struct transfer *t, int fd, int events) HIDDEN;

/* socket_deadline returns when the socket's timeout for these events will have passed. */
#define socket_deadline seam_netio_socket_deadline
int64_t socket_deadline(int fd, int events) HIDDEN;

/* done restores errno after success. */
void done(const struct transfer *t) HIDDEN;

/* lock_file keeps other coroutines away from the file of fd, between poll and the call that
 * poll has promised not to block. Nothing may switch before the unlock. */
#define lock_file seam_netio_lock_file
pthread_mutex_t *lock_file(int fd) HIDDEN;

/* ready returns 1 if one of the events is there now. */
#define ready seam_netio_ready
int ready(int fd, int events) HIDDEN;

/* option returns an integer option at level SOL_SOCKET, or -1 with errno set. */
#define option seam_netio_option
int option(int fd, int name) HIDDEN;

/* run_detached runs f(arg) on an ordinary thread, for what can't be made cooperative. If it
 * fails, the call is cancelled; *runs is 1 then if f still runs, and 0 if it never did. */
#define run_detached seam_netio_run_detached
int run_detached(seam_coro *co, void (*f)(void *), void *arg, int *runs) HIDDEN;

/* ---- fortified.c, fortified_poll.c */

extern void chk_fail(void) __asm__("__chk_fail") __attribute__((weak, noreturn));

static inline void check(int fits) {
	if (fits)
		return;
	if (chk_fail)
		chk_fail();
	abort(); /* other libcs have no such functions, and so no callers of them */
}

/* ---- sockets.c */

#define receive seam_netio_receive
#define transmit seam_netio_transmit
/* One call that receives or sends: by msg where it is set, else buf, n and addr. */
struct message {
	int fd, flags;
	void *buf;
	size_t n;
	struct sockaddr *addr;
	socklen_t *received_len; /* receiving */
	socklen_t addrlen;       /* sending */
	struct msghdr *msg;
};
ssize_t receive(seam_coro *co, struct message *m) HIDDEN;
ssize_t transmit(seam_coro *co, struct message *m) HIDDEN;

/* ---- iovec.c */

#define WINDOW 64 /* entries: 1 KB of the coroutine's stack */
#define iov_total seam_netio_iov_total
#define iov_window seam_netio_iov_window
/* iov_total returns how many bytes there are, but at most what the kernel takes at once, or
 * -1 if the sum overflows ssize_t. */
ssize_t iov_total(const struct iovec *iov, size_t count) HIDDEN;
/* iov_window sets out to at most max bytes after the first skip, in at most WINDOW entries,
 * and returns the number of entries. */
int iov_window(const struct iovec *iov, size_t count, size_t skip, size_t max, struct iovec *out) HIDDEN;

/* The most that the kernel transfers in one system call. */
#define MAX_TRANSFER ((size_t)0x7ffff000)

#endif
