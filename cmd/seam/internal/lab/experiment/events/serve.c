//go:build linux && cgo

#include "server.h"

#include <errno.h>
#include <unistd.h>

/* Nothing here knows that it runs on a coroutine, but for the upcall. */
int64_t seam_events_serve(seam_coro *co, void *connection)
{
	struct seam_events_connection *c = connection;
	struct seam_events_message m;
	for (;;) {
		for (size_t got = 0; got < sizeof m;) {
			ssize_t n = read(c->fd, (char *)&m + got, sizeof m - got);
			if (n == 0)
				return 0;
			if (n < 0)
				return errno == ECONNRESET ? 0 : errno;
			got += (size_t)n;
		}
		int err = seam_upcall(co, c->handle, &m);
		if (err)
			return err;
		for (size_t put = 0; put < sizeof m;) {
			ssize_t n = write(c->fd, (char *)&m + put, sizeof m - put);
			if (n < 0)
				return errno;
			put += (size_t)n;
		}
	}
}

void *seam_events_serve_address(void) { return (void *)seam_events_serve; }
