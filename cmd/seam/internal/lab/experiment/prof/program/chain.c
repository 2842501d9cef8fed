#define _GNU_SOURCE
#include "program.h"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef struct {
	void (*end)(void *);
	void *arg;
} then;

static long me, thread;

static long kernel(long n, long a, long b, long c)
{
#if defined(__x86_64__)
	long r;
	__asm__ volatile("syscall" : "=a"(r) : "a"(n), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
	return r;
#elif defined(__aarch64__)
	register long x8 __asm__("x8") = n, x0 __asm__("x0") = a, x1 __asm__("x1") = b, x2 __asm__("x2") = c;
	__asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
	return x0;
#else
	return syscall(n, a, b, c);
#endif
}

__attribute__((noinline)) static void send(void *n)
{
	for (long i = 0; i < *(long *)n; i++)
		kernel(SYS_tgkill, me, thread, SIGPROF);
}

typedef struct {
	long loops;
	unsigned long sum;
} job;

__attribute__((noinline)) static void compute(void *v)
{
	job *j = v;
	unsigned long x = j->sum;
	for (long i = 0; i < j->loops; i++)
		x = x * 6364136223846793005UL + 1442695040888963407UL;
	j->sum = x;
}

/* What comes after the call keeps it from being a jump. */
__attribute__((noinline)) static void down(int n, const then *t)
{
	if (n <= 1)
		t->end(t->arg);
	else
		down(n - 1, t);
	__asm__ volatile("" : : "r"(t) : "memory");
}

/* Of the frames one is the end's, one that of the function below, and one cgo's. */
enum { AROUND = 3 };

void samples(int frames, long n)
{
	then t = {send, &n};
	me = getpid();
	thread = syscall(SYS_gettid);
	down(frames - AROUND, &t);
	__asm__ volatile("" : : : "memory");
}

unsigned long work(int frames, long loops)
{
	job j = {loops, 1};
	then t = {compute, &j};
	down(frames - AROUND, &t);
	return j.sum;
}
