/* Allocates and frees as a program does that is searched for leaks, without Go.
   What it does is told by its first argument; a test reads what was recorded. */
#define _GNU_SOURCE
#include "seam_leaks_impl.h"
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void request(int op, void *p, seam_u64 size, seam_u32 stack)
{
	struct seam_leaks_request q;
	memset(&q, 0, sizeof q);
	q.op = op;
	q.p = p;
	q.size = size;
	q.stack = stack;
	seam_leaks_go(&q);
}

/* One and two are stacks. */
static seam_u32 one, two;

static seam_u32 stack(const char *name)
{
	struct seam_leaks_request q;
	char text[100];
	memset(&q, 0, sizeof q);
	q.op = SEAM_NEW_STACK;
	q.text = text;
	q.length = (unsigned long)sprintf(text, "%s%cx.go%c7%c", name, 0, 0, 0);
	seam_leaks_go(&q);
	return q.stack;
}

static void *take(void *p, size_t size, seam_u32 from)
{
	if (!p)
		abort();
	request(SEAM_MADE, p, size, from);
	return p;
}

static void *made(size_t size, seam_u32 from) { return take(malloc(size), size, from); }

static unsigned random_next(unsigned *state) { return *state = *state * 1664525u + 1013904223u; }

/* Threads give each other blocks to free, among many that are not tracked. */
enum { threads = 4, places = 512, rounds = 60000 };
static void *shelf[places];
static void *swap(void *seed)
{
	unsigned r = (unsigned)(long)seed;
	int i;
	for (i = 0; i < rounds; i++) {
		unsigned size = random_next(&r) >> 8;
		size = size % 97 == 0 ? size % 300000 : size % 97 == 1 ? 0 : size % 600;
		void *p = random_next(&r) >> 16 & 1 ? made(size, one) : malloc(size), *q;
		if (size)
			memset(p, 1, size);
		q = __atomic_exchange_n(&shelf[random_next(&r) >> 8 & (places - 1)], p, __ATOMIC_ACQ_REL);
		if (random_next(&r) >> 16 & 1) {
			void *moved = realloc(q, size + 100);
			if (!moved)
				abort();
			q = moved;
		}
		free(q);
	}
	return 0;
}

static void run_threads(void)
{
	pthread_t t[threads];
	long i;
	for (i = 0; i < threads; i++)
		pthread_create(&t[i], 0, swap, (void *)(i + 1));
	for (i = 0; i < threads; i++)
		pthread_join(t[i], 0);
	for (i = 0; i < places; i++)
		free(shelf[i]);
	made(5, two);
}

/* A free into the middle of blocks of all sizes, and right behind them. */
static void run_middle(void)
{
	static const size_t sizes[] = {17, 500, 513, 4096, 8704, 8705, 100000, 3 << 20, 40 << 20, 700 << 20};
	unsigned i;
	for (i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		char *p = made(sizes[i], one);
		free(p + sizes[i] / 2);
		free(p + sizes[i] - 1);
		free(p);
	}
}

/* Neighbours of tracked blocks that are not tracked. */
static void run_neighbours(void)
{
	static void *all[20000];
	int i, round;
	for (round = 0; round < 3; round++) {
		for (i = 0; i < 20000; i++) {
			size_t size = (size_t)(i * 37 % 3000);
			all[i] = i % 3 ? malloc(size) : made(size, one);
		}
		for (i = 0; i < 20000; i++)
			free(all[(i * 7919) % 20000]);
	}
}

static void run_realloc(void)
{
	void *p = made(10, one);
	int i;
	for (i = 1; i < 200; i++)
		if (!(p = realloc(p, (size_t)i * 1000)))
			abort();
	if (realloc(p, ~(size_t)0 >> 2))
		abort(); /* it stays as it was */
	p = take(p, 199000, two); /* as if Go had called realloc last */
	if (realloc(made(10, one), 0))
		abort();
	p = made(100000, one);
	if (!realloc(p, 0) && errno == 7)
		abort();
}

static void run_twice(void)
{
	int i;
	void *p = made(10, one), *q;
	request(SEAM_FREEING, p, 0, two);
	free(p);
	for (i = 0; i < 3; i++)
		free(p);
	request(SEAM_FREEING, p, 0, two);
	free(p);
	strcpy(q = made(10, one), "text");
	free(q);
	if (!(p = realloc(q, 20)) || strcmp(p, "text"))
		abort();
	free(p);
	for (i = 0; i < 5000; i++)
		free(made(1000, two));
}

static void run_fork(void)
{
	void *p = made(10, one), *q = made(1 << 20, one);
	int status;
	if (fork() == 0) {
		free(p);
		free(realloc(q, 5 << 20));
		free(made(3, one));
		_exit(0);
	}
	wait(&status);
	if (status)
		abort();
}

/* A block that was freed where nobody saw it, and whose address malloc has given
   out again. */
static void run_unseen(void)
{
	void *p = made(100, one);
	if (!seam_c_libc_free)
		return;
	seam_c_libc_free(p);
	if (made(100, two) != p)
		abort();
}

static void run_errno(void)
{
	void *p = made(10, one);
	errno = 7;
	request(SEAM_FREEING, p, 0, two);
	free(p);
	free(p);
	if (errno != 7)
		abort();
}

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* What a free costs that is not ours, and one that is: for people. */
static void run_cost(void)
{
	enum { n = 1000000 };
	static void *all[n];
	double a, b, c;
	int i, round;
	for (i = 0; i < 10000; i++)
		made((size_t)(i % 200), one);
	for (round = 0; round < 3; round++) {
		for (i = 0; i < n; i++)
			all[i] = malloc(40);
		a = now();
		for (i = 0; i < n; i++)
			free(all[i]);
		b = now();
		for (i = 0; i < n; i++)
			all[i] = malloc(40);
		c = now();
		for (i = 0; i < n; i++)
			seam_leaks_real_free(all[i]);
		printf("not ours: %.1f ns, without: %.1f ns\n", (b - a) / n, (now() - c) / n);
		for (i = 0; i < n; i++)
			all[i] = malloc(40);
		a = now();
		for (i = 0; i < n; i++)
			request(SEAM_MADE, all[i], 40, one);
		b = now();
		for (i = 0; i < n; i++)
			free(all[i]);
		printf("tracked: made %.1f ns, freed %.1f ns\n", (b - a) / n, (now() - b) / n);
	}
}

static void run_exit(void) { made(10, one); _exit(0); }
static void run_kill(void) { made(10, one); made(20, two); kill(getpid(), SIGKILL); }
static void run_full(void)
{
	void *first = made(10, one);
	int i;
	for (i = 1; i < 5000; i++)
		made(10, one);
	free(first);
	free(made(10, two));
}

static void run_many(void)
{
	int i;
	for (i = 0; i < 30000; i++)
		made(10, one);
}

/* The file can't grow beyond the megabyte that it begins with. */
static void run_disk(void)
{
	struct rlimit limit = {1 << 20, 1 << 20};
	signal(SIGXFSZ, SIG_IGN);
	if (setrlimit(RLIMIT_FSIZE, &limit))
		abort();
	run_many();
}

static void run_descriptors(void)
{
	struct rlimit limit = {3, 3};
	if (setrlimit(RLIMIT_NOFILE, &limit))
		abort();
	run_many();
}

int main(int count, char **words)
{
	static const struct { const char *name; void (*run)(void); } all[] = {
		{"threads", run_threads}, {"middle", run_middle}, {"neighbours", run_neighbours}, {"realloc", run_realloc},
		{"twice", run_twice}, {"fork", run_fork}, {"unseen", run_unseen}, {"errno", run_errno}, {"cost", run_cost}, {"exit", run_exit},
		{"kill", run_kill}, {"full", run_full}, {"disk", run_disk}, {"descriptors", run_descriptors},
	};
	unsigned i;
	one = stack("one");
	two = stack("two");
	if (!one || !two || count < 2)
		return 1;
	for (i = 0; i < sizeof all / sizeof *all; i++)
		if (!strcmp(all[i].name, words[1])) {
			all[i].run();
			return 0;
		}
	return 1;
}
