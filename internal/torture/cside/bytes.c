// Leaves, calls for package offload, and what the pieces of package mem are filled with.
#define _GNU_SOURCE
#include "torture.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

// The nth byte of a seed's bytes: every offset has another, and so has every seed.
static uint8_t byte_at(uint64_t seed, int64_t n) {
	uint64_t x = (seed + (uint64_t)n) * UINT64_C(0x9E3779B97F4A7C15);
	return (uint8_t)(x >> 56);
}

void torture_pattern(uint8_t *p, int64_t n, uint64_t seed) {
	for (int64_t i = 0; i < n; i++)
		p[i] = byte_at(seed, i);
}

int torture_intact(const uint8_t *p, int64_t n, uint64_t seed) {
	for (int64_t i = 0; i < n; i++)
		if (p[i] != byte_at(seed, i))
			return 0;
	return 1;
}

void torture_leaf(torture_bytes *b) {
	b->hash = torture_intact(b->data, b->n, b->seed) ? b->seed : 0;
	torture_pattern(b->data, b->n, b->next);
}

int64_t torture_offload(const seam_token *t, void *arg) {
	torture_bytes *b = arg;
	// A little at a time, as the contract asks.
	for (int64_t left = b->pause; left > 0 && !seam_token_cancelled(t); left -= 50000) {
		struct timespec pause = {0, left < 50000 ? left : 50000};
		nanosleep(&pause, NULL);
	}
	torture_leaf(b);
	return (int64_t)b->hash;
}

void torture_fill_room(torture_fill *f) {
	uint8_t piece[64];
	for (int64_t done = 0; done < f->n;) {
		int64_t n = f->n - done < 64 ? f->n - done : 64;
		torture_pattern(piece, n, f->seed + (uint64_t)done);
		seam_put(&f->out, (const char *)piece, (size_t)n);
		done += n;
	}
}

void torture_fill_arena(torture_parts *p) {
	for (int i = 0; i < 8; i++) {
		uint8_t *data = seam_arena_alloc(p->arena, (size_t)p->n, (size_t)1 << i % 7, &p->parts[i]);
		if (data)
			torture_pattern(data, p->n, p->seed + (uint64_t)i);
	}
}

void torture_fill_buffer(torture_buffer *b) {
	uint8_t *data;
	size_t cap;
	if ((b->code = seam_buffer_hold(b->pool, b->buffer)) != SEAM_MEM_OK)
		return;
	b->code = seam_buffer_data(b->pool, b->buffer, &data, &cap);
	if (b->code == SEAM_MEM_OK && cap >= (size_t)b->n)
		torture_pattern(data, b->n, b->seed);
	int code = seam_buffer_release(b->pool, b->buffer);
	if (b->code == SEAM_MEM_OK)
		b->code = code;
}

enum { MARGIN = 64 };

void *torture_alloc(int64_t n) {
	uint8_t *p = malloc((size_t)n + 2 * MARGIN);
	if (p == NULL)
		return NULL;
	memcpy(p, &n, sizeof n);
	torture_pattern(p + sizeof n, MARGIN - sizeof n, (uint64_t)(uintptr_t)p);
	memset(p + MARGIN, 0, (size_t)n);
	torture_pattern(p + MARGIN + n, MARGIN, ~(uint64_t)(uintptr_t)p);
	return p + MARGIN;
}

int torture_free(void *memory) {
	uint8_t *p = (uint8_t *)memory - MARGIN;
	int64_t n;
	memcpy(&n, p, sizeof n);
	int intact = torture_intact(p + sizeof n, MARGIN - sizeof n, (uint64_t)(uintptr_t)p) &&
	             torture_intact(p + MARGIN + n, MARGIN, ~(uint64_t)(uintptr_t)p);
	free(p);
	return intact;
}
