// Allocators of the program's own, by their functions' names: what seam heap --alloc has made of them is a
// file of lines such as NAMED_ALLOC(0, "pool_alloc", a2), which stands in the preloaded library. A
// function gets the words that six registers hold and passes them on, so neither floating point nor what
// lies on the stack.
#define _GNU_SOURCE
#include "heap.h"

#ifdef SEAM_UNWIND
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

typedef uintptr_t word;
typedef word seam_named(word, word, word, word, word, word);

// The next function of that name in the order of the dynamic linker. A library that was loaded for itself,
// with what it needs, isn't in that order: the caller is of it.
__attribute__((noinline)) static seam_named *seam_named_find(const char *name, void *ret, seam_named *ours, seam_named **kept) {
	seam_named *next;
	void *f = dlsym(RTLD_NEXT, name);
	if (f) {
		__builtin_memcpy(&next, &f, sizeof f);
		__atomic_store_n(kept, next, __ATOMIC_RELAXED);
		return next;
	}
	Dl_info info;
	void *library = dladdr(ret, &info) ? dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : NULL;
	if (library) {
		f = dlsym(library, name);
		dlclose(library); // it is loaded: its code is running
	}
	__builtin_memcpy(&next, &f, sizeof f);
	if (f && next != ours)
		return next;
	static const char says[] = "seam heap: a function of --alloc was called and is in no library: leave it out\n";
	if (write(2, says, sizeof says - 1) < 0)
		abort();
	abort();
}

// Nobody else counts what the allocator asks malloc and mmap for meanwhile. The frame says how deep that
// is: one that was left by longjmp is forgotten by the next call that isn't below it.
#define NAMED(i, name, type)                                                                                                    \
	static type seam_named_##i(word, word, word, word, word, word, void *);                                                 \
	__attribute__((visibility("default"))) type seam_hook_##i(word, word, word, word, word, word) __asm__(name);            \
	__attribute__((visibility("default"))) type seam_hook_##i(word a1, word a2, word a3, word a4, word a5, word a6) {       \
		type result = seam_named_##i(a1, a2, a3, a4, a5, a6, __builtin_extract_return_addr(__builtin_return_address(0))); \
		__asm__ volatile("" ::: "memory"); /* no jump: the frame is looked for in stacks */                             \
		return result;                                                                                                  \
	}                                                                                                                       \
	static seam_named *seam_next_##i;                                                                                       \
	static word seam_call_##i(word a1, word a2, word a3, word a4, word a5, word a6, void *ret) {                            \
		seam_named *next = __atomic_load_n(&seam_next_##i, __ATOMIC_RELAXED);                                           \
		if (!next)                                                                                                      \
			next = seam_named_find(name, ret, (seam_named *)seam_hook_##i, &seam_next_##i);                         \
		if (seam_heap_record && !(atomic_load_explicit(&seam_heap_record->named, memory_order_relaxed) & 1u << i))      \
			atomic_fetch_or_explicit(&seam_heap_record->named, 1u << i, memory_order_relaxed);                      \
		word frame = (word)__builtin_frame_address(0), outer = seam_heap_self.named;                                    \
		if (outer < frame)                                                                                              \
			seam_heap_self.named = frame;                                                                           \
		word result = next(a1, a2, a3, a4, a5, a6);                                                                     \
		seam_heap_self.named = outer > frame ? outer : 0;                                                               \
		return result;                                                                                                  \
	}                                                                                                                       \
	__attribute__((noinline)) static type seam_named_##i(word a1, word a2, word a3, word a4, word a5, word a6, void *ret)

// Takes a block out that has been sampled: it is free, or was freed in a way that nobody has named.
static int seam_named_out(word p, seam_heap_block *b) { return p && seam_heap_record && !(seam_heap_self.named > (word)__builtin_frame_address(0)) && seam_heap_maybe((void *)p) && seam_heap_forget((void *)p, b); }

static void seam_named_made(word p, size_t n, void *ret, uint32_t kind) {
	if (seam_heap_self.named > (word)__builtin_frame_address(0))
		return; // another named function has called this one
	seam_heap_block b;
	if (seam_named_out(p, &b))
		seam_heap_freed(&b);
	if (p && !seam_heap_passes(n))
		seam_heap_sample_as((void *)p, n, ret, SEAM_HEAP_NAMED + kind);
}

#define NAMED_ALLOC(i, name, size)                                          \
	NAMED(i, name, word) {                                              \
		word p = seam_call_##i(a1, a2, a3, a4, a5, a6, ret);        \
		seam_named_made(p, size, ret, i);                           \
		return p;                                                   \
	}

#define NAMED_FREE(i, name, block)                                          \
	NAMED(i, name, word) {                                              \
		seam_heap_block b;                                          \
		if (seam_named_out(block, &b))                              \
			seam_heap_freed(&b); /* before somebody else gets it */ \
		return seam_call_##i(a1, a2, a3, a4, a5, a6, ret);          \
	}

#define NAMED_REALLOC(i, name, block, size)                                 \
	NAMED(i, name, word) {                                              \
		seam_heap_block b;                                          \
		int sampled = seam_named_out(block, &b);                    \
		word p = seam_call_##i(a1, a2, a3, a4, a5, a6, ret);        \
		if (!p && (size) != 0) { /* it is as it was */              \
			if (sampled)                                        \
				seam_heap_keep(&b);                         \
			return p;                                           \
		}                                                           \
		if (sampled)                                                \
			seam_heap_freed(&b);                                \
		seam_named_made(p, size, ret, i);                           \
		return p;                                                   \
	}
#endif
