#define _GNU_SOURCE
#include <assert.h>
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "_cgo_export.h"
#include "closed.h"

/* These can't come to Go. */
int sums(const int *p, int n)
{
	int sum = 0;
	while (n-- > 0)
		sum += p[n];
	return sum;
}

int copies(const int *p)
{
	int *q = malloc(sizeof *q), n;
	if (!q)
		abort();
	memcpy(q, p, sizeof *q);
	n = *q;
	free(q);
	return n;
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int locks(const int *p)
{
	int n;
	pthread_mutex_lock(&mutex);
	n = *p;
	pthread_mutex_unlock(&mutex);
	return n;
}

int asserts(const int *p)
{
	if (*p < 0) {
		fprintf(stderr, "negative\n");
		abort();
	}
	return *p;
}

int recurses(const int *p) { return *p <= 0 ? 0 : 1 + recurses(&(int){*p / 2}); }

/* These can, or nobody knows. */
int by_name(const int *p) { return goCalled(*p); }

int in_other_file(int n);
int by_other_file(const int *p) { return in_other_file(*p); }

int (*hook)(int);
int by_pointer(const int *p) { return hook ? hook(*p) : 0; }

static int (*const table[2])(int) = {goCalled, abs};
int by_table(const int *p) { return table[*p & 1](*p); }

/* Another package may have it. */
__attribute__((weak)) int elsewhere(int n);
int by_weak(const int *p) { return elsewhere ? elsewhere(*p) : 0; }

__attribute__((weak, noinline)) int replaceable(int n) { return n + 1; }
int by_weak_default(const int *p) { return replaceable(*p); }

static int plain(int n) { return n + 2; }
__attribute__((weak, alias("plain"))) int another_name(int n);
int by_weak_alias(const int *p) { return another_name(*p) + plain(1); }

int by_dlsym(const int *p)
{
	int (*f)(int) = (int (*)(int))dlsym(RTLD_DEFAULT, "goCalled");
	return f ? f(*p) : 0;
}

static int (*registered)(int) = abs;
__attribute__((constructor)) static void set(void) { registered = goCalled; }
int by_constructor(const int *p) { return registered(*p); }

static void at_end(void) { goCalled(1); }
__attribute__((constructor)) static void set_end(void) { atexit(at_end); }
int by_exit(const int *p)
{
	if (*p == 12345)
		exit(0);
	return 1;
}

static int order(const void *a, const void *b) { return goCalled(*(const int *)a - *(const int *)b); }
int by_sort(int *p)
{
	qsort(p, 1, sizeof *p, order);
	return *p;
}

int by_assembly(const int *p)
{
#ifdef __x86_64__
	int n;
	__asm__ volatile("call goCalled" : "=a"(n) : "D"(*p) : "memory", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11");
	return n;
#else
	__asm__ volatile("bl goCalled" : : : "memory", "x30");
	return *p;
#endif
}

static int (*resolve(void))(int) { return goCalled; }
int chosen(int n) __attribute__((ifunc("resolve")));
int by_ifunc(const int *p) { return chosen(*p); }

static jmp_buf back;
int by_jump(const int *p)
{
	if (*p == 12345)
		longjmp(back, 1);
	return *p;
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static void first(void) { goCalled(2); }
int by_once(const int *p)
{
	pthread_once(&once, first);
	return *p;
}

int of_a_library(int n);
int by_unknown(const int *p) { return *p == 12345 ? of_a_library(*p) : 0; }

/* The last word before the program ends is Go's. */
__attribute__((noinline, noreturn)) static void fail(int n)
{
	goCalled(n);
	abort();
}
int by_assertion(const int *p)
{
	if (*p < 0)
		fail(*p);
	return *p;
}

int by_doomed_pointer(const int *p)
{
	if (*p < 0) {
		hook(*p);
		abort();
	}
	return *p;
}

/* A stream may have been opened by fopencookie. */
FILE *stream;
int by_stream(const int *p) { return stream ? fputc(*p, stream) : 0; }

int by_signal(const int *p) { return *p == 12345 ? raise(SIGUSR1) : 0; }
