#define _GNU_SOURCE
#include "truth.h"

#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define SITE __attribute__((noinline, noclone, no_icf))
static void *volatile keep;

// Before main: 3 blocks of 1000 bytes.
SITE static void *early_site(void) { void *p = malloc(1000); keep = p; return p; }
__attribute__((constructor)) static void before_main(void) {
	for (int i = 0; i < 3; i++)
		early_site();
}

SITE static void *plain_site(size_t n) { void *p = malloc(n); keep = p; return p; }
SITE static void *calloc_site(size_t n, size_t m) { void *p = calloc(n, m); keep = p; return p; }
void plain(void) {
	void *list[1000];
	for (int i = 0; i < 1000; i++)
		list[i] = plain_site(i + 1);
	for (int i = 0; i < 1000; i += 2)
		free(list[i]); // 2 + 4 + … + 1000 = 250500 stay
	for (int i = 0; i < 10; i++)
		calloc_site(3, 33);
	free(NULL);
}

SITE static void *zero_site(void) { void *p = malloc(0); keep = p; return p; }
void zero(void) {
	for (int i = 0; i < 5; i++)
		zero_site();
	free(zero_site());
}

SITE static void *grow_site(void *p, size_t n) { p = realloc(p, n); keep = p; return p; }
SITE static void *array_site(void *p, size_t n) { p = reallocarray(p, n, 10); keep = p; return p; }
void chain(void) {
	void *p = NULL, *q = grow_site(NULL, 10);
	for (int i = 1; i <= 200; i++)
		p = grow_site(p, i * 1000); // 200000 stay
	q = grow_site(q, SIZE_MAX / 4) ? q : keep; // can't be: 10 stay
	array_site(array_site(NULL, 5), 77); // 770 stay
	void *r = grow_site(NULL, 5000);
	r = grow_site(r, 0);
}

SITE static void *aligned_site(size_t a, size_t n) { void *p = NULL; if (posix_memalign(&p, a, n)) abort(); keep = p; return p; }
SITE static void *memalign_site(size_t a, size_t n) { void *p = memalign(a, n); keep = p; return p; }
SITE static void *aligned_alloc_site(size_t a, size_t n) { void *p = aligned_alloc(a, n); keep = p; return p; }
SITE static void *page_site(size_t n) { void *p = valloc(n); keep = p; return p; }
void aligned(void) {
	free(aligned_site(64, 100));
	aligned_site(4096, 500);
	aligned_site(64, 12);
	memalign_site(32, 33);
	aligned_alloc_site(128, 256);
	page_site(11);
}

// What a thread has allocated another frees.
SITE static void *crossing_site(size_t n) { void *p = malloc(n); keep = p; return p; }
static void *list[4000];
static void *make(void *from) {
	for (intptr_t i = (intptr_t)from; i < (intptr_t)from + 1000; i++)
		list[i] = crossing_site(50);
	return NULL;
}
static void *release(void *from) {
	for (intptr_t i = (intptr_t)from; i < (intptr_t)from + 900; i++)
		free(list[i]);
	return NULL;
}
void other_threads(void) { // 400 blocks stay
	pthread_t t[4];
	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, make, (void *)(intptr_t)(1000 * i));
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, release, (void *)(intptr_t)(1000 * i));
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
}

SITE static char *strdup_site(const char *s) { char *p = strdup(s); keep = p; return p; }
SITE static char *print_site(int n) { char *p; if (asprintf(&p, "%099d", n) < 0) abort(); keep = p; return p; }
void strings(void) {
	for (int i = 0; i < 20; i++)
		strdup_site("nineteen characters");
	print_site(1);
}

SITE static void *map_site(size_t n) { return mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); }
void mappings(void) {
	enum { MB = 1 << 20 };
	char *a = map_site(4 * MB), *b = map_site(MB), *c = map_site(3 * MB);
	munmap(a + MB, MB);           // a hole: 3 stay
	munmap(b, MB);                // 0
	c = mremap(c, 3 * MB, 5 * MB, MREMAP_MAYMOVE); // 5
	mmap(c, MB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0); // 4, and 1 of another site
	map_site(4096);
}

SITE static void *child_site(size_t n) { void *p = malloc(n); keep = p; return p; }
void in_child(void) {
	pid_t pid = fork();
	if (pid == 0) {
		for (int i = 0; i < 30; i++)
			child_site(1234);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

SITE static void *forgotten_site(int n) { void *p = malloc((size_t)n); keep = p; return p; }
void forgotten(int n) { forgotten_site(n); }

SITE static void *churn_site(void) { void *p = malloc(333); keep = p; return p; }
void churn(void) { free(churn_site()); }

void loaded(const char *path) {
	void *l = dlopen(path, RTLD_NOW);
	if (!l)
		abort();
	void (*f)(int) = (void (*)(int))dlsym(l, "library_allocates");
	f(12);
}

// For sampling: 40 MB in blocks of 3 sites, half of each freed.
SITE static void *small_site(void) { void *p = malloc(48); keep = p; return p; }
SITE static void *middle_site(void) { void *p = malloc(3000); keep = p; return p; }
SITE static void *large_site(void) { void *p = malloc(200000); keep = p; return p; }
void sampled(void) {
	// A size below zero, which the allocator refuses, leaves no credit for those that follow.
	for (int i = 1; i < 4; i++) { // the last one by a quarter of all that there is
		volatile size_t none = (size_t)i << 62;
		if (i < 3 ? realloc(NULL, none) : malloc(none))
			abort();
	}
	void *(*sites[])(void) = {small_site, middle_site, large_site};
	int counts[] = {833333, 13333, 200};
	for (int s = 0; s < 3; s++)
		for (int i = 0; i < counts[s]; i++) {
			void *p = sites[s](), *q = sites[s]();
			free(i % 2 ? p : q);
			(void)(i % 2 ? q : p);
		}
}
