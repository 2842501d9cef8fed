#include "quote.h"

#include <stdio.h>

int quotes(struct quote *out, int n)
{
	for (int i = 0; i < n; i++) {
		struct quote *q = &out[i];
		q->sequence = 1000 + (uint64_t)i;
		snprintf(q->symbol, sizeof q->symbol, "SEAM%d", i % 100);
		q->time_ns = 1700000000000000000LL + i;
		q->side = i % 2 ? SIDE_ASK : SIDE_BID;
		q->venue = (uint16_t)(7 + i);
		q->flags = (uint8_t)(i % 2);
		for (int l = 0; l < 3; l++) {
			q->levels[l].price = 100.0 + i + 0.25 * l;
			q->levels[l].size = 10u * (unsigned)(l + 1);
			q->levels[l].orders = (unsigned)l;
		}
	}
	return n;
}

double worth(const struct quote *q, int n)
{
	double sum = 0;
	for (int i = 0; i < n; i++)
		for (int l = 0; l < 3; l++)
			sum += q[i].levels[l].price * q[i].levels[l].size;
	return sum;
}
