//go:build cgo

#include "native.h"
#include <time.h>

int64_t seam_monotonic(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void seam_call(uintptr_t f, uintptr_t arg) { ((void (*)(void *))f)((void *)arg); }
