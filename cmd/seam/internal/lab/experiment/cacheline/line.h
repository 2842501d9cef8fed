/* Argument structs of the same fields in three layouts, and a function for each that
 * reads all fields and leaves their sum. */
#ifndef SEAM_LAB_LINE_H
#define SEAM_LAB_LINE_H

#include <stddef.h>
#include <stdint.h>

enum { SEAM_LINE_SMALL, SEAM_LINE_LARGE };
enum { SEAM_LINE_PACKED, SEAM_LINE_NATURAL, SEAM_LINE_ALIGNED };

/* A function of one of the structs, whose address may be any. */
typedef void (*seam_line_fn)(uint8_t *args);

struct seam_line_field {
	const char *name;
	uint32_t at, size;
};

struct seam_line_layout {
	seam_line_fn fn;
	uint32_t size, align, count;
	const struct seam_line_field *fields; /* the last is the sum */
};

/* NULL where there is no such layout. */
const struct seam_line_layout *seam_line_layout(int shape, int layout);

/* The same for all layouts: what cgo calls. */
void seam_line_call(seam_line_fn fn, uint8_t *args);

/* Where malloc puts n pieces of size bytes, all of them at once. Returns how many it got. */
size_t seam_line_malloc(uintptr_t *at, size_t n, size_t size);

#endif
