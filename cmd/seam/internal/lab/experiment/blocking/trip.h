/* The C code that blocks. Its author knows nothing of Go. */
#ifndef SEAM_LAB_BLOCKING_TRIP_H
#define SEAM_LAB_BLOCKING_TRIP_H

#include <stdint.h>
#include <seam/coro.h>
#include <seam/token.h>

struct seam_blocking_trip {
	int fd;
};

/* Sends a byte and waits for the answer, with plain blocking calls. Returns 0 or
 * an errno. */
int seam_blocking_trip(struct seam_blocking_trip *t);

/* The same in the shapes that the pool and the coroutine call. */
int64_t seam_blocking_trip_offload(const seam_token *token, void *trip);
int64_t seam_blocking_trip_coro(seam_coro *co, void *trip);

void *seam_blocking_trip_offload_address(void);
void *seam_blocking_trip_coro_address(void);
#endif
