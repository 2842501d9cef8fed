//go:build cgo && linux && !android && (amd64 || arm64)

// C as libraries have it that does more than a call.
#define _GNU_SOURCE
#include "odd.h"
#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <resolv.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

// ---- stacks of its own

typedef struct {
	ucontext_t back, own;
	int fd;
	int64_t got;
} fiber;

static void run_fiber(unsigned low, unsigned high, void (*f)(fiber *)) {
	f((fiber *)((uintptr_t)high << 32 | low));
}

static void on_own_stack(fiber *b, void (*f)(fiber *)) {
	enum { SIZE = 256 << 10 };
	char *stack = malloc(SIZE);
	getcontext(&b->own);
	b->own.uc_stack.ss_sp = stack;
	b->own.uc_stack.ss_size = SIZE;
	b->own.uc_link = &b->back;
	makecontext(&b->own, (void (*)(void))run_fiber, 3, (unsigned)(uintptr_t)b, (unsigned)((uintptr_t)b >> 32), f);
	swapcontext(&b->back, &b->own);
	free(stack);
}

static void read_byte(fiber *b) {
	char c;
	b->got = read(b->fd, &c, 1);
}

int64_t seam_test_own_stack(seam_coro *co, int32_t *fd) {
	fiber b = {.fd = *fd};
	(void)co;
	on_own_stack(&b, read_byte);
	return b.got;
}

static __thread volatile int handler_fd, handler_got;

static void handler(int sig) {
	char c;
	(void)sig;
	handler_got = read(handler_fd, &c, 1) == 1; // must not switch
}

static void more(fiber *b) {
	struct timespec t = {0, 1000000};
	struct pollfd p = {b->fd, POLLIN, 0};
	int pipes[2];
	struct sigaction a = {0};
	b->got = nanosleep(&t, NULL) == 0;
	b->got += poll(&p, 1, -1) == 1;
	if (pipe(pipes) != 0)
		return;
	if (write(pipes[1], "x", 1) != 1)
		return;
	handler_fd = pipes[0];
	handler_got = 0;
	a.sa_handler = handler;
	a.sa_flags = SA_ONSTACK;
	sigaction(SIGUSR2, &a, NULL); // and it stays: others raise it too
	raise(SIGUSR2);
	b->got += handler_got;
	close(pipes[0]);
	close(pipes[1]);
}

int64_t seam_test_own_stack_more(seam_coro *co, int32_t *fd) {
	fiber b = {.fd = *fd};
	(void)co;
	on_own_stack(&b, more);
	return b.got;
}

// ---- calls that need not wait

static int stops(seam_test_busy_args *a) { return __atomic_load_n(&a->stop, __ATOMIC_ACQUIRE); }

int64_t seam_test_busy_read(seam_coro *co, seam_test_busy_args *a) {
	char b[256];
	(void)co;
	while (!stops(a)) {
		ssize_t n = read(a->fd, b, sizeof b);
		if (n <= 0)
			return -1;
		__atomic_add_fetch(&a->bytes, n, __ATOMIC_RELAXED);
	}
	return 0;
}

int64_t seam_test_busy_write(seam_coro *co, seam_test_busy_args *a) {
	static const char b[256];
	(void)co;
	while (!stops(a)) {
		ssize_t n = write(a->fd, b, sizeof b);
		if (n <= 0)
			return -1;
		__atomic_add_fetch(&a->bytes, n, __ATOMIC_RELAXED);
	}
	return 0;
}

int64_t seam_test_busy_poll(seam_coro *co, seam_test_busy_args *a) {
	(void)co;
	while (!stops(a)) {
		struct pollfd p = {a->fd, POLLIN | POLLOUT, 0};
		if (poll(&p, 1, 0) < 0)
			return -1;
		__atomic_add_fetch(&a->bytes, 1, __ATOMIC_RELAXED);
	}
	return 0;
}

// ---- event loops

int64_t seam_test_event_loop(seam_coro *co, int32_t *fd) {
	struct epoll_event e = {.events = EPOLLIN};
	int loop = epoll_create1(EPOLL_CLOEXEC);
	(void)co;
	if (loop < 0 || epoll_ctl(loop, EPOLL_CTL_ADD, *fd, &e) != 0)
		return -errno;
	int n = epoll_wait(loop, &e, 1, -1), err = errno;
	close(loop);
	return n < 0 ? -err : n;
}

// The kernel allows four instances behind each other, of which a poller of package coro would be the fifth.
int64_t seam_test_nested_loop(seam_coro *co, int32_t *fd) {
	enum { DEPTH = 5 };
	struct epoll_event e = {.events = EPOLLIN};
	int loops[DEPTH], i, below = *fd;
	(void)co;
	for (i = 0; i < DEPTH; i++) {
		loops[i] = epoll_create1(EPOLL_CLOEXEC);
		if (epoll_ctl(loops[i], EPOLL_CTL_ADD, below, &e) != 0)
			break;
		below = loops[i];
	}
	int n = epoll_wait(below, &e, 1, -1), err = errno;
	for (; i >= 0; i--)
		if (i < DEPTH)
			close(loops[i]);
	return n < 0 ? -err : n;
}

// ---- the resolver

int64_t seam_test_own_server(seam_coro *co, int32_t *port) {
	struct addrinfo *l = NULL;
	(void)co;
	res_init();
	_res.nscount = 1;
	_res.retrans = 1;
	_res.retry = 2;
	_res.nsaddr_list[0].sin_family = AF_INET;
	_res.nsaddr_list[0].sin_port = htons((uint16_t)*port);
	_res.nsaddr_list[0].sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	int r = getaddrinfo("seam.example", "80", NULL, &l);
	if (r == 0)
		freeaddrinfo(l);
	return r;
}

// ---- sending without a copy

int64_t seam_test_zerocopy(seam_coro *co, int32_t *fd) {
	enum { SIZE = 8 << 20 };
	int one = 1, sent = 0;
	(void)co;
	if (setsockopt(*fd, SOL_SOCKET, 60 /* SO_ZEROCOPY */, &one, sizeof one) != 0)
		return -errno;
	char *data = calloc(1, SIZE);
	ssize_t n = send(*fd, data, SIZE, 0x4000000 /* MSG_ZEROCOPY */);
	if (n != SIZE) {
		free(data);
		return n < 0 ? -errno : -EMSGSIZE;
	}
	while (sent == 0) {
		char control[256];
		struct msghdr m = {.msg_control = control, .msg_controllen = sizeof control};
		struct pollfd p = {*fd, 0, 0};
		if (poll(&p, 1, 10000) != 1 || recvmsg(*fd, &m, MSG_ERRQUEUE) < 0)
			break;
		struct cmsghdr *c = CMSG_FIRSTHDR(&m);
		uint32_t words[4]; // struct sock_extended_err: the last of the calls is ee_data
		if (!c)
			break;
		memcpy(words, CMSG_DATA(c), sizeof words);
		sent = (int)words[3] + 1;
	}
	free(data);
	return sent;
}
