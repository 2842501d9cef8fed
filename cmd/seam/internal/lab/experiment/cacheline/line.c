//go:build cgo && linux

#include "line.h"

#include <stdlib.h>

/* The fields in the order in which people write them down. small has 39 bytes of them:
 * 56 with C's padding, which a line of 64 can hold or not, as it falls. large has 79: 120
 * with padding. */
#define SMALL(F) \
	F(uint8_t, kind) F(uint64_t, a) F(uint32_t, next) F(uint64_t, id) F(uint16_t, flags) F(uint64_t, key) F(uint64_t, sum)
#define LARGE(F) \
	F(uint8_t, kind) F(uint64_t, a) F(uint32_t, next) F(uint64_t, id) F(uint16_t, flags) F(uint64_t, key) \
	F(uint8_t, mode) F(uint64_t, from) F(uint32_t, length) F(uint64_t, to) F(uint16_t, port) F(uint64_t, begin) \
	F(uint64_t, end) F(uint8_t, last) F(uint64_t, sum)

#define MEMBER(type, name) type name;

struct small_packed { SMALL(MEMBER) } __attribute__((packed));
struct small_natural { SMALL(MEMBER) };
struct small_aligned { SMALL(MEMBER) } __attribute__((aligned(64)));
struct large_packed { LARGE(MEMBER) } __attribute__((packed));
struct large_natural { LARGE(MEMBER) };
struct large_aligned { LARGE(MEMBER) } __attribute__((aligned(64)));

#define ADD(type, name) sum += x->name;
#define FIELD(type, name) {#name, offsetof(S, name), sizeof(type)},

/* The sum that was there before is added and taken away again: one list of fields does. */
#define LAYOUT(SHAPE, tag) \
	static void call_##tag(uint8_t *args) { \
		struct tag *x = (struct tag *)(void *)args; \
		uint64_t sum = -x->sum; \
		SHAPE(ADD) \
		x->sum = sum; \
	}

LAYOUT(SMALL, small_packed)
LAYOUT(SMALL, small_natural)
LAYOUT(SMALL, small_aligned)
LAYOUT(LARGE, large_packed)
LAYOUT(LARGE, large_natural)
LAYOUT(LARGE, large_aligned)

#define DESCRIBE(SHAPE, tag) \
	{ \
		typedef struct tag S; \
		static const struct seam_line_field fields[] = {SHAPE(FIELD)}; \
		static const struct seam_line_layout l = {call_##tag, sizeof(S), _Alignof(S), sizeof fields / sizeof fields[0], fields}; \
		return &l; \
	}

const struct seam_line_layout *seam_line_layout(int shape, int layout) {
	switch (shape << 8 | layout) {
	case SEAM_LINE_SMALL << 8 | SEAM_LINE_PACKED: DESCRIBE(SMALL, small_packed)
	case SEAM_LINE_SMALL << 8 | SEAM_LINE_NATURAL: DESCRIBE(SMALL, small_natural)
	case SEAM_LINE_SMALL << 8 | SEAM_LINE_ALIGNED: DESCRIBE(SMALL, small_aligned)
	case SEAM_LINE_LARGE << 8 | SEAM_LINE_PACKED: DESCRIBE(LARGE, large_packed)
	case SEAM_LINE_LARGE << 8 | SEAM_LINE_NATURAL: DESCRIBE(LARGE, large_natural)
	case SEAM_LINE_LARGE << 8 | SEAM_LINE_ALIGNED: DESCRIBE(LARGE, large_aligned)
	}
	return NULL;
}

void seam_line_call(seam_line_fn fn, uint8_t *args) { fn(args); }

size_t seam_line_malloc(uintptr_t *at, size_t n, size_t size) {
	size_t got = 0;
	while (got < n) {
		void *p = malloc(size);
		if (!p)
			break;
		at[got++] = (uintptr_t)p;
	}
	for (size_t i = 0; i < got; i++)
		free((void *)at[i]);
	return got;
}
