#ifndef SEAM_NETIO_ODD_H
#define SEAM_NETIO_ODD_H

#include <seam/coro.h>

/* Reads a byte from *fd on a stack that C has made itself. Returns what read returns. */
int64_t seam_test_own_stack(seam_coro *co, int32_t *fd);

/* The same with a sleep, a poll and a signal handler that reads. Returns how many went well: 3. */
int64_t seam_test_own_stack_more(seam_coro *co, int32_t *fd);

typedef struct {
	int32_t fd, stop;
	int64_t bytes;
} seam_test_busy_args;

/* Calls something that never has to wait until told to stop: reads from fd, writes to it, or polls. */
int64_t seam_test_busy_read(seam_coro *co, seam_test_busy_args *a);
int64_t seam_test_busy_write(seam_coro *co, seam_test_busy_args *a);
int64_t seam_test_busy_poll(seam_coro *co, seam_test_busy_args *a);

/* An event loop of its own, which fd stops. Returns what epoll_wait returns, or -errno. */
int64_t seam_test_event_loop(seam_coro *co, int32_t *fd);

/* The same behind another instance. */
int64_t seam_test_nested_loop(seam_coro *co, int32_t *fd);

/* Asks the name server at the port of loopback, as the resolver's state of the thread has it. Returns
 * getaddrinfo's result. */
int64_t seam_test_own_server(seam_coro *co, int32_t *port);

/* Sends more than fits with MSG_ZEROCOPY. Returns of how many calls the kernel tells, or -errno. */
int64_t seam_test_zerocopy(seam_coro *co, int32_t *fd);
#endif
