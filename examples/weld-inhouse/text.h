// A small library of the house, as many C programs have one: it reads lines of
// fields that are separated by tabs.
#ifndef TEXT_H
#define TEXT_H

#include <stddef.h>
#include <stdint.h>

// A view is a part of a text, which it does not own.
typedef struct {
	const char *at;
	size_t length;
} text_view;

// A span is where a field lies in a line. The length is -1 where there is none.
typedef struct {
	int64_t start, length;
} text_span;

// text_hash is FNV-1a.
uint64_t text_hash(text_view v);

// text_field finds field n of a line, counted from 0.
text_span text_field(text_view line, int n);

// text_number reads a decimal number. What is none is 0 with errno EINVAL,
// what is too large INT64_MAX or INT64_MIN with errno ERANGE.
int64_t text_number(text_view v);

// text_widest returns the largest of count ints. text_widest_of counts them.
int text_widest(int count, ...);
#define text_widest_of(...) text_widest((int)(sizeof((int[]){__VA_ARGS__}) / sizeof(int)), __VA_ARGS__)

// text_upper writes v in capital letters to out, which has room for its length.
void text_upper(text_view v, char *out);

// text_each calls visit for every field until that returns 0. It returns how many
// times it called.
typedef int text_visit(void *user, text_span field);
int text_each(text_view line, text_visit *visit, void *user);

// text_settle waits until so many microseconds have passed: a device of the house
// wants it.
void text_settle(unsigned microseconds);

#endif
