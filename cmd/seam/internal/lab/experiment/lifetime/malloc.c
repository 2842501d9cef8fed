//go:build cgo && linux

/* The package is compiled with malloc under this name: here it is itself again. */
#undef malloc

#include <stdint.h>
#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

void *seam_lifetime_malloc(size_t n);
uint64_t seam_lifetime_malloced(void);
int seam_lifetime_trim(void);

static uint64_t malloced;

void *seam_lifetime_malloc(size_t n) {
	/* Not one operation, which would cost more: the experiment has one thread. */
	__atomic_store_n(&malloced, __atomic_load_n(&malloced, __ATOMIC_RELAXED) + n, __ATOMIC_RELAXED);
	return malloc(n);
}

uint64_t seam_lifetime_malloced(void) { return __atomic_load_n(&malloced, __ATOMIC_RELAXED); }

int seam_lifetime_trim(void) {
#ifdef __GLIBC__
	return malloc_trim(0);
#else
	return 0;
#endif
}
