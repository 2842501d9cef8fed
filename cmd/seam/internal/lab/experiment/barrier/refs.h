#ifndef SEAM_LAB_BARRIER_H
#define SEAM_LAB_BARRIER_H

#include <stddef.h>
#include <stdint.h>

#include "seam/mem.h"

/* What C owns and Go refers to. */
typedef struct {
	uint64_t words[8];
} seam_barrier_thing;

/* The same, but Go does not know what is in it. */
typedef struct seam_barrier_opaque seam_barrier_opaque;

/* C lets the buffers in slots go (0: none) and keeps fresh in their place. It
 * returns how often it was refused. */
int seam_barrier_swap(const seam_pool *pool, seam_buffer *slots, const seam_buffer *fresh, size_t n);

#endif
