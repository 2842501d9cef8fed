/* One call of a libc function, described as data: so Go can have it made outside of
 * coroutines, inside, as a bare system call, and by code in a library. */
#ifndef SEAM_NETIO_TEST_OP_H
#define SEAM_NETIO_TEST_OP_H

#include <stdint.h>
#include <seam/coro.h>

enum {
	OP_READ, OP_READV, OP_RECV, OP_RECVFROM, OP_RECVMSG,
	OP_WRITE, OP_WRITEV, OP_SEND, OP_SENDTO, OP_SENDMSG,
	OP_CONNECT, OP_ACCEPT, OP_ACCEPT4,
	OP_POLL, OP_PPOLL, OP_SELECT, OP_PSELECT, OP_EPOLL_WAIT, OP_EPOLL_PWAIT, OP_EPOLL_PWAIT2,
	OP_NANOSLEEP, OP_CLOCK_NANOSLEEP, OP_USLEEP, OP_SLEEP,
	OP_CLOSE, OP_DUP2, OP_DUP3, OP_GETADDRINFO,
	/* Below is what no system call is. */
	OP_READ_CHK, OP_RECV_CHK, OP_RECVFROM_CHK, OP_POLL_CHK, OP_PPOLL_CHK,
	OP_COUNT
};

struct seam_test_pollfd {
	int32_t fd;
	int16_t events, revents;
};

struct seam_test_op {
	int32_t kind;
	int32_t fd, fd2;
	int32_t flags;
	void *buf;           /* data; getaddrinfo: host; poll: instead of fds */
	uint64_t n;
	int32_t parts;       /* iovec entries that buf is in */
	uint32_t addrlen;    /* in and out */
	uint8_t addr[128];
	int64_t timeout;     /* ns; below 0: none */
	int32_t clock;
	int32_t masked;      /* with a signal mask */
	int32_t nfds;
	uint32_t controllen; /* in and out */
	uint8_t control[128];
	struct seam_test_pollfd fds[8];
	int32_t started;     /* set before the call */
	int32_t err;         /* errno after it; 0 where the function has none */
	int64_t result;
	int64_t left;        /* ns of what a sleep or select says is left; -1 */
	int32_t msg_flags;
	int32_t again;       /* do it this often again, whatever comes of it */
};

/* What errno is before a call: a value that nothing sets. */
#define SEAM_TEST_ERRNO 4242

int64_t seam_netio_test(seam_coro *co, struct seam_test_op *op);
void seam_netio_test_plain(struct seam_test_op *op);
#endif
