/* The other side in C, and rings between two threads of C. */
#ifndef SEAM_LAB_RINGS_PEER_H
#define SEAM_LAB_RINGS_PEER_H

#include <stddef.h>
#include <stdint.h>

enum seam_rings_op { SEAM_RINGS_THROUGHPUT, SEAM_RINGS_SPIN, SEAM_RINGS_PARK, SEAM_RINGS_USUAL };
enum { SEAM_RINGS_SPINS = 2500 }; /* some 50 us */

/* Connects to the socket and serves rings, until they end. */
void seam_rings_serve(int sock, enum seam_rings_op op);

/* The same with streams of bytes, in records of that size. */
void seam_rings_serve_stream(int in, int out, enum seam_rings_op op, size_t size);

/* Hands a number back as often as the other side says over the socket. Both words may be one. */
void seam_rings_serve_words(int sock, uint64_t *there, uint64_t *back);

struct seam_rings_threads;

/* Two threads with a ring each way. Returns 0 or an errno. */
int seam_rings_threads_new(struct seam_rings_threads **out, size_t capacity);

/* Sends n records, so many published at a time, and waits until the other thread has them. They
 * are made where they lie, or as an array that is handed over. Returns 0 or an error of
 * seam/ring.h. */
int seam_rings_threads_send(struct seam_rings_threads *t, long n, size_t size, long together, int array);

void seam_rings_threads_free(struct seam_rings_threads *t);
#endif
