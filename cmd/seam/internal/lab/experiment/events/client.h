/* The load: one thread that keeps a number of requests under way over many
 * connections. */
#ifndef SEAM_LAB_EVENTS_CLIENT_H
#define SEAM_LAB_EVENTS_CLIENT_H

#include <stdint.h>

struct seam_events_client;

struct seam_events_load {
	int inflight;          /* requests under way, at most as many as connections */
	int64_t ns;            /* how long to ask */
	int64_t room;          /* of latency */
	uint32_t *latency;     /* out: ns of each answer, of the first room ones */
	int64_t answers, took; /* out: how many came, and ns from the first request to the last answer */
};

/* Connects to a port of this computer and sends one request over every
 * connection, so that the server is known to serve each. Returns 0 or an errno,
 * EPROTO where an answer is wrong. */
int seam_events_client_new(struct seam_events_client **out, int port, int connections);

/* Asks for l->ns, with l->inflight requests under way, over all connections in turn.
 * Returns as seam_events_client_new does; ETIMEDOUT where answers stay out. */
int seam_events_client_run(struct seam_events_client *c, struct seam_events_load *l);

/* Closes the connections. */
void seam_events_client_free(struct seam_events_client *c);
#endif
