#include <stdlib.h>
#include <string.h>
#include "sites.h"

// The compiler mustn't leave out what it sees to be without effect.
#define KEPT(p) __asm__ volatile("" ::"r"(p) : "memory")

void bare(long pairs) {
	while (pairs-- > 0) {
		void *p = malloc(64);
		KEPT(p);
		free(p);
	}
}

static void hold(long bytes, long size) {
	for (; bytes >= size; bytes -= size) {
		char *p = malloc(size);
		memset(p, 1, size);
		KEPT(p);
	}
}

// A tail call would take the site's frame off the stack.
#define SITE(name, size)        \
	void name(long bytes) { \
		hold(bytes, size); \
		KEPT(0L); \
	}
SITE(small_site, 48)
SITE(middle_site, 3000)
SITE(large_site, 200000)

void freed_site(long bytes) {
	for (; bytes > 0; bytes -= 500) {
		void *p = malloc(500);
		KEPT(p);
		free(p);
	}
}

// What a service asks of C: some blocks, that are gone with the answer.
void answer(long n) {
	void *p[8];
	for (int i = 0; i < 8; i++) {
		p[i] = malloc(40 + 100 * i + n % 64);
		memset(p[i], 1, 40);
	}
	for (int i = 0; i < 8; i++)
		free(p[i]);
}
