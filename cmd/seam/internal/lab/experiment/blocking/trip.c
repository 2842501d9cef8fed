//go:build linux && cgo

#include "trip.h"

#include <errno.h>
#include <unistd.h>

int seam_blocking_trip(struct seam_blocking_trip *t)
{
	char c = 0;
	ssize_t n;
	while ((n = write(t->fd, &c, 1)) < 0 && errno == EINTR)
		;
	if (n == 1)
		while ((n = read(t->fd, &c, 1)) < 0 && errno == EINTR)
			;
	if (n < 0)
		return errno;
	return n == 1 ? 0 : EPIPE;
}

int64_t seam_blocking_trip_offload(const seam_token *token, void *trip)
{
	(void)token;
	return seam_blocking_trip(trip);
}

int64_t seam_blocking_trip_coro(seam_coro *co, void *trip)
{
	(void)co;
	return seam_blocking_trip(trip);
}

void *seam_blocking_trip_offload_address(void) { return (void *)seam_blocking_trip_offload; }
void *seam_blocking_trip_coro_address(void) { return (void *)seam_blocking_trip_coro; }
