//go:build cgo && linux

#define _GNU_SOURCE
#include <stdlib.h>
#include "sort.h"

/* compare is what qsort_r calls. It can't tell qsort_r to stop: so when the Go
 * function has panicked, all else is equal. */
static int compare(const void *a, const void *b, void *user) {
	struct sort *s = user;
	struct pair p = {a, b, 0};
	if (s->err == 0)
		s->err = seam_upcall(s->co, s->compare, &p);
	return p.order;
}

int64_t sort_items(seam_coro *co, void *arg) {
	struct sort *s = arg;
	s->co = co;
	qsort_r(s->base, s->count, s->size, compare, s);
	return s->err;
}
