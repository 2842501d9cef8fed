//go:build cgo

#define _GNU_SOURCE
#include "ctest.h"
#include <seam/lock.h>
#include "_cgo_export.h"
#include <errno.h>
#include <fenv.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/syscall.h>
#include <sys/wait.h>
#endif

#ifdef __linux__
static long thread(void) { return syscall(SYS_gettid); }
#else
static long thread(void) { return (long)(uintptr_t)pthread_self(); }
#endif

int64_t ctest_return(seam_coro *co, void *arg) {
	ctest_args *a = arg;
	(void)co;
	return a->a + a->b;
}

int64_t ctest_upcalls(seam_coro *co, void *arg) {
	ctest_args *a = arg;
	for (int64_t i = 0; i < a->n; i++) {
		ctest_item item = {i, 0};
		int err = seam_upcall(co, a->func, &item);
		a->code = err;
		if (err)
			break;
		a->sum += item.y;
	}
	a->cleaned = 1;
	return a->code;
}

int64_t ctest_stubborn(seam_coro *co, void *arg) {
	ctest_args *a = arg;
	for (int64_t i = 0; i < a->n; i++) {
		ctest_item item = {i, 0};
		a->code = seam_upcall(co, a->func, &item);
		a->sum = i;
	}
	a->cleaned = 1;
	return 0;
}

int64_t ctest_count(seam_coro *co, void *arg) {
	ctest_args *a = arg;
	for (int64_t i = 0; i < a->n; i++) {
		ctest_item item = {i, i * i};
		a->code = seam_yield(co, &item);
		if (a->code)
			break;
	}
	a->cleaned = 1;
	return a->n;
}

int64_t ctest_threads(seam_coro *co, void *arg) {
	ctest_args *a = arg;
	for (int64_t i = 0; i < a->n && !a->code; i++) {
		ctest_item item = {i, thread()};
		a->code = seam_yield(co, &item);
	}
	a->cleaned = 1;
	return a->n;
}

int64_t ctest_sleep(seam_coro *co, void *arg) {
	ctest_args *a = arg;
	a->code = seam_sleep(co, a->n);
	a->cleaned = 1;
	return a->code;
}

int64_t ctest_wait(seam_coro *co, void *arg) {
	ctest_args *a = arg;
	a->sum = seam_wait_fd(co, a->fd, (int)a->a, a->n);
	a->cleaned = 1;
	return a->sum;
}

int64_t ctest_read_one(seam_coro *co, void *arg) {
	ctest_args *a = arg;
	unsigned char c;
	ssize_t n;
	do { // again if another has read what was there
		int events = seam_wait_fd(co, a->fd, SEAM_READ, -1);
		a->code = events;
		a->cleaned = 1;
		if (events < 0)
			return events;
		n = read(a->fd, &c, 1);
	} while (n < 0 && errno == EAGAIN);
	if (n != 1)
		return -100;
	a->sum = c;
	return 0;
}

int64_t ctest_spin_until_cancelled(seam_coro *co, void *arg) {
	ctest_args *a = arg;
	// It switches out now and then, so that Go may stop the world.
	while (!seam_cancelled(co)) {
		ctest_item item = {0, 0};
		seam_upcall(co, a->func, &item);
	}
	a->cleaned = 1;
	return seam_sleep(co, 1);
}

int64_t ctest_deadline(seam_coro *co, void *arg) {
	((ctest_args *)arg)->sum = seam_deadline(co);
	return 0;
}

int64_t ctest_ask_after(seam_coro *co, void *arg) {
	ctest_args *a = arg;
	ctest_item item = {0, 0};
	int err = seam_upcall(co, a->func, &item);
	a->sum = 0;
	for (int i = 0; i < 1 << 21; i++) // more than the refusals that a lost call has
		a->sum += seam_cancelled(co);
	return err;
}

static void offloaded(void *arg) { ((ctest_args *)arg)->sum = ctestGo(thread()); }

int64_t ctest_offload(seam_coro *co, void *arg) {
	ctest_args *a = arg;
	a->a = thread();
	return seam_offload(co, offloaded, arg);
}

int64_t ctest_self(seam_coro *co, void *arg) {
	(void)arg;
	return seam_self() == co;
}

static __attribute__((noinline)) int64_t recurse(int64_t n) {
	volatile char frame[1024];
	frame[0] = (char)n;
	if (n <= 0)
		return frame[0];
	int64_t below = recurse(n - 1);
	return below + (frame[0] != (char)n) + 1;
}

int64_t ctest_recurse(seam_coro *co, void *arg) {
	(void)co;
	return recurse(((ctest_args *)arg)->n);
}

int64_t ctest_big_frame(seam_coro *co, void *arg) {
	volatile char frame[48 << 10];
	(void)co;
	(void)arg;
	__asm__ volatile("" : : "r"(frame) : "memory"); // else clang keeps one byte of it
	frame[0] = 1;
	return frame[0];
}

// A frame of n bytes. a: write to its far end first; func: call it from there.
int64_t ctest_frame(seam_coro *co, void *arg) {
	ctest_args *a = arg;
	volatile char *frame = __builtin_alloca((size_t)a->n);
	if (a->a)
		frame[0] = 1;
	if (a->func) {
		ctest_item *item = a->p;
		a->code = seam_upcall(co, a->func, item);
	}
	return frame[0];
}

// 40 KB of locals, filled, that must be the same after a yield. sum: how many are not; p: the
// control block.
int64_t ctest_locals(seam_coro *co, void *arg) {
	ctest_args *a = arg;
	a->p = co;
	volatile unsigned char locals[40 << 10];
	for (size_t i = 0; i < sizeof locals; i++)
		locals[i] = (unsigned char)(i + (size_t)a->b);
	a->code = seam_yield(co, &a->sum);
	for (size_t i = 0; i < sizeof locals; i++)
		a->sum += locals[i] != (unsigned char)(i + (size_t)a->b);
	return a->sum;
}

// Overwrites n bytes of a control block, of its own unless p is that of another, from b on.
int64_t ctest_overwrite(seam_coro *co, void *arg) {
	ctest_args *a = arg;
	memset((char *)(a->p ? a->p : co) + a->b, 0x5a, (size_t)a->n);
	return 0;
}

int64_t ctest_thread_exit(seam_coro *co, void *arg) {
	(void)co;
	(void)arg;
	pthread_exit(NULL);
}

int64_t ctest_cancelled_thread(seam_coro *co, void *arg) {
	(void)co;
	(void)arg;
	pthread_cancel(pthread_self());
	pthread_testcancel();
	return 0;
}

int64_t ctest_raise(seam_coro *co, void *arg) {
	(void)co;
	return raise((int)((ctest_args *)arg)->n);
}

int64_t ctest_divide(seam_coro *co, void *arg) {
	ctest_args *a = arg;
	volatile int64_t zero = a->n;
	(void)co;
#ifdef __x86_64__
	return (a->a + 1) / zero;
#else
	zero++;
	__builtin_trap(); // nothing faults when it divides by zero
#endif
}

int64_t ctest_call_nothing(seam_coro *co, void *arg) {
	int64_t (*volatile f)(seam_coro *, void *) = NULL;
	return f(co, arg) + 1;
}

int64_t ctest_blocks_signal(seam_coro *co, void *arg) {
	ctest_args *a = arg;
	sigset_t mask, old;
	sigemptyset(&mask);
	sigaddset(&mask, SIGUSR2);
	if (a->a)
		pthread_sigmask(SIG_BLOCK, &mask, &old);
	else
		pthread_sigmask(SIG_BLOCK, NULL, &old);
	a->sum = sigismember(&old, SIGUSR2);
	if (a->func)
		a->code = seam_upcall(co, a->func, a);
	if (a->a)
		pthread_sigmask(SIG_SETMASK, &old, NULL);
	return 0;
}

int64_t ctest_rounding(seam_coro *co, void *arg) {
	ctest_args *a = arg;
	volatile double one = 1, three = 3, up, back;
	fesetround(FE_UPWARD);
	up = one / three;
	for (int64_t i = 0; i < a->n; i++) {
		ctest_item item = {0, 0};
		a->code = seam_upcall(co, a->func, &item);
		if (fegetround() != FE_UPWARD)
			a->sum++;
		back = one / three;
		if (back != up)
			a->sum++;
	}
	return a->sum; // and leaves upward rounding behind
}

int64_t ctest_errno(seam_coro *co, void *arg) {
	ctest_args *a = arg;
	for (int64_t i = 0; i < a->n; i++) {
		seam_sleep(co, 1000);
		errno = 0;
		if (close(-1) != -1 || errno != EBADF)
			a->sum++;
	}
	return 0;
}

static __thread int64_t local;

// here keeps compilers from finding out that the address of a variable is constant for a
// thread, and from using it after a switch, perhaps on another thread: noinline is not
// enough for clang.
static void *here(void *p) {
	__asm__ volatile("" : "+r"(p));
	return p;
}

static __attribute__((noinline)) int64_t *local_address(void) { return here(&local); }


int64_t ctest_tls(seam_coro *co, void *arg) {
	ctest_args *a = arg;
	int64_t *mine = local_address();
	for (int64_t i = 0; i < a->n; i++) {
		seam_sleep(co, 10000);
		if (local_address() != mine)
			a->sum++; // on another thread
	}
	return 0;
}

// ---- coroutines that C wakes, as package netio's locks do

enum { SLEEPERS = 16 };
static struct {
	char locked;
	seam_coro *co;
	int tokens;
} sleepers[SLEEPERS];

static void lock_sleeper(int i) {
	while (__atomic_test_and_set(&sleepers[i].locked, __ATOMIC_ACQUIRE))
		;
}
static void unlock_sleeper(int i) { __atomic_clear(&sleepers[i].locked, __ATOMIC_RELEASE); }

// Takes n tokens, of the kind a, and waits for each without a time-out.
int64_t ctest_pause(seam_coro *co, void *arg) {
	ctest_args *a = arg;
	int i = (int)a->a;
	for (int64_t n = 0; n < a->n; n++) {
		lock_sleeper(i);
		while (sleepers[i].tokens == 0) {
			sleepers[i].co = co;
			unlock_sleeper(i);
			co->op = SEAM_OP_PAUSE_;
			co->n = -1;
			seam_switch_shared_(co);
			lock_sleeper(i);
			sleepers[i].co = NULL;
		}
		sleepers[i].tokens--;
		unlock_sleeper(i);
	}
	return 0;
}

extern void seam_coro_wake(seam_coro *co);

// Gives n tokens of each of k kinds.
void ctest_wake(int k, int64_t n) {
	for (int64_t j = 0; j < n; j++)
		for (int i = 0; i < k; i++) {
			lock_sleeper(i);
			sleepers[i].tokens++;
			if (sleepers[i].co)
				seam_coro_wake(sleepers[i].co);
			unlock_sleeper(i);
		}
}

// Leaves return addresses where other frames will be.
static __attribute__((noinline)) void ctest_leave_traces(int n) {
	volatile char room[64];
	room[0] = 1;
	if (n > 0)
		ctest_leave_traces(n - 1);
	room[1] = room[0];
}

__attribute__((noinline)) int64_t ctest_read_below(int fd, int64_t n, char *c) { // not static, so that it has a name
	volatile int64_t got = n == 0 ? read(fd, c, 1) : ctest_read_below(fd, n - 1, c);
	return got;
}

// Reads a byte, below n calls, which keeps the processor: package netio is not there.
int64_t ctest_read_plainly(seam_coro *co, void *arg) {
	char c[2048]; // most of it is never written to
	ctest_args *a = arg;
	(void)co;
	ctest_leave_traces(20);
	return a->n ? ctest_read_below(a->fd, a->n, c) : read(a->fd, c, 1);
}

// Adds a to what the thread has kept, calls Go with the sum, and returns what the thread has then.
int64_t ctest_thread_adds(seam_coro *co, void *arg) {
	ctest_args *a = arg;
	ctest_item item = {.x = *local_address() += a->a};
	if (a->func) {
		int err = seam_upcall(co, a->func, &item);
		if (err)
			return err;
	}
	return *local_address();
}

static __attribute__((noinline)) int error_now(void) { return errno; }
static __attribute__((noinline)) void set_error(int e) { errno = e; }

int64_t ctest_errno_kept(seam_coro *co, void *arg) {
	ctest_args *a = arg;
	for (int64_t i = 0; i < a->n; i++) {
		int mine = (int)(a->a * 100 + i % 100);
		set_error(mine);
		seam_sleep(co, 1000);
		a->sum += error_now() != mine;
		ctest_item item = {0, 0};
		a->code = seam_upcall(co, a->func, &item);
		a->sum += error_now() != mine;
	}
	return a->code;
}

void ctest_set_errno(int64_t e) { set_error((int)e); }

// A library's state for each thread: a number, which is a block, and a stack of errors in
// its own memory, for which there is a keeper.
typedef struct error {
	struct error *next;
	int64_t code;
} error;

static __thread int64_t number;
static __thread error *errors;
static int64_t errors_live;

static __attribute__((noinline)) void *number_here(void) { return here(&number); }
static __attribute__((noinline)) error **errors_here(void) { return here(&errors); }

static void push_error(int64_t code) {
	error *e = malloc(sizeof *e);
	*e = (error){*errors_here(), code};
	*errors_here() = e;
	__atomic_fetch_add(&errors_live, 1, __ATOMIC_RELAXED);
}

static int64_t pop_error(void) {
	error *e = *errors_here();
	if (!e)
		return -1;
	int64_t code = e->code;
	*errors_here() = e->next;
	free(e);
	__atomic_fetch_sub(&errors_live, 1, __ATOMIC_RELAXED);
	return code;
}

static void save_errors(void *room) {
	*(error **)room = *errors_here();
	*errors_here() = NULL;
}

static void restore_errors(void *room) { *errors_here() = *(error **)room; }

static void drop_errors(void *room) {
	restore_errors(room);
	while (pop_error() != -1)
		;
}

int64_t ctest_keep(void) {
	seam_keeper k = {sizeof(error *), save_errors, restore_errors, drop_errors}, none = {0};
	if (seam_keep(&none) != SEAM_EMISUSE || seam_keep_block(NULL, 8) != SEAM_EMISUSE)
		return -100;
	int err = seam_keep_block(number_here, sizeof number);
	return err ? err : seam_keep(&k);
}

int64_t ctest_errors_live(void) { return __atomic_load_n(&errors_live, __ATOMIC_RELAXED); }

int64_t ctest_kept(seam_coro *co, void *arg) {
	ctest_args *a = arg;
	if (a->b) // nobody else has been on this thread
		a->sum += *(int64_t *)number_here() != 0 || *errors_here() != NULL;
	for (int64_t i = 0; i < a->n && !a->code; i++) {
		*(int64_t *)number_here() = a->a;
		push_error(a->a + i);
		a->code = seam_sleep(co, 1000);
		push_error(a->a - i);
		if (!a->code)
			a->code = seam_yield(co, NULL) == SEAM_EMISUSE ? 0 : -100;
		a->sum += *(int64_t *)number_here() != a->a;
		a->sum += pop_error() != a->a - i;
		a->sum += pop_error() != a->a + i;
	}
	if (!(co->flags & SEAM_CORO_FALLBACK)) // there it goes with a thread, and AddressSanitizer calls that a leak
		push_error(a->a); // that is left behind
	return a->code;
}

int64_t ctest_unkept(seam_coro *co, void *arg) {
	ctest_args *a = arg;
	for (int64_t i = 0; i < a->n; i++) {
		*local_address() = (intptr_t)a + i;
		a->code = seam_sleep(co, 1000);
		a->sum += *local_address() != (intptr_t)a + i;
	}
	return a->code;
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int64_t holders;

int64_t ctest_mutex(seam_coro *co, void *arg) {
	ctest_args *a = arg;
	for (int64_t i = 0; i < a->a; i++) {
		a->code = seam_lock(co, &mutex);
		if (a->code)
			return a->code;
		if (++holders != 1)
			a->sum++;
		seam_sleep(co, a->n);
		holders--;
		pthread_mutex_unlock(&mutex);
		seam_sleep(co, 1000);
	}
	return 0;
}

// More values than there are registers, integer and floating, all alive across the
// upcall.
int64_t ctest_registers(seam_coro *co, void *arg) {
	ctest_args *a = arg;
	int64_t v[24];
	double d[24];
	for (int k = 0; k < 24; k++) {
		v[k] = a->a + k;
		d[k] = (double)(a->a + k) / 2;
	}
	for (int64_t i = 0; i < a->n; i++) {
		ctest_item item = {i, 0};
		int64_t s0 = v[0], s1 = v[1], s2 = v[2], s3 = v[3], s4 = v[4], s5 = v[5], s6 = v[6], s7 = v[7];
		int64_t s8 = v[8], s9 = v[9], s10 = v[10], s11 = v[11], s12 = v[12], s13 = v[13], s14 = v[14], s15 = v[15];
		double f0 = d[0], f1 = d[1], f2 = d[2], f3 = d[3], f4 = d[4], f5 = d[5], f6 = d[6], f7 = d[7];
		double f8 = d[8], f9 = d[9], f10 = d[10], f11 = d[11], f12 = d[12], f13 = d[13], f14 = d[14], f15 = d[15];
		a->code = seam_upcall(co, a->func, &item);
		if (a->code)
			return a->code;
		int64_t s = s0 + s1 + s2 + s3 + s4 + s5 + s6 + s7 + s8 + s9 + s10 + s11 + s12 + s13 + s14 + s15;
		double f = f0 + f1 + f2 + f3 + f4 + f5 + f6 + f7 + f8 + f9 + f10 + f11 + f12 + f13 + f14 + f15;
		if (s != 16 * a->a + 120 || f != (double)(16 * a->a + 120) / 2 || item.y != i + 1)
			a->sum++;
		for (int k = 0; k < 24; k++)
			if (v[k] != a->a + k || d[k] != (double)(a->a + k) / 2)
				a->sum++;
	}
	return 0;
}

int64_t ctest_fork(seam_coro *co, void *arg) {
#ifdef __linux__
	(void)co;
	(void)arg;
	pid_t child = fork();
	if (child == 0)
		_exit(seam_self() == NULL ? 42 : 1);
	int status = 0;
	if (child < 0 || waitpid(child, &status, 0) != child)
		return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -2;
#else
	(void)co;
	(void)arg;
	return 42;
#endif
}

int64_t ctest_segv(seam_coro *co, void *arg) {
	(void)co;
	(void)arg;
	volatile int *volatile nowhere = (volatile int *)16;
	*nowhere = 1;
	return 0;
}

int64_t ctest_callback(seam_coro *co, void *arg) {
	(void)co;
	(void)arg;
	return ctestGo(1);
}

int64_t ctest_other_abi(seam_coro *co, void *arg) {
	ctest_args *a = arg;
	uint32_t keep = co->abi;
	ctest_item item = {0, 0};
	co->abi = keep + 1; // as if this file had been compiled with another header
	a->code = seam_upcall(co, a->func, &item);
	a->sum = seam_sleep(co, 1);
	co->abi = keep;
	return 0;
}

int64_t ctest_hold(seam_coro *co, void *arg) {
	ctest_args *a = arg;
	while (seam_sleep(co, a->n) == 0)
		a->sum++;
	a->cleaned = 1;
	return 0;
}

int64_t ctest_loop_upcall(seam_coro *co, void *arg) {
	ctest_args *a = arg;
	ctest_item item = {0, 0};
	for (int64_t i = 0; i < a->n; i++) {
		item.x = i;
		if (seam_upcall(co, a->func, &item))
			return -1;
	}
	return item.y;
}

int64_t ctest_cgo_callback(int64_t n) {
	int64_t y = 0;
	for (int64_t i = 0; i < n; i++)
		y = ctestGo(i);
	return y;
}

int64_t ctest_poll_two(seam_coro *co, void *arg) {
	ctest_args *a = arg;
	struct pollfd fds[2] = {{a->fd, POLLIN, 0}, {a->fd2, POLLIN, 0}};
	co->op = SEAM_OP_WAIT_FDS_;
	co->ptr = fds;
	co->id = 2;
	co->n = a->n;
	seam_switch_shared_(co);
	a->code = co->status;
	while (poll(fds, 2, 0) < 0)
		if (errno != EINTR) // Go's signals come at any time
			return -1;
	a->a = fds[0].revents;
	a->b = fds[1].revents;
	return 0;
}

int64_t ctest_never_ends(seam_coro *co, void *arg) {
	ctest_args *a = arg;
	for (;;)
		a->code = seam_sleep(co, 1000000);
	return 0;
}

int64_t ctest_echo(seam_coro *co, void *arg) {
	ctest_args *a = arg;
	char c;
	for (;;) {
		int events = seam_wait_fd(co, a->fd, SEAM_READ, -1);
		if (events < 0)
			return events;
		if (read(a->fd, &c, 1) != 1 || write(a->fd, &c, 1) != 1)
			return -100;
		a->sum++;
	}
}

// Every operation with a coroutine that does not run here. Returns how many did not say so.
static int64_t accepted(seam_coro *co) {
	return (seam_upcall(co, 1, NULL) != SEAM_EMISUSE) + (seam_yield(co, NULL) != SEAM_EMISUSE) +
	       (seam_wait_fd(co, 0, SEAM_READ, 0) != SEAM_EMISUSE) + (seam_sleep(co, 0) != SEAM_EMISUSE) +
	       (seam_offload(co, offloaded, NULL) != SEAM_EMISUSE);
}

int64_t ctest_outside(uintptr_t other) {
	return (seam_self() != NULL) + accepted(seam_self()) + accepted((seam_coro *)other);
}

// A thread that C makes, with somebody's coroutine in hand.
typedef struct {
	seam_coro *co;
	ctest_args *args;
	pthread_t id;
} foreign;

static void *misuse(void *arg) {
	foreign *f = arg;
	f->args->sum = accepted(f->co);
	return NULL;
}

static void *call_back(void *arg) {
	foreign *f = arg;
	ctest_args *a = f->args;
	for (int64_t i = 0; i < a->n && !a->code; i++) {
		ctest_item item = {i, 0};
		a->code = seam_callback(a->func, &item);
		a->sum += item.y;
	}
	return NULL;
}

static void join(void *arg) { pthread_join(((foreign *)arg)->id, NULL); }

static int64_t on_thread(seam_coro *co, ctest_args *a, void *(*f)(void *)) {
	foreign thread = {co, a, 0};
	if (pthread_create(&thread.id, NULL, f, &thread) != 0)
		return -100;
	// Neither may a function on an ordinary thread use co.
	int err = seam_offload(co, join, &thread);
	if (err) // not run
		join(&thread);
	a->cleaned = 1;
	return err;
}

int64_t ctest_foreign_misuse(seam_coro *co, void *arg) { return on_thread(co, arg, misuse); }
int64_t ctest_foreign_callback(seam_coro *co, void *arg) {
	ctest_args *a = arg;
	ctest_item item = {1, 0};
	if (seam_callback(a->func, &item) != SEAM_EMISUSE) // we are on a coroutine
		return -101;
	return on_thread(co, a, call_back);
}

static void misuse_offloaded(void *arg) { misuse(arg); }
int64_t ctest_offloaded_misuse(seam_coro *co, void *arg) {
	foreign f = {co, arg, 0};
	return seam_offload(co, misuse_offloaded, &f);
}

int64_t ctest_callback_outside(seam_func func, int64_t x) {
	ctest_item item = {x, 0};
	int err = seam_callback(func, &item);
	return err ? err : item.y;
}

// Gives a Go function its own coroutine, to be misused elsewhere.
int64_t ctest_lend(seam_coro *co, void *arg) {
	ctest_args *a = arg;
	ctest_item item = {(int64_t)(intptr_t)co, 0};
	return seam_upcall(co, a->func, &item);
}

// A long double lives in the x87 unit, which no other type uses here.
int64_t ctest_long_double(seam_coro *co, void *arg) {
	ctest_args *a = arg;
	volatile long double in = (long double)a->a;
	long double v = in * in;
	for (int64_t i = 0; i < a->n; i++) {
		a->code = seam_sleep(co, 200000);
		if (a->code)
			return a->code;
		v += in;
	}
	a->sum = v != in * in + (long double)a->n * in;
	return 0;
}

static uint32_t fp_settings(void) {
#if defined(__x86_64__)
	uint32_t v;
	__asm__ volatile("stmxcsr %0" : "=m"(v));
	return v & 0xffc0; // the rest are flags
#elif defined(__aarch64__)
	uint64_t v;
	__asm__ volatile("mrs %0, fpcr" : "=r"(v));
	return (uint32_t)v;
#else
	return 0;
#endif
}

uint32_t ctest_set_fp(uint32_t v) {
	uint32_t old = fp_settings();
#if defined(__x86_64__)
	__asm__ volatile("ldmxcsr %0" : : "m"(v));
#elif defined(__aarch64__)
	__asm__ volatile("msr fpcr, %0" : : "r"((uint64_t)v));
#endif
	return old;
}

int64_t ctest_fp(seam_coro *co, void *arg) {
	ctest_args *a = arg;
	ctest_item item = {0, 0};
	a->sum = fp_settings();
	if (a->func)
		a->code = seam_upcall(co, a->func, &item);
	return fp_settings();
}

int ctest_rounds_upward(void) { return fegetround() == FE_UPWARD; }

void ctest_set_x87(int upward) {
#ifdef __x86_64__
	uint16_t word = upward ? 0xb7f : 0x37f;
	__asm__ volatile("fldcw %0" : : "m"(word));
#else
	(void)upward;
#endif
}

int64_t ctest_rounds_after_upcall(seam_coro *co, void *arg) {
	ctest_args *a = arg;
	ctest_item item = {0, 0};
	a->code = seam_upcall(co, a->func, &item);
	return fegetround() != FE_TONEAREST;
}

int64_t ctest_leave_rounding(seam_coro *co, void *arg) {
	ctest_args *a = arg;
	(void)co;
	int found = fegetround();
	if (a->a)
		fesetround(FE_UPWARD);
	return found != FE_TONEAREST;
}
