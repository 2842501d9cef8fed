//go:build cgo && linux

#include "work.h"

static inline int64_t fold(int64_t count) {
	if (count < 0)
		return 0;
	// One of count and count+1 is even; halve that one, so that nothing is
	// lost where the product outgrows 64 bits.
	uint64_t n = (uint64_t)count;
	return (int64_t)(((n + 1) >> 1) * (n | 1));
}

static inline int64_t nofold(int64_t count) {
	uint64_t x = 1;
	for (int64_t i = 0; i <= count; i++) {
		x = x * UINT64_C(6364136223846793005) + (uint64_t)i;
		x ^= x >> 29;
	}
	return (int64_t)x;
}

int64_t seam_grid_fold(int64_t count) { return fold(count); }

int64_t seam_grid_nofold(int64_t count) { return nofold(count); }

void seam_grid_fold_args(void *args) {
	seam_grid_args *a = args;
	a->result = fold(a->count);
}

void seam_grid_nofold_args(void *args) {
	seam_grid_args *a = args;
	a->result = nofold(a->count);
}
