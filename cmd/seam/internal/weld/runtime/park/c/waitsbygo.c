/* C in coro functions that waits.
 *
 * To Go's runtime a goroutine in such C is running: it has its processor, and who stops the world waits for it.
 * C that waits for a lock may so keep the processor that the lock's owner needs, who is in a callback or waits in
 * his turn. So what may wait is called by Go, as a cgo call, during which others get the processor: a lock that
 * another has, a transfer that may block, a sleep. The goroutine's thread is locked (rt/coro.go), so a lock's owner
 * is the thread that asked.
 *
 * Not before a lock was tried: one that is free costs the try and nothing else. Transfers are not
 * tried: what doesn't block is no less work than the call of Go, and for some there is no try that does the same.
 *
 * In Go a thread gets SIGURG, after which some functions fail with EINTR even if its handler has SA_RESTART
 * (signal(7)), and there are libraries that take that for an error. In a cgo call it gets none, but what was sent
 * before may come now. So such functions wait with SIGURG blocked.
 *
 * On a signal stack and in child processes no Go is called. C that has switched to a stack which it has made itself (a
 * library with coroutines of its own) goes back to the thread's for that, below all that C has there. */

#include "child.h"

/* As in seam_weld.h. No package that calls C by coro: no gate. */
struct _seam_gate {
	void (*from_c)(void (*f)(void *), void *a, int n, size_t context);
	void *slowly;
	int (*in_coro)(void);
	void (*wait)(void *);
};
extern struct _seam_gate _seam_gate_v1 __attribute__((weak, visibility("hidden")));

/* CORO_ELSEWHERE: on another stack than that of a coro function's C, as signal handlers are, and C on a stack of its own. */
enum { CORO_NO, CORO_YES, CORO_ELSEWHERE };

static inline int coro_here(void) {
	int (*in_coro)(void) = &_seam_gate_v1 ? __atomic_load_n(&_seam_gate_v1.in_coro, __ATOMIC_ACQUIRE) : NULL;
	return in_coro ? in_coro() : CORO_NO;
}

/* ---- child processes: one of vfork is known by our vfork, since to ask for the number is a system call */

__thread int seam_parked_vforked PARK __attribute__((tls_model("initial-exec")));

static int own_process(void) { return !seam_parked_vforked && !csys_copied(); }

/* As libc's: the return address is kept in a register, since the child overwrites the stack. The word says in the child that
 * it is one, and in its parent what it said before. */
#if defined(__x86_64__)
__asm__(".pushsection .text\n.weak vfork\n.type vfork, @function\nvfork:\n"
	"	mov seam_parked_vforked@gottpoff(%rip), %rdx\n	mov %fs:(%rdx), %esi\n"
	"	pop %rdi\n	mov $58, %eax\n	syscall\n	push %rdi\n"
	"	test %rax, %rax\n	jnz 1f\n	mov $1, %esi\n"
	"1:	mov %esi, %fs:(%rdx)\n	cmp $-4095, %rax\n	jae 2f\n	ret\n"
	"2:	neg %eax\n	push %rax\n	call __errno_location@PLT\n	pop %rcx\n	mov %ecx, (%rax)\n	mov $-1, %eax\n	ret\n"
	".size vfork, .-vfork\n.popsection\n");
#else
__asm__(".pushsection .text\n.weak vfork\n.type vfork, %function\nvfork:\n"
	"	mrs x9, tpidr_el0\n	adrp x10, :gottprel:seam_parked_vforked\n	ldr x10, [x10, :gottprel_lo12:seam_parked_vforked]\n"
	"	add x9, x9, x10\n	ldr w11, [x9]\n"
	"	mov x0, #0x4111\n	mov x1, sp\n	mov x8, #220\n	svc #0\n" /* clone(CLONE_VM | CLONE_VFORK | SIGCHLD) */
	"	cbnz x0, 1f\n	mov w11, #1\n"
	"1:	str w11, [x9]\n	cmn x0, #4095\n	b.hs 2f\n	ret\n"
	"2:	stp x29, x30, [sp, #-32]!\n	neg x0, x0\n	str x0, [sp, #16]\n	bl __errno_location\n	ldr x1, [sp, #16]\n"
	"	str w1, [x0]\n	mov x0, #-1\n	ldp x29, x30, [sp], #32\n	ret\n"
	".size vfork, .-vfork\n.popsection\n");
#endif

/* ---- stacks */

static int on_signal_stack(void) {
	stack_t now;
	return sigaltstack(NULL, &now) != 0 || now.ss_flags & SS_ONSTACK;
}

/* seam_parked_hop calls f(arg) with the stack pointer sp. */
void seam_parked_hop(void (*f)(void *), void *arg, char *sp) PARK;
#if defined(__x86_64__)
__asm__(".pushsection .text\n.globl seam_parked_hop\n.hidden seam_parked_hop\n.type seam_parked_hop, @function\nseam_parked_hop:\n"
	"	push %rbp\n	mov %rsp, %rbp\n	mov %rdx, %rsp\n	mov %rdi, %rax\n	mov %rsi, %rdi\n	call *%rax\n"
	"	mov %rbp, %rsp\n	pop %rbp\n	ret\n.size seam_parked_hop, .-seam_parked_hop\n.popsection\n");
#else
__asm__(".pushsection .text\n.globl seam_parked_hop\n.hidden seam_parked_hop\n.type seam_parked_hop, %function\nseam_parked_hop:\n"
	"	stp x29, x30, [sp, #-16]!\n	mov x29, sp\n	mov sp, x2\n	mov x9, x0\n	mov x0, x1\n	blr x9\n"
	"	mov sp, x29\n	ldp x29, x30, [sp], #16\n	ret\n.size seam_parked_hop, .-seam_parked_hop\n.popsection\n");
#endif

/* A place on the thread's stack where Go may run while C is on another one: so far above its end as Go needs, which is
 * below all frames of C as long as those leave that much of it. NULL if the stack is small. */
static char *thread_stack(void) {
	enum { FOR_GO = 256 << 10 };
	static __thread char *place __attribute__((tls_model("initial-exec")));
	pthread_attr_t a;
	void *low;
	size_t size;
	int keep = errno;
	if (!place && pthread_getattr_np(pthread_self(), &a) == 0) {
		if (pthread_attr_getstack(&a, &low, &size) == 0 && size >= 4 * FOR_GO)
			place = (char *)(((uintptr_t)low + FOR_GO) & ~(uintptr_t)63);
		pthread_attr_destroy(&a);
	}
	errno = keep;
	return place;
}

/* ---- calls by Go */

typedef long (*by_go_function)(long, long, long, long, long, long, long, long);

/* Go knows the first word. */
struct by_go {
	int (*run)(void *);
	by_go_function f;
	long a[8], result;
	int error, host_error;
	int masks; /* what to do with mask meanwhile: SIG_BLOCK, SIG_SETMASK, or -1 for nothing */
	sigset_t mask;
};

static int run_by_go(void *p) {
	struct by_go *c = p;
	sigset_t before;
	if (c->masks >= 0)
		pthread_sigmask(c->masks, &c->mask, &before);
	errno = c->error;
	c->result = c->f(c->a[0], c->a[1], c->a[2], c->a[3], c->a[4], c->a[5], c->a[6], c->a[7]);
	c->error = errno;
	c->host_error = h_errno;
	if (c->masks >= 0)
		pthread_sigmask(SIG_SETMASK, &before, NULL);
	return 0;
}

#ifdef SEAM_PARKS
/* The goroutine of a parked call makes the call on its own thread, which gets the signal mask of this one. */
static void by_its_goroutine(seam_coro *co, struct by_go *call) {
	sigset_t quiet = call->mask;
	int is_quiet = call->masks == SIG_BLOCK;
	pthread_sigmask(SIG_BLOCK, NULL, &call->mask);
	if (is_quiet)
		sigorset(&call->mask, &call->mask, &quiet);
	call->masks = SIG_SETMASK;
	co->callee = (void (*)(void *))(uintptr_t)run_by_go;
	co->callee_arg = call;
	co->event = PARK_BY_GO;
	park_suspend(co, PARK_IN_GO, PARK_FOREVER);
	h_errno = call->host_error;
}

static seam_coro *parked_here(void) { return seam_on_stack_(); }
#else
static void by_its_goroutine(seam_coro *co, struct by_go *call) { (void)co, (void)call; }
static seam_coro *parked_here(void) { return NULL; }
#endif

static void from_c(void *call) { _seam_gate_v1.from_c(_seam_gate_v1.wait, call, sizeof(struct by_go), 0); }

/* quiet: with SIGURG blocked. */
static __attribute__((noinline)) long by_go(int here, void *f, int quiet, long a, long b, long c, long d, long e, long g, long h, long i) {
	struct by_go call = {.run = run_by_go, .f = (by_go_function)f, .a = {a, b, c, d, e, g, h, i}, .error = errno, .masks = -1};
	seam_coro *co = here == CORO_NO ? parked_here() : NULL;
	char *stack = NULL;
	int to_go = own_process();
	if (here == CORO_ELSEWHERE && to_go)
		to_go = !on_signal_stack() && (stack = thread_stack()) != NULL;
	if (quiet || !to_go) {
		sigemptyset(&call.mask);
		sigaddset(&call.mask, SIGURG);
		call.masks = SIG_BLOCK;
	}
	if (!to_go)
		run_by_go(&call);
	else if (co)
		by_its_goroutine(co, &call);
	else if (stack)
		seam_parked_hop(from_c, &call, stack);
	else
		from_c(&call);
	errno = call.error;
	return call.result;
}

/* BY_GO returns f(arguments) from a function, and calls it by Go if C is a coro function's. BY_GO_ALWAYS does so for
 * C that is parked, too. */
#define BY_GO(result, f, quiet, n, arguments) \
	do { \
		int here = coro_here(); \
		if (__builtin_expect(here == CORO_NO, 1)) \
			return f arguments; \
		return (result)by_go(here, (void *)f, quiet, WORDS##n arguments); \
	} while (0)
#define BY_GO_ALWAYS(result, f, quiet, n, arguments) \
	do { \
		int here = coro_here(); \
		if (here == CORO_NO && !parked_here()) \
			return f arguments; \
		return (result)by_go(here, (void *)f, quiet, WORDS##n arguments); \
	} while (0)

/* ---- locks, and what waits for others without a descriptor: what netio's functions call outside of parked calls */

/* A free lock costs the attempt and nothing else. */
#define WAIT_PARKS(result, name, signal, n, arguments, first) \
	if (__builtin_expect(first, 1)) \
		return (result)r; \
	need_own(); \
	BY_GO(result, own.name, signal, n, arguments)
#define WAIT_GO(result, name, signal, n, arguments, first) \
	int keep = errno; \
	need_own(); \
	if (first) \
		return (result)r; \
	errno = keep; \
	BY_GO_ALWAYS(result, own.name, signal, n, arguments)

/* What is done once is done on this stack: it may throw, and exceptions don't pass Go. Only the wait for another who
 * does it is Go's. */
static long pause_for_once(long a, long b, long c, long d, long e, long f, long g, long h) {
	static const struct timespec some = {0, 50000};
	(void)b, (void)c, (void)d, (void)e, (void)f, (void)g, (void)h;
	while (in_progress((const void *)a))
		libc.nanosleep(&some, NULL);
	return 0;
}

static int once_here(const void *once, void (*f)(void)) {
	struct handed_over h = {NULL, NULL};
	int here = coro_here();
	if (here == CORO_NO)
		return 0;
	need_own();
	hand_over(f, &h, 0);
	while (in_progress(once))
		by_go(here, (void *)pause_for_once, 0, WORDS1(once));
	hand_over(f, &h, 1);
	return 1;
}

/* As netio says. */
#define otherwise_sched_yield coro_sched_yield
#define otherwise_thrd_yield coro_thrd_yield

#define COROS(result, name, n, parameters, arguments, how, signal, otherwise, first) \
	static result coro_##name parameters { \
		long r = -1; \
		WAIT_##how(result, name, signal, n, arguments, first); \
	}
SYSTEM_WAITS(COROS)
OTHER_WAITS(COROS)

#define OTHERWISE_COROS(result, name, n, parameters, arguments, how, signal, otherwise, first) \
	static result otherwise_##name WITH_CO(parameters) { \
		long r = -1; \
		(void)co; \
		WAIT_##how(result, name, signal, n, arguments, first); \
	}
LOCK_WAITS(OTHERWISE_COROS)
C11_WAITS(OTHERWISE_COROS)
SIGNAL_WAITS(OTHERWISE_COROS)

int waits_by_go(void) { return coro_here() != CORO_NO || parked_here(); }

/* In a parked call a lock's owner, and a ring that belongs to one thread, is the worker's: it waits here. */
long wait_by_go(go_call *f, int how, const long *a) {
	int here = coro_here();
	if (here == CORO_NO && (how & THROUGH_GO_HERE || !parked_here()))
		return f(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7]);
	return by_go(here, (void *)f, how & THROUGH_GO_QUIET, a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7]);
}

/* libc's names for those that are called by Go in any case. */
#define NAME_PARKS(...)
#define NAME_GO(result, name, parameters, arguments) \
	result netio_##name parameters { return coro_##name arguments; }
#define NAME_IF_GO(result, name, n, parameters, arguments, how, ...) NAME_##how(result, name, parameters, arguments)
SYSTEM_WAITS(NAME_IF_GO)
OTHER_WAITS(NAME_IF_GO)

/* ---- descriptors and time */

static struct seam_netio_libc next;

#undef REAL
#define REAL(name) next.name

/* With MSG_DONTWAIT a call doesn't wait. */
#define TRANSFER_BY_GO(result, name, n, parameters, arguments, how, signal, otherwise, first) \
	static result coro_##name parameters { \
		long r; \
		if (first) \
			return (result)r; \
		BY_GO(result, next.name, signal, n, arguments); \
	}
TRANSFERS(TRANSFER_BY_GO)
SLEEPS(TRANSFER_BY_GO)

static int valid_wait(const struct timespec *t) { return !t || (valid(t) && t->tv_sec >= 0); }

static int no_time(const struct timespec *t) { return t && t->tv_sec == 0 && t->tv_nsec == 0; }

/* What is there already needs no wait, which an event loop asks for often. Two system calls would block SIGURG. */
#define POLL(name, n, arguments, masked, nothing, look) \
	int here = coro_here(), keep = errno, found; \
	if (here == CORO_NO || (nothing)) \
		return next.name arguments; \
	if ((found = (look)) > 0 || (found < 0 && errno != EINTR)) /* by Go's signal */ \
		return found; \
	errno = keep; \
	return (int)by_go(here, (void *)next.name, 1, WORDS##n masked)

static int coro_poll(struct pollfd *fds, nfds_t n, int ms) {
	POLL(poll, 3, (fds, n, ms), (fds, n, ms), ms == 0, next.poll(fds, n, 0));
}

static int coro_ppoll(struct pollfd *fds, nfds_t n, const struct timespec *t, const sigset_t *mask) {
	sigset_t with;
	const struct timespec zero = {0, 0};
	POLL(ppoll, 4, (fds, n, t, mask), (fds, n, t, with_sigurg(mask, &with)), no_time(t),
		!valid_wait(t) ? 0 : next.ppoll(fds, n, &zero, with_sigurg(mask, &with)));
}

static int coro_epoll_wait(int ep, struct epoll_event *e, int max, int ms) {
	POLL(epoll_wait, 4, (ep, e, max, ms), (ep, e, max, ms), ms == 0, next.epoll_wait(ep, e, max, 0));
}

static int coro_epoll_pwait(int ep, struct epoll_event *e, int max, int ms, const sigset_t *mask) {
	sigset_t with;
	POLL(epoll_pwait, 5, (ep, e, max, ms, mask), (ep, e, max, ms, with_sigurg(mask, &with)), ms == 0,
		next.epoll_pwait(ep, e, max, 0, with_sigurg(mask, &with)));
}

static int coro_epoll_pwait2(int ep, struct epoll_event *e, int max, const struct timespec *t, const sigset_t *mask) {
	sigset_t with;
	POLL(epoll_pwait2, 5, (ep, e, max, t, mask), (ep, e, max, t, with_sigurg(mask, &with)), no_time(t),
		!valid_wait(t) ? 0 : next.epoll_pwait(ep, e, max, 0, with_sigurg(mask, &with)));
}

/* A look that finds nothing would empty the sets. */
static int coro_select(int n, fd_set *in, fd_set *out, fd_set *other, struct timeval *t) {
	POLL(select, 5, (n, in, out, other, t), (n, in, out, other, t), t && t->tv_sec == 0 && t->tv_usec == 0, 0);
}

static int coro_pselect(int n, fd_set *in, fd_set *out, fd_set *other, const struct timespec *t, const sigset_t *mask) {
	sigset_t with;
	POLL(pselect, 6, (n, in, out, other, t, mask), (n, in, out, other, t, with_sigurg(mask, &with)), no_time(t), 0);
}

static __attribute__((constructor(102))) void replace_libc(void) {
	next = libc;
#define REPLACE(result, name, ...) libc.name = coro_##name;
	TRANSFERS(REPLACE)
	SLEEPS(REPLACE)
	POLLS(REPLACE)
}
