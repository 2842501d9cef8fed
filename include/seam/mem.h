/* seam/mem.h: the C side of package mem. C11 and C++17, header-only.
 *
 * Strings, slices and buffers of Go as C sees them, without a copy. The structs lie as
 * the Go types of the same meaning in package mem, so a struct of arguments can be
 * written down in both languages (`seam layout` proves that it is the same):
 *
 *     // C                                      // Go
 *     typedef struct {                          type encodeArgs struct {
 *             seam_str in;                              in  mem.Str
 *             seam_bytes out;                           out mem.Bytes
 *     } encode_args;                            }
 *
 * Whose memory it is:
 *
 *   - What a seam_str, a seam_span or a seam_bytes leads to belongs to Go. C may use
 *     it until the function that was given it returns, and not later.
 *   - What a seam_buffer leads to belongs to Go too. C may use it during the call, and
 *     after it from seam_buffer_hold to seam_buffer_release.
 *   - What a seam_arena hands out belongs to Go; C may write there until it returns.
 *
 * Nothing here calls Go, allocates, locks or blocks.
 */
#ifndef SEAM_MEM_H
#define SEAM_MEM_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "token.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
	SEAM_MEM_OK = 0,
	SEAM_MEM_ESTALE = -1,  /* the buffer has been released since the handle was made */
	SEAM_MEM_EHANDLE = -2, /* no handle of this pool */
	SEAM_MEM_EHELD = -3,   /* released more often than held */
	SEAM_MEM_ELIMIT = -4,  /* held two billion times */
	SEAM_MEM_EABI = -5     /* this header is of another version than package mem, or the pool is closed */
};

/* ---- views: Go memory to read */

/* A string or the bytes of a slice. data may be NULL where len is 0; there is no NUL
 * behind it. */
typedef struct {
	const char *data;
	size_t len; /* bytes */
} seam_str;

/* A slice of any elements; which, the two sides have to agree on. */
typedef struct {
	void *data;
	size_t len; /* elements */
} seam_span;

/* ---- fill: Go memory to write into */

/* Room for a result: cap bytes at data. C writes there and sets len; where the result
 * does not fit, it sets need to the bytes that it takes in all, and is called again with
 * room for as many. The functions below do that. */
typedef struct {
	uint8_t *data;
	size_t len;  /* how many C has written */
	size_t cap;
	size_t need; /* 0: everything did fit */
} seam_bytes;

/* seam_put appends n bytes. Once something did not fit, it only counts what it
 * takes. */
static inline void seam_put(seam_bytes *b, const void *data, size_t n) {
	if (b->need != 0 || n > b->cap - b->len) {
		size_t total = (b->need != 0 ? b->need : b->len) + n;
		b->need = total < n ? SIZE_MAX : total;
		return;
	}
	if (n != 0)
		memcpy(b->data + b->len, data, n);
	b->len += n;
}

/* seam_room returns room for n bytes, which the caller then fills: they count as
 * written. NULL where they don't fit (or n is 0 and there is no room at all). */
static inline uint8_t *seam_room(seam_bytes *b, size_t n) {
	if (b->need != 0 || n > b->cap - b->len) {
		size_t total = (b->need != 0 ? b->need : b->len) + n;
		b->need = total < n ? SIZE_MAX : total;
		return NULL;
	}
	uint8_t *p = b->data + b->len;
	b->len += n;
	return p;
}

/* ---- registered buffers */

/* A buffer of a pool, by number. 0 is none. */
typedef uint64_t seam_buffer;

/* One buffer's place in the pool's table: a cache line. Not for direct use. */
typedef struct {
	uint64_t state; /* generation << 32 | SEAM_BUFFER_GO_ | holds */
	uint8_t *data;
	size_t cap;
#if UINTPTR_MAX == UINT32_MAX
	uint32_t pad_[2];
#endif
	uint64_t poisoned; /* debug mode: free, and filled with SEAM_BUFFER_FREE_ */
	uint64_t reserved_[4];
} seam_buffer_entry;

/* A pool of Go memory that C knows: seam_pool * is valid from mem.NewPool until
 * Pool.Close. Not for direct use. */
typedef struct {
	uint32_t abi;     /* SEAM_POOL_ABI_; 0 when closed */
	uint32_t tag;     /* bits 20 to 31 of its handles */
	uint32_t count;   /* entries */
	uint32_t debug;   /* 1: SEAM_MEM=debug */
	const seam_buffer_entry *entries;
} seam_pool;

#define SEAM_POOL_ABI_ 0x5ea30001u
#define SEAM_BUFFER_GO_ 0x80000000u /* Go has it */
#define SEAM_BUFFER_HOLDS_ 0x7fffffffu
#define SEAM_BUFFER_FREE_ 0xdb /* what free memory is filled with in debug mode */

/* A handle is generation << 32 | tag << 20 | index. */
static inline int seam_buffer_entry_(const seam_pool *p, seam_buffer b, uint64_t **state, const seam_buffer_entry **e) {
	if (p == NULL || __atomic_load_n(&p->abi, __ATOMIC_ACQUIRE) != SEAM_POOL_ABI_)
		return SEAM_MEM_EABI;
	uint32_t i = (uint32_t)b & 0xfffff;
	if (((uint32_t)b >> 20) != p->tag || i >= p->count)
		return SEAM_MEM_EHANDLE;
	*e = &p->entries[i];
	*state = (uint64_t *)(uintptr_t)&p->entries[i].state;
	return SEAM_MEM_OK;
}

/* seam_buffer_data finds the memory of a buffer: SEAM_MEM_OK, or an error and nothing
 * changed. data and cap may be NULL. The memory may be used until the function that was
 * given the buffer returns, or the hold ends that C has on it. */
static inline int seam_buffer_data(const seam_pool *p, seam_buffer b, uint8_t **data, size_t *cap) {
	uint64_t *state;
	const seam_buffer_entry *e;
	int err = seam_buffer_entry_(p, b, &state, &e);
	if (err != SEAM_MEM_OK)
		return err;
	uint64_t s = __atomic_load_n(state, __ATOMIC_ACQUIRE);
	if (s >> 32 != b >> 32 || (uint32_t)s == 0)
		return SEAM_MEM_ESTALE;
	if (data != NULL)
		*data = e->data;
	if (cap != NULL)
		*cap = e->cap;
	return SEAM_MEM_OK;
}

/* seam_buffer_hold lets C keep the buffer after it has returned to Go: until
 * seam_buffer_release, from any thread. Go may release it meanwhile; the memory is then
 * not used again before C has released it too. Holds are counted. */
static inline int seam_buffer_hold(const seam_pool *p, seam_buffer b) {
	uint64_t *state;
	const seam_buffer_entry *e;
	int err = seam_buffer_entry_(p, b, &state, &e);
	if (err != SEAM_MEM_OK)
		return err;
	uint64_t s = __atomic_load_n(state, __ATOMIC_ACQUIRE);
	do {
		if (s >> 32 != b >> 32 || (uint32_t)s == 0)
			return SEAM_MEM_ESTALE;
		if ((s & SEAM_BUFFER_HOLDS_) == SEAM_BUFFER_HOLDS_)
			return SEAM_MEM_ELIMIT;
	} while (!__atomic_compare_exchange_n(state, &s, s + 1, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
	return SEAM_MEM_OK;
}

/* seam_buffer_release ends a hold. When it was the last and Go has released the buffer,
 * the pool has it back and the handle is stale. */
static inline int seam_buffer_release(const seam_pool *p, seam_buffer b) {
	uint64_t *state;
	const seam_buffer_entry *e;
	int err = seam_buffer_entry_(p, b, &state, &e);
	if (err != SEAM_MEM_OK)
		return err;
	uint64_t s = __atomic_load_n(state, __ATOMIC_ACQUIRE), next, free;
	do {
		free = 0;
		if (s >> 32 != b >> 32 || (uint32_t)s == 0)
			return SEAM_MEM_ESTALE;
		if ((s & SEAM_BUFFER_HOLDS_) == 0)
			return SEAM_MEM_EHELD;
		next = s - 1;
		if ((uint32_t)next == 0) { /* free: the next generation, which is never 0 */
			free = ((next >> 32) + 1) << 32;
			if (free == 0)
				free = (uint64_t)1 << 32;
			/* Debug mode: as if Go had it, by a handle that nobody has, until it is
			 * overwritten. */
			next = p->debug ? free | SEAM_BUFFER_GO_ : free;
		}
	} while (!__atomic_compare_exchange_n(state, &s, next, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
	if (free != 0 && p->debug) {
		memset(e->data, SEAM_BUFFER_FREE_, e->cap);
		__atomic_store_n((uint64_t *)(uintptr_t)&e->poisoned, 1, __ATOMIC_RELAXED);
		__atomic_store_n(state, free, __ATOMIC_RELEASE);
	}
	return SEAM_MEM_OK;
}

/* ---- arena: a result of many parts */

/* A part of an arena, by place: what C hands to Go in place of an address. */
typedef struct {
	uint64_t at;  /* bytes from the arena's beginning */
	uint64_t len; /* bytes */
} seam_part;

/* Room that Go has made. Not for direct use. */
typedef struct {
	uint8_t *data; /* the chunk at hand */
#if UINTPTR_MAX == UINT32_MAX
	uint32_t pad_;
#endif
	uint64_t at;   /* where it begins, in bytes from the arena's beginning */
	uint64_t used; /* of the chunk */
	uint64_t cap;
	uint64_t need; /* what did not fit, in bytes; 0: everything did */
} seam_arena;

/* seam_arena_alloc returns n bytes at a multiple of align (a power of two up to 64; 0 is 1), or
 * NULL where they don't fit: Go then makes room for everything that was asked for, and
 * calls again. *part, if not NULL, is where they are. What is in them is undefined. */
static inline void *seam_arena_alloc(seam_arena *a, size_t n, size_t align, seam_part *part) {
	uint64_t slack = align > 1 ? align - 1 : 0;
	uint64_t from = (a->used + slack) & ~slack;
	if (a->need != 0 || from > a->cap || n > a->cap - from) {
		/* With the worst case of alignment, so that the second call has enough. What
		 * exceeds all numbers stays there. */
		uint64_t base = a->need != 0 ? a->need : a->used;
		a->need = base > UINT64_MAX - slack || n > UINT64_MAX - slack - base ? UINT64_MAX : base + slack + n;
		if (part != NULL)
			part->at = part->len = 0;
		return NULL;
	}
	a->used = from + n;
	if (part != NULL) {
		part->at = a->at + from;
		part->len = n;
	}
	return a->data + from;
}

/* seam_arena_put copies n bytes into the arena and returns where they are; {0, 0} where
 * they don't fit. */
static inline seam_part seam_arena_put(seam_arena *a, const void *data, size_t n) {
	seam_part part = {0, 0};
	if (n == 0)
		return part;
	void *p = seam_arena_alloc(a, n, 1, &part);
	if (p != NULL)
		memcpy(p, data, n);
	return part;
}

/* seam_arena_shrink gives back the end of what was allocated last: n bytes of the part
 * are kept. For results whose size is known only when they are there. */
static inline void seam_arena_shrink(seam_arena *a, seam_part *part, size_t n) {
	if (n < part->len && part->at + part->len == a->at + a->used) {
		a->used -= part->len - n;
		part->len = n;
	}
}

/* seam_arena_full returns 1 once something did not fit. */
static inline int seam_arena_full(const seam_arena *a) { return a->need != 0; }

/* As package mem has them. */
#ifdef __cplusplus
#define SEAM_MEM_LAYOUT_(type, size) static_assert(sizeof(type) == (size), #type " lies as in Go")
#else
#define SEAM_MEM_LAYOUT_(type, size) _Static_assert(sizeof(type) == (size), #type " lies as in Go")
#endif
SEAM_MEM_LAYOUT_(seam_str, 2 * sizeof(void *));
SEAM_MEM_LAYOUT_(seam_span, 2 * sizeof(void *));
SEAM_MEM_LAYOUT_(seam_bytes, 4 * sizeof(void *));
SEAM_MEM_LAYOUT_(seam_part, 16);
SEAM_MEM_LAYOUT_(seam_arena, 40);
SEAM_MEM_LAYOUT_(seam_buffer_entry, 64);
#undef SEAM_MEM_LAYOUT_

#ifdef __cplusplus
}

extern "C++" { /* some include headers inside of extern "C" */

#include <string_view>

namespace seam {

/* A seam_span with the type of its elements; lies as mem.Span[T] does in Go. */
template <typename T> class span {
	T *data_ = nullptr;
	size_t size_ = 0;

public:
	constexpr span() = default;
	constexpr span(T *data, size_t size) : data_(data), size_(size) {}
	explicit span(const seam_span &s) : data_(static_cast<T *>(s.data)), size_(s.len) {}
	constexpr T *data() const { return data_; }
	constexpr size_t size() const { return size_; }
	constexpr bool empty() const { return size_ == 0; }
	constexpr T *begin() const { return data_; }
	constexpr T *end() const { return data_ + size_; }
	constexpr T &operator[](size_t i) const { return data_[i]; }
};

static_assert(sizeof(span<char>) == sizeof(seam_span), "seam::span lies as seam_span");

inline std::string_view view(const seam_str &s) { return {s.data, s.len}; }

/* write puts a C++ string into Go memory. */
inline void write(seam_bytes &b, std::string_view s) { seam_put(&b, s.data(), s.size()); }

/* Builds a result in an arena. */
class arena {
	seam_arena *a_;

public:
	explicit arena(seam_arena *a) : a_(a) {}
	bool full() const { return seam_arena_full(a_) != 0; }
	seam_part put(std::string_view s) { return seam_arena_put(a_, s.data(), s.size()); }
	/* n elements, not constructed; a span of none where they don't fit. */
	template <typename T> span<T> array(size_t n, seam_part *part = nullptr) {
		static_assert(alignof(T) <= 64, "an arena aligns to 64 bytes");
		if (n > SIZE_MAX / sizeof(T)) {
			a_->need = UINT64_MAX;
			if (part != nullptr)
				*part = {0, 0};
			return {};
		}
		void *p = seam_arena_alloc(a_, n * sizeof(T), alignof(T), part);
		return p == nullptr ? span<T>() : span<T>(static_cast<T *>(p), n);
	}
};

} // namespace seam

} // extern "C++"
#endif
#endif
