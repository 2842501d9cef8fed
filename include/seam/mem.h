/* seam/mem.h: the C side of package mem. C11 and C++17, header-only.
 *
 * Strings, slices and buffers of Go as C sees them, without a copy. The structs have the
 * layouts of the corresponding Go types in package mem, so a struct of arguments can be
 * written in both languages (`seam layout` proves that both are the same):
 *
 *     // C                                      // Go
 *     typedef struct {                          type encodeArgs struct {
 *             seam_str in;                              in  mem.Str
 *             seam_bytes out;                           out mem.Bytes
 *     } encode_args;                            }
 *
 * Who owns the memory:
 *
 *   - What a seam_str, a seam_span or a seam_bytes points to belongs to Go. C may use it
 *     until the function that got it returns, and not later.
 *   - What a seam_buffer names belongs to Go too. C may use it during the call, and beyond
 *     it from seam_buffer_hold to seam_buffer_release.
 *   - What a seam_arena hands out belongs to Go. C may write there until it returns.
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
	SEAM_MEM_EHANDLE = -2, /* not a handle of this pool */
	SEAM_MEM_EHELD = -3,   /* released more often than held */
	SEAM_MEM_ELIMIT = -4,  /* held two billion times */
	SEAM_MEM_EABI = -5     /* the pool is closed, or this header and package mem have different versions */
};

/* ---- views: Go memory to read */

/* A string or the bytes of a slice. data may be NULL if len is 0. No NUL follows. */
typedef struct {
	const char *data;
	size_t len; /* bytes */
} seam_str;

/* A slice. Both sides must agree on the type of its elements. */
typedef struct {
	void *data;
	size_t len; /* elements */
} seam_span;

/* ---- fill: Go memory to write into */

/* Room for a result: cap bytes at data. C writes there and sets len. If the result does not
 * fit, C sets need to the bytes that it takes in all and is called again with that much
 * room. The functions below do that. */
typedef struct {
	uint8_t *data;
	size_t len;  /* how many C has written */
	size_t cap;
	size_t need; /* 0: everything fit */
} seam_bytes;

/* seam_room returns room for n bytes, which count as written and which the caller must
 * fill. It returns NULL if they don't fit (or if n is 0 and there is no room at all). Once
 * something did not fit, it only adds up what the result takes. */
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

/* seam_put appends n bytes, as seam_room does. */
static inline void seam_put(seam_bytes *b, const void *data, size_t n) {
	uint8_t *p = n != 0 ? seam_room(b, n) : NULL;
	if (p != NULL)
		memcpy(p, data, n);
}

/* ---- registered buffers */

/* The handle of a buffer of a pool. 0 is none. */
typedef uint64_t seam_buffer;

/* A buffer's entry in the pool's table, one cache line. Not for direct use. */
typedef struct {
	uint64_t state; /* generation << 32 | SEAM_BUFFER_GO_ | holds */
	uint8_t *data;
	size_t cap;
#if UINTPTR_MAX == UINT32_MAX
	uint32_t pad_[2];
#endif
	uint64_t poisoned; /* debug mode: 1 if free and filled with SEAM_BUFFER_FREE_ */
	uint64_t reserved_[4];
} seam_buffer_entry;

/* A pool of Go memory that C knows, valid from mem.NewPool until Pool.Close. Not for direct
 * use. */
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

/* seam_buffer_find_ finds the entry of a buffer and loads its state. A handle is
 * generation << 32 | tag << 20 | index. */
static inline int seam_buffer_find_(const seam_pool *p, seam_buffer b, seam_buffer_entry **e, uint64_t *s) {
	if (p == NULL || __atomic_load_n(&p->abi, __ATOMIC_ACQUIRE) != SEAM_POOL_ABI_)
		return SEAM_MEM_EABI;
	uint32_t i = (uint32_t)b & 0xfffff;
	if (((uint32_t)b >> 20) != p->tag || i >= p->count)
		return SEAM_MEM_EHANDLE;
	*e = (seam_buffer_entry *)(uintptr_t)&p->entries[i];
	*s = __atomic_load_n(&(*e)->state, __ATOMIC_ACQUIRE);
	return SEAM_MEM_OK;
}

/* seam_buffer_is_stale_ returns 1 if a buffer in state s has been released since the handle
 * was made. */
static inline int seam_buffer_is_stale_(uint64_t s, seam_buffer b) { return s >> 32 != b >> 32 || (uint32_t)s == 0; }

/* seam_buffer_data finds the memory of a buffer. It returns SEAM_MEM_OK, or an error with
 * *data and *cap unchanged. data and cap may be NULL. The memory may be used until the
 * function that got the buffer returns, or until C's hold on it ends. */
static inline int seam_buffer_data(const seam_pool *p, seam_buffer b, uint8_t **data, size_t *cap) {
	seam_buffer_entry *e;
	uint64_t s;
	int err = seam_buffer_find_(p, b, &e, &s);
	if (err != SEAM_MEM_OK)
		return err;
	if (seam_buffer_is_stale_(s, b))
		return SEAM_MEM_ESTALE;
	if (data != NULL)
		*data = e->data;
	if (cap != NULL)
		*cap = e->cap;
	return SEAM_MEM_OK;
}

/* seam_buffer_hold lets C keep the buffer after it has returned to Go, until
 * seam_buffer_release, which any thread may call. Go may release the buffer meanwhile; it is
 * then not reused before C has released it too. Holds are counted. */
static inline int seam_buffer_hold(const seam_pool *p, seam_buffer b) {
	seam_buffer_entry *e;
	uint64_t s;
	int err = seam_buffer_find_(p, b, &e, &s);
	if (err != SEAM_MEM_OK)
		return err;
	do {
		if (seam_buffer_is_stale_(s, b))
			return SEAM_MEM_ESTALE;
		if ((s & SEAM_BUFFER_HOLDS_) == SEAM_BUFFER_HOLDS_)
			return SEAM_MEM_ELIMIT;
	} while (!__atomic_compare_exchange_n(&e->state, &s, s + 1, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
	return SEAM_MEM_OK;
}

/* seam_buffer_release ends a hold. If it was the last and Go has released the buffer, the
 * pool gets it back and the handle is stale. */
static inline int seam_buffer_release(const seam_pool *p, seam_buffer b) {
	seam_buffer_entry *e;
	uint64_t s, next, free;
	int err = seam_buffer_find_(p, b, &e, &s);
	if (err != SEAM_MEM_OK)
		return err;
	do {
		free = 0;
		if (seam_buffer_is_stale_(s, b))
			return SEAM_MEM_ESTALE;
		if ((s & SEAM_BUFFER_HOLDS_) == 0)
			return SEAM_MEM_EHELD;
		next = s - 1;
		if ((uint32_t)next == 0) { /* free: the next generation, which is never 0 */
			free = ((next >> 32) + 1) << 32;
			if (free == 0)
				free = (uint64_t)1 << 32;
			/* Debug mode: as if Go had it, under a handle that nobody has, until it is
			 * overwritten. */
			next = p->debug ? free | SEAM_BUFFER_GO_ : free;
		}
	} while (!__atomic_compare_exchange_n(&e->state, &s, next, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
	if (free != 0 && p->debug) {
		memset(e->data, SEAM_BUFFER_FREE_, e->cap);
		__atomic_store_n(&e->poisoned, 1, __ATOMIC_RELAXED);
		__atomic_store_n(&e->state, free, __ATOMIC_RELEASE);
	}
	return SEAM_MEM_OK;
}

/* ---- arena: a result of many parts */

/* A part of an arena: what C passes to Go in place of an address. */
typedef struct {
	uint64_t at;  /* bytes from the arena's beginning */
	uint64_t len; /* bytes */
} seam_part;

/* Room that Go has made. Not for direct use. */
typedef struct {
	uint8_t *data; /* the current chunk */
#if UINTPTR_MAX == UINT32_MAX
	uint32_t pad_;
#endif
	uint64_t at;   /* where it begins, in bytes from the arena's beginning */
	uint64_t used; /* of the chunk */
	uint64_t cap;
	uint64_t need; /* the bytes to have room for everything; 0: everything fit */
} seam_arena;

/* seam_arena_alloc returns n bytes at a multiple of align (a power of two up to 64; 0 means
 * 1), or NULL if they don't fit: Go then makes room for everything that C asked for, and
 * calls again. *part, if part is not NULL, says where they are. Their contents are
 * undefined. */
static inline void *seam_arena_alloc(seam_arena *a, size_t n, size_t align, seam_part *part) {
	uint64_t slack = align > 1 ? align - 1 : 0;
	uint64_t from = (a->used + slack) & ~slack;
	if (a->need != 0 || from > a->cap || n > a->cap - from) {
		/* Assume the worst alignment, so that the second call has enough. The sum
		 * saturates. */
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

/* seam_arena_put copies n bytes into the arena and returns where they are, or {0, 0} if they
 * don't fit. */
static inline seam_part seam_arena_put(seam_arena *a, const void *data, size_t n) {
	seam_part part = {0, 0};
	if (n == 0)
		return part;
	void *p = seam_arena_alloc(a, n, 1, &part);
	if (p != NULL)
		memcpy(p, data, n);
	return part;
}

/* seam_arena_shrink shortens the part allocated last to n bytes. It is for results whose size
 * is known only once they are there. */
static inline void seam_arena_shrink(seam_arena *a, seam_part *part, size_t n) {
	if (n < part->len && part->at + part->len == a->at + a->used) {
		a->used -= part->len - n;
		part->len = n;
	}
}

/* seam_arena_full returns 1 once something did not fit. */
static inline int seam_arena_full(const seam_arena *a) { return a->need != 0; }

/* The sizes that package mem expects. */
#ifdef __cplusplus
#define SEAM_MEM_LAYOUT_(type, size) static_assert(sizeof(type) == (size), #type " has the layout of Go's")
#else
#define SEAM_MEM_LAYOUT_(type, size) _Static_assert(sizeof(type) == (size), #type " has the layout of Go's")
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

/* A seam_span with the type of its elements, with the layout of Go's mem.Span[T]. */
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

static_assert(sizeof(span<char>) == sizeof(seam_span), "seam::span has the layout of seam_span");

inline std::string_view view(const seam_str &s) { return {s.data, s.len}; }

/* write appends a C++ string. */
inline void write(seam_bytes &b, std::string_view s) { seam_put(&b, s.data(), s.size()); }

/* Builds a result in an arena. */
class arena {
	seam_arena *a_;

public:
	explicit arena(seam_arena *a) : a_(a) {}
	bool full() const { return seam_arena_full(a_) != 0; }
	seam_part put(std::string_view s) { return seam_arena_put(a_, s.data(), s.size()); }
	/* n elements, not constructed, or an empty span if they don't fit. */
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
