/* The other side: one thread that answers every byte after a delay. */
#ifndef SEAM_LAB_BLOCKING_PEER_H
#define SEAM_LAB_BLOCKING_PEER_H

#include <stdint.h>

struct seam_blocking_peer;

/* Starts the thread. It listens on a Unix socket whose abstract name the kernel
 * chooses and which is written to name, without the leading 0 and with one at the
 * end (room for 108 bytes). Each byte that comes over a connection is sent back
 * delay ns later; at most most answers are owed at once. Returns 0 or an errno. */
int seam_blocking_peer_new(struct seam_blocking_peer **out, int64_t delay, long most, char *name);

/* Ends the thread, closes its connections and waits until it is gone. */
void seam_blocking_peer_free(struct seam_blocking_peer *p);
#endif
