//go:build linux && cgo

#define _GNU_SOURCE
#include "peer.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// Whose turn it is, for futex peers.
enum { STARTING, OURS, THEIRS, STOP };

enum { LINE_WORDS = 64 / sizeof(uint64_t) };

struct seam_peer {
	enum seam_kind kind;
	uint64_t *ours, *theirs;
	size_t words;
	int to_peer[2], to_us[2]; // pipes; -1: closed or none
	_Atomic uint32_t turn;
	pthread_t thread;
	int tid;
	int cpu; // where the peer is pinned; -1: nowhere yet
};

// The same loop as touch in touch.go. The barrier keeps the compiler from
// merging two touches; it does not stop it from adding in memory.
static __attribute__((noinline)) void touch(uint64_t *buf, size_t words) {
	for (size_t i = 0; i < words; i += LINE_WORDS)
		buf[i]++;
	__asm__ volatile("" : : "r"(buf) : "memory");
}

void seam_touch_turns(uint64_t *ours, uint64_t *theirs, size_t words, long n) {
	for (long i = 0; i < n; i++)
		touch(i & 1 ? theirs : ours, words);
}

static int put(int fd) {
	char c = 0;
	ssize_t n;
	do
		n = write(fd, &c, 1);
	while (n < 0 && errno == EINTR);
	return n == 1 ? 0 : EPIPE;
}

static int get(int fd) {
	char c;
	ssize_t n;
	do
		n = read(fd, &c, 1);
	while (n < 0 && errno == EINTR);
	return n == 1 ? 0 : EPIPE;
}

static void futex_wait(struct seam_peer *p, uint32_t while_is) {
	syscall(SYS_futex, &p->turn, FUTEX_WAIT_PRIVATE, while_is, NULL, NULL, 0);
}

static void futex_pass(struct seam_peer *p, uint32_t to) {
	atomic_store(&p->turn, to);
	syscall(SYS_futex, &p->turn, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

// serve_pipe is the peer's life in a thread as in a process. It ends when the
// other side closes its pipe, which the kernel does for a process that died.
static void serve_pipe(int in, int out, uint64_t *buf, size_t words) {
	if (put(out)) // ready
		return;
	while (get(in) == 0) {
		touch(buf, words);
		if (put(out))
			return;
	}
}

static void serve_futex(struct seam_peer *p) {
	futex_pass(p, OURS); // ready
	for (;;) {
		uint32_t turn;
		while ((turn = atomic_load(&p->turn)) == OURS)
			futex_wait(p, OURS);
		if (turn == STOP)
			return;
		touch(p->theirs, p->words);
		futex_pass(p, OURS);
	}
}

static void *thread_main(void *arg) {
	struct seam_peer *p = arg;
	p->tid = (int)syscall(SYS_gettid);
	prctl(PR_SET_NAME, "seam-peer");
	if (p->kind == SEAM_FUTEX)
		serve_futex(p);
	else
		serve_pipe(p->to_peer[0], p->to_us[1], p->theirs, p->words);
	return NULL;
}

// child_main runs in a forked copy of a Go program, where only
// async-signal-safe calls are allowed. All signals stay blocked: a handler of
// the Go runtime must not run here. The copies of the program's descriptors
// are closed, so that no one waits for the end of a pipe because of us, and so
// that our own pipe ends when the parent does. (PR_SET_PDEATHSIG would not do:
// it follows the thread that forked, and Go may end that one earlier.)
static void child_main(struct seam_peer *p) {
	prctl(PR_SET_NAME, "seam-peer");
	if (dup2(p->to_peer[0], 0) < 0 || dup2(p->to_us[1], 1) < 0)
		_exit(1);
#ifdef SYS_close_range
	if (syscall(SYS_close_range, 2, ~0U, 0) != 0)
#endif
	{
		long most = sysconf(_SC_OPEN_MAX); // before Linux 5.9
		if (most < 0 || most > 65536)
			most = 65536;
		for (int fd = 2; fd < most; fd++)
			close(fd);
	}
	serve_pipe(0, 1, p->theirs, p->words);
	_exit(0);
}

static void shut(int *fd) {
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static int start_thread(struct seam_peer *p) {
	pthread_attr_t attr;
	int err = pthread_attr_init(&attr);
	if (err)
		return err;
	pthread_attr_setstacksize(&attr, 256 << 10); // a wish: the default would do too
	err = pthread_create(&p->thread, &attr, thread_main, p);
	pthread_attr_destroy(&attr);
	if (err)
		return err;
	if (p->kind == SEAM_FUTEX) {
		while (atomic_load(&p->turn) == STARTING)
			futex_wait(p, STARTING);
		return 0;
	}
	return get(p->to_us[0]);
}

static int start_process(struct seam_peer *p) {
	pid_t pid = fork();
	if (pid < 0)
		return errno;
	if (pid == 0)
		child_main(p); // does not return
	p->tid = pid;
	shut(&p->to_peer[0]);
	shut(&p->to_us[1]); // now a dead peer is the end of our pipe
	return get(p->to_us[0]);
}

int seam_peer_new(struct seam_peer **out, enum seam_kind kind,
                  uint64_t *ours, uint64_t *theirs, size_t words) {
	struct seam_peer *p = calloc(1, sizeof *p);
	if (!p)
		return ENOMEM;
	*p = (struct seam_peer){.kind = kind, .ours = ours, .theirs = theirs, .words = words,
	                        .to_peer = {-1, -1}, .to_us = {-1, -1}, .turn = STARTING, .cpu = -1};
	int err = 0;
	if (kind != SEAM_FUTEX && (pipe2(p->to_peer, O_CLOEXEC) || pipe2(p->to_us, O_CLOEXEC)))
		err = errno;
	if (!err) {
		// Signals are for Go's threads; the peer inherits a full mask.
		sigset_t all, old;
		sigfillset(&all);
		pthread_sigmask(SIG_SETMASK, &all, &old);
		err = kind == SEAM_PROCESS ? start_process(p) : start_thread(p);
		pthread_sigmask(SIG_SETMASK, &old, NULL);
	}
	if (err) {
		seam_peer_free(p);
		return err;
	}
	*out = p;
	return 0;
}

static int rounds_pipe(struct seam_peer *p, long rounds) {
	for (long i = 0; i < rounds; i++) {
		if (put(p->to_peer[1]) || get(p->to_us[0]))
			return EPIPE;
		touch(p->ours, p->words);
	}
	return 0;
}

static void rounds_futex(struct seam_peer *p, long rounds) {
	for (long i = 0; i < rounds; i++) {
		futex_pass(p, THEIRS);
		while (atomic_load(&p->turn) == THEIRS)
			futex_wait(p, THEIRS);
		touch(p->ours, p->words);
	}
}

int seam_peer_run(struct seam_peer *p, long rounds) {
	cpu_set_t before, one;
	if (sched_getaffinity(0, sizeof before, &before))
		return errno;
	// Stay where we are, which is cheap, and let the peer come: it is asleep.
	int cpu = sched_getcpu();
	if (cpu < 0 || cpu >= CPU_SETSIZE)
		return EINVAL;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	if (sched_setaffinity(0, sizeof one, &one))
		return errno;
	int err = 0;
	if (cpu != p->cpu) {
		if (sched_setaffinity(p->tid, sizeof one, &one))
			err = errno;
		else
			p->cpu = cpu;
	}
	if (!err && p->kind == SEAM_FUTEX)
		rounds_futex(p, rounds);
	else if (!err)
		err = rounds_pipe(p, rounds);
	if (sched_setaffinity(0, sizeof before, &before) && !err)
		err = errno;
	return err;
}

int seam_peer_tid(struct seam_peer *p) { return p->tid; }

void seam_peer_free(struct seam_peer *p) {
	if (p->kind == SEAM_PROCESS && p->tid) {
		kill(p->tid, SIGKILL);
		while (waitpid(p->tid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	if (p->kind == SEAM_FUTEX && p->tid)
		futex_pass(p, STOP);
	shut(&p->to_peer[1]); // the end of serve_pipe
	if (p->kind != SEAM_PROCESS && p->tid)
		pthread_join(p->thread, NULL);
	shut(&p->to_peer[0]);
	shut(&p->to_us[0]);
	shut(&p->to_us[1]);
	free(p);
}
