#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "all.h"
#include "_cgo_export.h"

#define NOINLINE __attribute__((noinline, noclone))

int add(int a, int b) { return a + b; }
int add2(int a, int b) { return add(shared(a), b); }

struct tree { struct tree *left, *right; };
static NOINLINE int depth(struct tree *t) {
	if (!t) return 0;
	int a = depth(t->left), b = depth(t->right);
	return 1 + (a > b ? a : b);
}
int walks(int n) { struct tree t = {0, 0}; return n + depth(&t); }

static NOINLINE int odd(int n);
NOINLINE int even(int n) { return n == 0 ? 1 : odd(n - 1) + 0 * n; }
static NOINLINE int odd(int n) { return n == 0 ? 0 : even(n - 1) * 3; }

int by_pointer(function f, int x) { return f(x) + 1; }

static int one(int x) { return x + 1; }
static function choose(void) { return one; }
int chosen(int x) __attribute__((ifunc("choose")));
int by_ifunc(int x) { return chosen(x) + 1; }

NOINLINE int waits_under_a_name(int x) { return (int)fwrite(&x, 1, 1, stdout); }
extern int another_name(int x) __attribute__((alias("waits_under_a_name")));
int by_alias(int x) { return another_name(x) + 1; }

int calls_go(int x) { return goFunction(x) + 1; }
static NOINLINE int between(int x) { return goFunction(x) * 2; }
int calls_go_deep(int x) { return between(x) + 1; }

static NOINLINE void report(int x) { printf("%d\n", x); }
void prints(int x) { if (x > 3) report(x); }

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int count;
void locks_up(void) {
	pthread_mutex_lock(&mutex);
	count++;
	pthread_mutex_unlock(&mutex);
}

static pthread_t thread;
NOINLINE void joins(void) { pthread_join(thread, 0); count++; }
static NOINLINE int level2(int x) { if (x > 2) joins(); return x + count; }
static NOINLINE int level1(int x) { return level2(x) + count; }
int joins_deep(int x) { return level1(x) + 1; }

static int by_value(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
void sorts(int *list, size_t n) { qsort(list, n, sizeof *list, by_value); }

long enters_kernel(long n) {
#if defined(__x86_64__)
	__asm__ volatile("syscall" : "+a"(n) : : "rcx", "r11", "memory");
#elif defined(__aarch64__)
	register long x8 __asm__("x8") = n;
	__asm__ volatile("svc #0" : "+r"(x8) : : "memory");
#endif
	return n;
}
void fence(void) { __asm__ volatile("" : : : "memory"); }

extern int from_elsewhere(int x) __attribute__((weak));
int unknown(int x) { return from_elsewhere ? from_elsewhere(x) + 1 : 0; }

int allocates(int n) {
	char *p = malloc(n);
	if (!p) return 0;
	memset(p, 1, n);
	int x = p[n / 2];
	free(p);
	return x;
}
int aborts(int x) { if (x == 7) abort(); return x; }

int on_stack(int n) {
	char p[n];
	memset(p, 1, n);
	return p[n / 2];
}
int big_frame(int n) {
	volatile char p[10000];
	p[n] = 1;
	return p[n / 2];
}
static NOINLINE int same_name(int x) { return x + 1; }
int with_errno(int x) { errno = EINVAL; return same_name(x); }

/* What is printed before the program ends keeps nobody waiting. */
void (*all_told)(const char *);
static NOINLINE void failed(const char *why) {
	if (all_told) all_told(why);
	fprintf(stderr, "%s\n", why);
	abort();
}
int asserts(int x) { if (x < 0) failed("x"); return x; }
int asserts_inline(int x) { if (x < 0) { fprintf(stderr, "x\n"); exit(1); } return x; }
int logs_and_goes_on(int x) { if (x < 0) fprintf(stderr, "x\n"); return x; }
