/* What the idioms call. Each function does next to nothing, so that the way of the bytes
 * is what costs. */
#ifndef SEAM_LAB_LIFETIME_H
#define SEAM_LAB_LIFETIME_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <seam/mem.h>

/* Looks at the first and the last of n bytes, and returns their sum. n is not 0. */
uint64_t seam_lifetime_look(const uint8_t *p, size_t n);

/* Writes n bytes. */
void seam_lifetime_fill(uint8_t *p, size_t n);

/* Returns n bytes and a NUL, from malloc. */
char *seam_lifetime_make(size_t n);

/* Returns what it is given, as a callback's caller does with its user data. */
uint64_t seam_lifetime_back(uint64_t value);
void *seam_lifetime_back_pointer(void *value);

/* The same with the arguments in a struct, as leaf functions have them. */
typedef struct {
	seam_str in;
	uint64_t sum;
} seam_lifetime_look_args;

typedef struct {
	seam_bytes out;
	size_t n;
} seam_lifetime_fill_args;

typedef struct {
	const seam_pool *pool;
	seam_buffer buffer;
	size_t n;
	uint64_t sum;
	int64_t err;
} seam_lifetime_buffer_args;

typedef struct {
	seam_arena *arena;
	size_t n;
	seam_part part;
} seam_lifetime_arena_args;

void seam_lifetime_look_at(seam_lifetime_look_args *x);
void seam_lifetime_fill_at(seam_lifetime_fill_args *x);
void seam_lifetime_look_buffer(seam_lifetime_buffer_args *x);
void seam_lifetime_fill_buffer(seam_lifetime_buffer_args *x);
void seam_lifetime_fill_arena(seam_lifetime_arena_args *x);

/* How many bytes this package, its cgo included, has asked malloc for: all its calls of
 * malloc go through a counter, by a -D in its flags. From one thread at a time. */
uint64_t seam_lifetime_malloced(void);

/* Gives the system back what malloc keeps of freed memory, where it can be told to. Returns
 * whether there was any. */
int seam_lifetime_trim(void);

#endif
