//go:build cgo && linux && (amd64 || arm64)

#define _GNU_SOURCE
#include "ctest.h"
#include "handler.h"
#include "traceback.h"

#include <assert.h>
#include <alloca.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// The frames differ in size, and nothing is a tail call.
#define LEVEL(n, call)                                            \
	__attribute__((noinline)) void ctest_##n(ctest_end end, void *arg) { \
		volatile char room[24 * n];                       \
		room[0] = 1;                                      \
		call;                                             \
		room[1] = room[0];                                \
	}
LEVEL(1, end(arg))
LEVEL(2, ctest_1(end, arg))
LEVEL(3, ctest_2(end, arg))
LEVEL(4, ctest_3(end, arg))
LEVEL(5, ctest_4(end, arg))
LEVEL(6, ctest_5(end, arg))
LEVEL(7, ctest_6(end, arg))
LEVEL(8, ctest_7(end, arg))
LEVEL(9, ctest_8(end, arg))
LEVEL(10, ctest_9(end, arg))
LEVEL(11, ctest_10(end, arg))
LEVEL(12, ctest_11(end, arg))
LEVEL(13, ctest_12(end, arg))
LEVEL(14, ctest_13(end, arg))
LEVEL(15, ctest_14(end, arg))
LEVEL(16, ctest_15(end, arg))
LEVEL(17, ctest_16(end, arg))
LEVEL(18, ctest_17(end, arg))
LEVEL(19, ctest_18(end, arg))
LEVEL(20, ctest_19(end, arg))

__attribute__((noinline)) void ctest_alloca(ctest_end end, void *arg) {
	volatile char *room = alloca((size_t)getpid() % 100 + 1);
	room[0] = 1;
	ctest_2(end, arg);
	room[0]++;
}

__attribute__((noinline)) void ctest_aligned(ctest_end end, void *arg) {
	volatile char room[64] __attribute__((aligned(64)));
	room[0] = 1;
	ctest_2(end, arg);
	room[0]++;
}

// What functions without an argument for it call.
static __thread ctest_end then_end;
static __thread void *then_arg;

__attribute__((noinline)) int ctest_compare(const void *a, const void *b) {
	ctest_end end = then_end;
	then_end = NULL;
	if (end)
		ctest_2(end, then_arg);
	return *(const char *)a - *(const char *)b;
}

__attribute__((noinline)) void ctest_sorted(ctest_end end, void *arg) {
	char two[2] = {2, 1};
	then_end = end;
	then_arg = arg;
	qsort(two, 2, 1, ctest_compare);
	__asm__ volatile("" ::"r"(two) : "memory");
}

void ctest_on_signal(int sig) {
	(void)sig;
	ctest_2(then_end, then_arg);
	__asm__ volatile(""); // no tail call
}

__attribute__((noinline)) void ctest_handler(ctest_end end, void *arg) {
	struct sigaction now = {.sa_handler = ctest_on_signal, .sa_flags = SA_ONSTACK}, before;
	then_end = end;
	then_arg = arg;
	sigaction(SIGUSR1, &now, &before);
	raise(SIGUSR1);
	sigaction(SIGUSR1, &before, NULL);
}

void ctest_chain(int which, ctest_end end, void *arg) {
	static void (*const chains[])(ctest_end, void *) = {ctest_20, ctest_alloca, ctest_aligned, ctest_sorted, ctest_handler};
	chains[which](end, arg);
	__asm__ volatile("");
}

static ctest_pcs *walk_into;

static size_t walk_most = sizeof walk_into->pcs / sizeof *walk_into->pcs;

static void on_walk(int sig, siginfo_t *info, void *context) {
	(void)sig, (void)info;
	walk_into->n = seam_walk(csys_registers(context), 1, 0, walk_into->pcs, walk_most);
}

void ctest_walk_32(void *pcs) {
	size_t most = walk_most;
	walk_most = 32;
	ctest_walk(pcs);
	walk_most = most;
}

__attribute__((noinline)) void ctest_walk(void *pcs) {
	struct sigaction now = {.sa_sigaction = on_walk, .sa_flags = SA_ONSTACK | SA_SIGINFO}, before;
	walk_into = pcs;
	sigaction(SIGUSR2, &now, &before);
	raise(SIGUSR2);
	sigaction(SIGUSR2, &before, NULL);
}

static int64_t cpu_time(clockid_t clock) {
	struct timespec t;
	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

__attribute__((noinline)) void ctest_spin(void *ms) {
	int64_t end = cpu_time(CLOCK_THREAD_CPUTIME_ID) + (int64_t)(intptr_t)ms * 1000000;
	while (cpu_time(CLOCK_THREAD_CPUTIME_ID) < end)
		for (volatile int i = 0; i < 10000; i++)
			;
}

__attribute__((noinline)) void ctest_crash(void *unused) {
	(void)unused;
	*(volatile int *)8 = 1;
}

__attribute__((noinline)) void ctest_abort(void *unused) {
	(void)unused;
	abort();
}

__attribute__((noinline)) void ctest_assert(void *unused) {
	assert(unused && "of a test");
}

__attribute__((noinline)) void ctest_lose_and_crash(void *unused) {
	stack_t none = {.ss_flags = SS_DISABLE};
	sigaltstack(&none, NULL);
	ctest_crash(unused);
	__asm__ volatile(""); // no tail call
}

void ctest_bad_handler(int sig) { (void)sig; }

void ctest_bad_handlers(void) {
	struct sigaction a = {.sa_handler = ctest_bad_handler};
	sigaction(SIGUSR1, &a, NULL);
	a.sa_flags = SA_ONSTACK;
	sigaction(SIGURG, &a, NULL);
	sigaction(SIGUSR2, &a, NULL); // as it should be
}

static pthread_mutex_t asleep = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t awake = PTHREAD_COND_INITIALIZER;
static long woken;

__attribute__((noinline)) void ctest_wait(void *unused) {
	(void)unused;
	pthread_mutex_lock(&asleep);
	while (woken == 0)
		pthread_cond_wait(&awake, &asleep);
	woken--;
	pthread_mutex_unlock(&asleep);
}

void ctest_wake(void) {
	pthread_mutex_lock(&asleep);
	woken++;
	pthread_cond_signal(&awake);
	pthread_mutex_unlock(&asleep);
}

__attribute__((noinline)) void ctest_nap(void *us) {
	struct timespec t = {0, (long)us * 1000};
	nanosleep(&t, NULL);
	__asm__ volatile(""); // no tail call
}

void ctest_chain_nap(int which, long us) { ctest_chain(which, ctest_nap, (void *)us); }

static void *run_thread(void *ms) {
	ctest_20(ctest_spin, ms);
	return NULL;
}

void ctest_work(int which, long ms) { ctest_chain(which, ctest_spin, (void *)ms); }

__attribute__((noinline)) void ctest_leaf(ctest_args *a) {
	if (a->ms < 0)
		ctest_chain((int)a->which, ctest_crash, NULL);
	else
		ctest_work((int)a->which, a->ms);
	a->ms = 0; // no tail call
}

__attribute__((noinline)) int64_t ctest_coroutine(void *co, ctest_args *a) {
	(void)co;
	ctest_leaf(a);
	return a->ms;
}

int ctest_empty(ctest_args *a) { return (int)a->which; }

int64_t ctest_coroutine_empty(void *co, ctest_args *a) {
	(void)co;
	return a->which;
}

int ctest_thread(long ms) {
	pthread_t t;
	int err = pthread_create(&t, NULL, run_thread, (void *)ms);
	return err ? err : pthread_join(t, NULL);
}

static struct {
	long walks, whole, truncated;
	int64_t ns;
	uintptr_t low, high; // ctest_chain
} each;

static void on_each(int sig, siginfo_t *info, void *context) {
	(void)sig, (void)info;
	uintptr_t pcs[64];
	int64_t start = cpu_time(CLOCK_MONOTONIC);
	size_t n = seam_walk(csys_registers(context), 1, 0, pcs, 64);
	each.ns += cpu_time(CLOCK_MONOTONIC) - start;
	each.walks++;
	each.truncated += n && pcs[n - 1] == (uintptr_t)seam_truncated;
	for (size_t i = 0; i < n; i++)
		if (pcs[i] >= each.low && pcs[i] < each.high) {
			each.whole++;
			break;
		}
}

double ctest_each(int which, long ms, long *walks, long *whole, long *truncated) {
	struct sigaction now = {.sa_sigaction = on_each, .sa_flags = SA_ONSTACK | SA_SIGINFO | SA_RESTART}, before;
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGUSR2};
	struct itimerspec every = {{0, 100000}, {0, 100000}}, never = {{0, 0}, {0, 0}};
	timer_t timer;
	event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
	memset(&each, 0, sizeof each);
	seam_symbol_arg name = {.pc = (uintptr_t)ctest_chain};
	seam_symbolize(&name);
	each.low = name.entry;
	each.high = name.entry + 4096; // what follows in the file is not above it on the stack
	sigaction(SIGUSR2, &now, &before);
	if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0)
		return -1;
	timer_settime(timer, 0, &every, NULL);
	ctest_chain(which, ctest_spin, (void *)(intptr_t)ms);
	timer_settime(timer, 0, &never, NULL);
	timer_delete(timer);
	sigaction(SIGUSR2, &before, NULL);
	*walks = each.walks;
	*whole = each.whole;
	*truncated = each.truncated;
	return each.walks ? (double)each.ns / (double)each.walks : 0;
}
