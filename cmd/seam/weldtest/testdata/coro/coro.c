#include <errno.h>
#include <pthread.h>
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
