#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "_cgo_export.h"

long add(long a, long b) { return a + b; }

/* What a library does: it knows nothing of Go but a pointer to a function. */
long visit(long n, visitor f, void *p)
{
	long i, sum = 0;
	for (i = 0; i < n; i++)
		sum += f(p, i);
	return sum;
}
long quick(long n)
{
	long i, sum = 0;
	for (i = 0; i < n; i++)
		sum += goQuick(i);
	return sum;
}

long call_go(void *p, long x) { return goVisit(p, x); }

long down(long depth, long *p)
{
	long before = *p, r = goDown(depth, p);
	return r + before;
}

void leave(int how) { goLeave(how); }

/* A frame of 64 KB, whose content must be the same after Go. */
long wide(long depth)
{
	volatile char frame[64 << 10];
	long i, sum = 0;
	memset((void *)frame, (int)(depth & 63), sizeof frame);
	sum = goWide(depth);
	for (i = 0; i < (long)sizeof frame; i++)
		sum += frame[i] != (depth & 63);
	return sum;
}

static void *run(void *p)
{
	long *x = (long *)p;
	*x = goVisit(0, *x);
	return 0;
}

/* A callback of its own and one of a thread that it starts. It waits for that one only
 * when Go has been called meanwhile. */
long from_thread(long x)
{
	pthread_t thread;
	long theirs = x + 1;
	pthread_create(&thread, 0, run, &theirs);
	x = goVisit(0, x);
	goJoin((void *)thread);
	return x * 1000 + theirs;
}
void join(void *thread) { pthread_join((pthread_t)thread, 0); }

int errno_after(int code)
{
	errno = code;
	goVisit(0, 8); /* blocks and calls C, on this thread */
	return errno == code;
}

static void spin(long us)
{
	struct timespec a, b;
	clock_gettime(CLOCK_MONOTONIC, &a);
	do
		clock_gettime(CLOCK_MONOTONIC, &b);
	while ((b.tv_sec - a.tv_sec) * 1000000 + (b.tv_nsec - a.tv_nsec) / 1000 < us);
}

void slow_go(long ms) { goSleep(ms); }
void slow_c(long us)
{
	goSleep(0);
	spin(us);
	goSleep(0);
}

long never(const long *p) { return *p + 1; }

/* The end of the program: a handler that calls Go, on the way from C that Go has called. */
static void at_exit(void)
{
	printf("at exit: %ld\n", goAtExit(10));
}
void at_exit_go(void) { atexit(at_exit); }
void end(int code) { exit(code); }

static __thread volatile sig_atomic_t raised;
static volatile long in_handler;
static void on_signal(int s)
{
	if (s == SIGUSR2)
		raised++;
	else
		in_handler += goQuick(1);
}
static void catch(int s, int flags)
{
	struct sigaction a;
	memset(&a, 0, sizeof a);
	a.sa_handler = on_signal;
	a.sa_flags = flags;
	sigaction(s, &a, 0);
}
/* A signal that C raises between two callbacks has come when raise returns. */
long raises(void)
{
	long before;
	catch(SIGUSR2, SA_ONSTACK | SA_RESTART);
	goQuick(1);
	before = raised;
	raise(SIGUSR2);
	before = raised - before;
	goQuick(1);
	return before;
}

static void *raiser(void *n)
{
	/* A signal stack that Go sets in a handler is lost when the handler returns, and with cgo, too,
	 * the next signal of Go's ends the program: "non-Go code disabled sigaltstack". */
	static char room[1 << 16];
	stack_t signals = {.ss_sp = room, .ss_size = sizeof room};
	long i;
	sigaltstack(&signals, 0);
	for (i = 0; i < *(long *)n; i++)
		raise(SIGUSR1);
	return 0;
}
/* Handlers on a thread of C's call Go. It waits for the thread only when Go has been called. */
long go_in_handler(long n)
{
	pthread_t thread;
	catch(SIGUSR1, SA_RESTART);
	pthread_create(&thread, 0, raiser, &n);
	goJoin((void *)thread);
	return in_handler;
}

/* Handlers on this thread call Go, between callbacks. On the signal stack cgo itself can't do that. */
long go_in_own_handler(long n)
{
	long i, before, sum = 0;
	catch(SIGUSR1, SA_RESTART);
	for (i = 0; i < n; i++) {
		before = in_handler;
		sum += goVisit(0, i);
		raise(SIGUSR1);
		sum += in_handler > before;
	}
	return sum;
}
