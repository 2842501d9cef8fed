#include "both.h"
#include <poll.h>
#include <seam/coro.h>
#include <sys/socket.h>
#include <unistd.h>

/* The same on a coroutine of package coro and in a function that the plan parks. */
int echo(int fd, int n) {
	char c = 0;
	if (write(fd, &c, 1) != 1)
		return -1;
	for (int i = 0; i < n; i++) {
		struct pollfd p = {fd, POLLIN, 0};
		if (poll(&p, 1, 10000) != 1 || recv(fd, &c, 1, 0) != 1 || write(fd, &c, 1) != 1)
			return i;
		usleep(1000);
	}
	return n;
}

static int64_t entry(seam_coro *co, void *arg) {
	struct echo *e = arg;
	(void)co;
	e->result = echo(e->fd, e->n);
	return 0;
}
void *echo_entry(void) { return (void *)entry; }
