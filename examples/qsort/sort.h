#include <seam/coro.h>

struct sort {
	void *base;
	size_t count, size;
	seam_func compare; /* a Go function of a struct pair */

	seam_coro *co;
	int err; /* not 0: the Go function is lost, ask no more */
};

struct pair {
	const void *a, *b;
	int order; /* out: below, equal to or above 0, as a is to b */
};

int64_t sort_items(seam_coro *co, void *arg);
