//go:build cgo && linux

#include "lifetime.h"

#include <string.h>

uint64_t seam_lifetime_look(const uint8_t *p, size_t n) { return (uint64_t)p[0] + p[n - 1]; }

void seam_lifetime_fill(uint8_t *p, size_t n) { memset(p, 'x', n); }

char *seam_lifetime_make(size_t n) {
	char *p = malloc(n + 1);
	if (p != NULL) {
		memset(p, 'x', n);
		p[n] = 0;
	}
	return p;
}

uint64_t seam_lifetime_back(uint64_t value) { return value; }
void *seam_lifetime_back_pointer(void *value) { return value; }

void seam_lifetime_look_at(seam_lifetime_look_args *x) {
	x->sum = seam_lifetime_look((const uint8_t *)x->in.data, x->in.len);
}

void seam_lifetime_fill_at(seam_lifetime_fill_args *x) {
	uint8_t *p = seam_room(&x->out, x->n);
	if (p != NULL)
		seam_lifetime_fill(p, x->n);
}

void seam_lifetime_look_buffer(seam_lifetime_buffer_args *x) {
	uint8_t *p;
	x->err = seam_buffer_data(x->pool, x->buffer, &p, NULL);
	if (x->err == SEAM_MEM_OK)
		x->sum = seam_lifetime_look(p, x->n);
}

void seam_lifetime_fill_buffer(seam_lifetime_buffer_args *x) {
	uint8_t *p;
	size_t cap;
	x->err = seam_buffer_data(x->pool, x->buffer, &p, &cap);
	if (x->err == SEAM_MEM_OK)
		seam_lifetime_fill(p, x->n < cap ? x->n : cap);
}

void seam_lifetime_fill_arena(seam_lifetime_arena_args *x) {
	uint8_t *p = seam_arena_alloc(x->arena, x->n, 1, &x->part);
	if (p != NULL)
		seam_lifetime_fill(p, x->n);
}
