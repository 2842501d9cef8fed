//go:build cgo && linux && (amd64 || arm64)

// Alternate stacks for the threads that C makes, on which the handler of a stack overflow runs. Go
// gives its own threads one, and those of C's that call Go for as long as they do; on the others the
// kernel has no place for the handler and ends the program without a word.
//
// The program has a pthread_create, which the dynamic linker finds before libc's (and the static one
// before libc's weak one). It is right because
//
//   - the thread itself sets the stack, before its function and only where it has none. What it does
//     with sigaltstack afterwards is its own affair, and ours stays mapped until it ends. Go, when
//     it is called, takes the stack that is there (minitSignalStack) and returns it;
//   - a stack is given back by the destructor of a key in the last of the rounds that libc makes, so
//     after those of Go's key and of libraries, if the thread's setting is then ours, or another's.
//     That holds for pthread_exit and cancellation too. A thread that ends by a bare system call
//     keeps its place;
//   - a thread that begins with SIGSEGV blocked, as all of Go's own, has no handler and gets none;
//   - nothing is locked or allocated by malloc: a child made by fork finds the list in order.
//
// A place costs 64 KB of addresses, and memory only for pages that a handler has used, until the
// thread ends. Slabs are never unmapped, and each is two mappings for 32 threads.
#define _GNU_SOURCE
#include "alternate.h"

#ifdef SEAM_UNWIND
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

__attribute__((weak)) _Atomic int seamalternate_on_v1;

#ifdef SEAM_ALTERNATE
#include <dlfcn.h>
#include <sys/mman.h>
#include <threads.h>

enum { SIZE = 64 << 10, IN_SLAB = 32, SLABS = 1024, PLACES = SLABS * IN_SLAB };

// What a thread begins with; next is for the list of places that are free.
typedef struct {
	void *(*f)(void *);
	void *arg;
	_Atomic uint32_t next;
} place;

static place places[PLACES];
static _Atomic uintptr_t slabs[SLABS];
static _Atomic uint32_t used;   // the places that were ever given
static _Atomic uint64_t unused; // the number of the first free one, 0 for none, below a count of changes
static pthread_key_t key;
static int has_key;

typedef int creates(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

extern creates __pthread_create __attribute__((weak));
__attribute__((used)) static int (*const with_it)(thrd_t *, thrd_start_t, void *) = thrd_create;

static void give_back(uint32_t n) {
	uint64_t head = atomic_load(&unused), with;
	do {
		atomic_store(&places[n - 1].next, (uint32_t)head);
		with = ((head >> 32) + 1) << 32 | n;
	} while (!atomic_compare_exchange_weak(&unused, &head, with));
}

static uint32_t take(void) {
	uint64_t head = atomic_load(&unused);
	while ((uint32_t)head) {
		uint64_t with = ((head >> 32) + 1) << 32 | atomic_load(&places[(uint32_t)head - 1].next);
		if (atomic_compare_exchange_weak(&unused, &head, with))
			return (uint32_t)head;
	}
	uint32_t n = atomic_load(&used);
	while (n < PLACES && !atomic_compare_exchange_weak(&used, &n, n + 1))
		;
	return n < PLACES ? n + 1 : 0;
}

// The stack at a place; 0 if there is no memory. Below a slab's first is one that can't be used.
static uintptr_t stack_at(uint32_t n) {
	_Atomic uintptr_t *slab = &slabs[(n - 1) / IN_SLAB];
	uintptr_t at = atomic_load(slab);
	if (!at) {
		void *p = mmap(NULL, (IN_SLAB + 1) * SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (p == MAP_FAILED)
			return 0;
		if (mprotect(p, SIZE, PROT_NONE) != 0 || !atomic_compare_exchange_strong(slab, &at, (uintptr_t)p))
			munmap(p, (IN_SLAB + 1) * SIZE);
		else
			at = (uintptr_t)p;
	}
	return at ? at + (1 + (n - 1) % IN_SLAB) * (uintptr_t)SIZE : 0;
}

// The key's value is the place's number, and above it how often the destructor has been called.
static void ended(void *value) {
	uintptr_t v = (uintptr_t)value, round = v >> 32;
	if (round < PTHREAD_DESTRUCTOR_ITERATIONS - 1) {
		pthread_setspecific(key, (void *)(v + ((uintptr_t)1 << 32)));
		return;
	}
	stack_t now;
	uintptr_t stack = stack_at((uint32_t)v);
	if (sigaltstack(NULL, &now) != 0)
		return;
	if ((uintptr_t)now.ss_sp == stack && !(now.ss_flags & SS_DISABLE)) {
		const stack_t none = {.ss_flags = SS_DISABLE};
		if (sigaltstack(&none, NULL) != 0)
			return; // the thread ends on it
	}
	madvise((void *)stack, SIZE, MADV_DONTNEED);
	give_back((uint32_t)v);
}

__attribute__((noinline)) static void set(uint32_t n) {
	stack_t now;
	const stack_t own = {.ss_sp = (void *)stack_at(n), .ss_size = SIZE};
	if (sigaltstack(NULL, &now) != 0 || !(now.ss_flags & SS_DISABLE) || sigaltstack(&own, NULL) != 0)
		give_back(n);
	else
		pthread_setspecific(key, (void *)(uintptr_t)n); // where that fails the place stays taken
}

// The function is jumped to: stacks have no frame of ours.
static void *begin(void *at) {
	const place here = {((place *)at)->f, ((place *)at)->arg, 0};
	set((uint32_t)((place *)at - places) + 1);
	return here.f(here.arg);
}

static creates *libcs(void) {
	static _Atomic uintptr_t found;
	uintptr_t f = atomic_load(&found);
	if (!f) {
		f = __pthread_create ? (uintptr_t)__pthread_create : (uintptr_t)dlsym(RTLD_NEXT, "pthread_create");
		atomic_store(&found, f);
	}
	return (creates *)f;
}

// In good time: who holds the loader's lock may wait for a thread that makes another.
__attribute__((constructor(101))) static void prepare(void) {
	libcs();
	has_key = pthread_key_create(&key, ended) == 0;
}

static uint32_t place_for(void *(*f)(void *), void *arg) {
	sigset_t blocked;
	if (!atomic_load(&seamalternate_on_v1) || !has_key || pthread_sigmask(SIG_BLOCK, NULL, &blocked) != 0 || sigismember(&blocked, SIGSEGV))
		return 0;
	uint32_t n = take();
	if (n && !stack_at(n)) {
		give_back(n);
		return 0;
	}
	if (n) {
		places[n - 1].f = f;
		places[n - 1].arg = arg;
	}
	return n;
}

__attribute__((weak, visibility("default"))) int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*f)(void *), void *arg) {
	creates *real = libcs();
	if (!real)
		return ENOSYS;
	int keep = errno;
	uint32_t n = place_for(f, arg);
	errno = keep;
	if (!n)
		return real(thread, attributes, f, arg);
	int err = real(thread, attributes, begin, &places[n - 1]);
	if (err)
		give_back(n);
	return err;
}
#endif
#endif
