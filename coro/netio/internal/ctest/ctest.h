#ifndef SEAM_NETIO_TEST_H
#define SEAM_NETIO_TEST_H

#include "raw.h"

/* Opens a library and returns the address of its seam_netio_test, or NULL. */
void *seam_test_open(const char *path);

/* Has a C thread read from fd and cancels it. Returns 1 when that ended it, 0 when
 * not, below 0 what failed. */
int seam_test_cancel_read(int fd);

/* The coroutine makes a child by fork, which waits, sleeps, writes to and reads from
 * the pipe. Returns the child's exit status: 0 when all went as in any process. */
int64_t seam_test_fork(seam_coro *co, int32_t *pipe);

/* The same by vfork, where the child is on the coroutine's stack and in its memory. */
int64_t seam_test_vfork(seam_coro *co, int32_t *pipe);

/* Raises a signal whose handler writes a byte to pipe[1]. Returns what it got. */
int64_t seam_test_signal(seam_coro *co, int32_t *pipe);

/* Of package coro, see its closing.c. */
void seam_coro_closing(int fd);
void seam_coro_closed(int fd);
uint64_t seam_closing_number(void);
void seam_closing_write(uint64_t seq, uint32_t fd);
typedef struct { int i, ends_errno, late_errno; long ends, late; } ctest_case;

#endif
