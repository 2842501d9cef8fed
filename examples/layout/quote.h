#ifndef SEAM_EXAMPLE_QUOTE_H
#define SEAM_EXAMPLE_QUOTE_H

#include <stdint.h>

enum side { SIDE_BID, SIDE_ASK };

struct level {
	double price;
	uint32_t size;
	uint32_t orders;
};

/* A quote of a market: what a feed handler written in C hands out. */
struct quote {
	uint64_t sequence;
	char symbol[8];
	int64_t time_ns;
	enum side side;
	uint16_t venue;
	uint8_t flags;
	struct level levels[3];
};

/* Fills n quotes, and reports how many it has filled. */
int quotes(struct quote *out, int n);

/* The sum over all levels, price times size, as C reads them. */
double worth(const struct quote *q, int n);

#endif
