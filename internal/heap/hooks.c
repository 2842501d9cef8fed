//go:build cgo && linux && (amd64 || arm64) && !asan && !msan

// What programs call in the place of the allocator, which does the work: the next one in the order
// of the dynamic linker, libc's or another that is preloaded or linked.
#define _GNU_SOURCE
#include "heap.h"

#ifdef SEAM_UNWIND
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/types.h>

#include "kernel.h"

#define SHOWN __attribute__((visibility("default")))
#define RET __builtin_extract_return_addr(__builtin_return_address(0))

// While the next ones are looked for the dynamic linker may ask for memory: it gets some of this.
static char bootstrap[16 << 10] __attribute__((aligned(16)));
static _Atomic size_t bootstrapped;

static void *bootstrap_malloc(size_t n) {
	size_t at = atomic_fetch_add(&bootstrapped, (n + 31) & ~(size_t)15) + 16;
	if (n > sizeof bootstrap || at + n > sizeof bootstrap)
		return NULL;
	*(size_t *)(bootstrap + at - 16) = n;
	atomic_store(&seam_heap_filter[seam_heap_hash((uintptr_t)bootstrap + at)], 255); // so that free looks
	return bootstrap + at;
}

static inline int is_bootstrap(void *p) { return (uintptr_t)p - (uintptr_t)bootstrap < sizeof bootstrap; }

static void *first_malloc(size_t), *first_calloc(size_t, size_t), *first_realloc(void *, size_t), *first_memalign(size_t, size_t), *first_aligned(size_t, size_t), *first_valloc(size_t), *first_pvalloc(size_t);
static void first_free(void *);
static int first_posix(void **, size_t, size_t);

static struct {
	void *(*malloc)(size_t), *(*calloc)(size_t, size_t), *(*realloc)(void *, size_t), *(*memalign)(size_t, size_t), *(*aligned_alloc)(size_t, size_t), *(*valloc)(size_t), *(*pvalloc)(size_t);
	void (*free)(void *);
	int (*posix_memalign)(void **, size_t, size_t);
} next = {first_malloc, first_calloc, first_realloc, first_memalign, first_aligned, first_valloc, first_pvalloc, first_free, first_posix};
static __thread int resolving __attribute__((tls_model("initial-exec")));
static int nests; // the allocator's calloc and memalign call malloc: musl's

static void resolve(void) {
	resolving = 1;
#define FIND(name)                                        \
	do {                                              \
		void *f = dlsym(RTLD_NEXT, #name);        \
		if (f)                                    \
			__builtin_memcpy(&next.name, &f, sizeof f); \
	} while (0)
	FIND(calloc);
	FIND(realloc);
	FIND(memalign);
	FIND(aligned_alloc);
	FIND(valloc);
	FIND(pvalloc);
	FIND(posix_memalign);
	FIND(free);
	FIND(malloc);
#undef FIND
	nests = dlsym(RTLD_NEXT, "gnu_get_libc_version") == NULL && dlsym(RTLD_NEXT, "mallctl") == NULL && dlsym(RTLD_NEXT, "mi_malloc") == NULL;
	resolving = 0;
}

// seam_heap_allocator is a function of the allocator's.
void *seam_heap_allocator(void) {
	if (next.malloc == first_malloc)
		resolve();
	return (void *)next.malloc;
}

#define FIRST(name, failed, ...)                          \
	{                                                 \
		if (!resolving)                           \
			resolve();                        \
		if (resolving || next.name == FUNCTION)   \
			return failed;                    \
		return next.name(__VA_ARGS__);            \
	}
#define FUNCTION first_malloc
static void *first_malloc(size_t n) FIRST(malloc, bootstrap_malloc(n), n)
#undef FUNCTION
#define FUNCTION first_calloc
static void *first_calloc(size_t n, size_t m) FIRST(calloc, bootstrap_malloc(n * m), n, m)
#undef FUNCTION
#define FUNCTION first_realloc
static void *first_realloc(void *p, size_t n) FIRST(realloc, NULL, p, n)
#undef FUNCTION
#define FUNCTION first_memalign
static void *first_memalign(size_t a, size_t n) FIRST(memalign, NULL, a, n)
#undef FUNCTION
#define FUNCTION first_aligned
static void *first_aligned(size_t a, size_t n) FIRST(aligned_alloc, NULL, a, n)
#undef FUNCTION
#define FUNCTION first_valloc
static void *first_valloc(size_t n) FIRST(valloc, NULL, n)
#undef FUNCTION
#define FUNCTION first_pvalloc
static void *first_pvalloc(size_t n) FIRST(pvalloc, NULL, n)
#undef FUNCTION
#define FUNCTION first_posix
static int first_posix(void **p, size_t a, size_t n) FIRST(posix_memalign, ENOMEM, p, a, n)
#undef FUNCTION
static void first_free(void *p) {
	if (!resolving)
		resolve();
	if (!resolving && next.free != first_free)
		next.free(p);
}

// Nearly every call is passed on by a jump: the bytes are counted before, and only what is sampled
// comes back here.
#define PASSED(n) seam_heap_passes(n)

// In a frame of its own, whose caller is the hook's.
#define SAMPLED(type, ...) __attribute__((noinline)) static type __VA_ARGS__

SAMPLED(void *, sampled_malloc(size_t n, void *ret)) {
	void *p = next.malloc(n);
	seam_heap_sample(p, n, ret);
	return p;
}

SHOWN void *malloc(size_t n) {
	if (PASSED(n))
		return next.malloc(n);
	return sampled_malloc(n, RET);
}

SAMPLED(void *, sampled_calloc(size_t n, size_t m, void *ret)) {
	void *p = next.calloc(n, m);
	seam_heap_sample(p, n * m, ret);
	return p;
}

SHOWN void *calloc(size_t n, size_t m) {
	if (nests || PASSED(n * m))
		return next.calloc(n, m);
	return sampled_calloc(n, m, RET);
}

SAMPLED(void, perhaps_sampled_free(void *p)) {
	seam_heap_block b;
	if (is_bootstrap(p))
		return;
	if (p && seam_heap_forget(p, &b))
		seam_heap_freed(&b); // before somebody else gets it
	next.free(p);
}

SHOWN void free(void *p) {
	if (__builtin_expect(!seam_heap_maybe(p), 1))
		next.free(p);
	else
		perhaps_sampled_free(p);
}

SAMPLED(void *, sampled_realloc(void *p, size_t n, int counted, void *ret)) {
	if (is_bootstrap(p)) {
		void *q = malloc(n);
		size_t had = ((size_t *)p)[-2];
		if (q)
			__builtin_memcpy(q, p, had < n ? had : n);
		return q;
	}
	seam_heap_block b;
	int sampled = p && seam_heap_maybe(p) && seam_heap_forget(p, &b); // before somebody else gets it
	void *q = next.realloc(p, n);
	if (!q && n) { // it is as it was
		if (sampled)
			seam_heap_keep(&b);
	} else if (sampled)
		seam_heap_freed(&b);
	if (counted)
		seam_heap_sample(q, n, ret);
	return q;
}

SHOWN void *realloc(void *p, size_t n) {
	int counted = !PASSED(n);
	if (!counted && !seam_heap_maybe(p))
		return next.realloc(p, n);
	return sampled_realloc(p, n, counted, RET);
}

#define ALIGNED(name)                                                            \
	SAMPLED(void *, sampled_##name(size_t a, size_t n, void *ret)) {         \
		void *p = next.name(a, n);                                       \
		seam_heap_sample(p, n, ret);                                     \
		return p;                                                        \
	}                                                                        \
	SHOWN void *name(size_t a, size_t n) {                                   \
		if (nests || PASSED(n))                                          \
			return next.name(a, n);                                  \
		return sampled_##name(a, n, RET);                                \
	}
#define PAGES(name)                                                              \
	SAMPLED(void *, sampled_##name(size_t n, void *ret)) {                   \
		void *p = next.name(n);                                          \
		seam_heap_sample(p, n, ret);                                     \
		return p;                                                        \
	}                                                                        \
	SHOWN void *name(size_t n) {                                             \
		if (nests || PASSED(n))                                          \
			return next.name(n);                                     \
		return sampled_##name(n, RET);                                   \
	}
ALIGNED(memalign)
ALIGNED(aligned_alloc)
PAGES(valloc)
PAGES(pvalloc)

SAMPLED(int, sampled_posix_memalign(void **p, size_t a, size_t n, void *ret)) {
	int err = next.posix_memalign(p, a, n);
	seam_heap_sample(err ? NULL : *p, n, ret);
	return err;
}

SHOWN int posix_memalign(void **p, size_t a, size_t n) {
	if (nests || PASSED(n))
		return next.posix_memalign(p, a, n);
	return sampled_posix_memalign(p, a, n, RET);
}

// Mappings go to the kernel by libc's functions, which a sandbox may have in its place.
static void *(*next_mmap)(void *, size_t, int, int, int, off_t);
static int (*next_munmap)(void *, size_t);
static void *(*next_mremap)(void *, size_t, size_t, int, ...);

static void resolve_maps(void) {
	void *m = dlsym(RTLD_NEXT, "mmap"), *u = dlsym(RTLD_NEXT, "munmap"), *r = dlsym(RTLD_NEXT, "mremap");
	__builtin_memcpy(&next_munmap, &u, sizeof u);
	__builtin_memcpy(&next_mremap, &r, sizeof r);
	__builtin_memcpy(&next_mmap, &m, sizeof m);
}

static void *map(void *at, size_t n, int prot, int flags, int fd, off_t offset, void *ret) {
	if (!next_mmap)
		resolve_maps();
	void *p = next_mmap(at, n, prot, flags, fd, offset);
	if (p == MAP_FAILED || !seam_heap_record)
		return p;
	int err = errno;
	if (flags & MAP_FIXED)
		seam_heap_unmapped(p, n);
	if ((flags & MAP_ANONYMOUS) && prot != PROT_NONE)
		seam_heap_mapped(p, n, ret);
	errno = err;
	return p;
}

SHOWN void *mmap(void *at, size_t n, int prot, int flags, int fd, off_t offset) { return map(at, n, prot, flags, fd, offset, RET); }
#undef mmap64 // musl's is mmap
SHOWN void *mmap64(void *at, size_t n, int prot, int flags, int fd, off_t offset) { return map(at, n, prot, flags, fd, offset, RET); }

SHOWN int munmap(void *p, size_t n) {
	if (!next_munmap)
		resolve_maps();
	seam_heap_unmapped(p, n); // before somebody else gets it; that it fails is a mistake of the program's
	return next_munmap(p, n);
}

SHOWN void *mremap(void *p, size_t n, size_t m, int flags, ...) {
	va_list rest;
	va_start(rest, flags);
	void *at = flags & MREMAP_FIXED ? va_arg(rest, void *) : NULL;
	va_end(rest);
	if (!next_mremap)
		resolve_maps();
	void *q = next_mremap(p, n, m, flags, at);
	if (q != MAP_FAILED)
		seam_heap_moved(p, n, q, m, RET);
	return q;
}
#endif
