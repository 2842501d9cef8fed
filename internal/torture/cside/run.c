// The coroutine: a list of steps, deep in a stack full of canaries.
#define _GNU_SOURCE
#include "torture.h"

#include <alloca.h>
#include <errno.h>
#include <fenv.h>
#include <poll.h>
#include <pthread.h>
#include <seam/lock.h>
#include <spawn.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "_cgo_export.h"

extern char **environ;

enum { LOCKS = 4, FAILED = -1000 };

static struct {
	pthread_mutex_t mutex;
	seam_coro *holder;
} locks[LOCKS] = {
	{PTHREAD_MUTEX_INITIALIZER, NULL}, {PTHREAD_MUTEX_INITIALIZER, NULL},
	{PTHREAD_MUTEX_INITIALIZER, NULL}, {PTHREAD_MUTEX_INITIALIZER, NULL}};

static uint64_t mix(uint64_t h, uint64_t v) {
	h = (h ^ v) * UINT64_C(0x9E3779B97F4A7C15);
	return h ^ h >> 29;
}

// What libc says: 0 if a signal has interrupted it, and otherwise why the call failed, errno
// below FAILED.
static int64_t libc_failed(seam_coro *co, torture_call *c) {
	int e = errno;
	if (e == EINTR) {
		int lost = seam_sleep(co, 0);
		if (lost == 0 && c->fallback)
			return 0;
		if (lost < 0)
			return lost;
	}
	c->error = e;
	return e == ECANCELED ? SEAM_ECANCELED : e == EBADF ? SEAM_EBADF : FAILED - e;
}

static int64_t sleep_by_libc(seam_coro *co, torture_call *c, int64_t ns) {
	struct timespec t = {ns / 1000000000, ns % 1000000000};
	while (nanosleep(&t, &t) != 0) {
		int64_t code = libc_failed(co, c);
		if (code < 0)
			return code;
	}
	return 0;
}

static int64_t poll_by_libc(seam_coro *co, torture_call *c, torture_step *s) {
	struct pollfd p = {s->fd, POLLIN, 0};
	for (;;) {
		int n = poll(&p, 1, (int)(s->n / 1000000));
		if (n >= 0)
			return n > 1 ? FAILED : 0;
		int64_t code = libc_failed(co, c);
		if (code < 0)
			return code;
	}
}

static int64_t transfer(seam_coro *co, torture_call *c, torture_step *s) {
	uint8_t buf[1024], want[1024];
	torture_pattern(want, sizeof want, s->value);
	if (s->op == STEP_WRITE)
		memcpy(buf, want, sizeof buf);
	for (int64_t done = 0; done < s->n;) {
		size_t at = (size_t)done % sizeof buf, n = sizeof buf - at;
		if ((int64_t)n > s->n - done)
			n = (size_t)(s->n - done);
		ssize_t got;
		switch (s->op) {
		case STEP_WRITE:
			got = write(s->fd, buf + at, n);
			break;
		case STEP_READ:
			got = read(s->fd, buf + at, n);
			break;
		default:;
			int ready = seam_wait_fd(co, s->fd, SEAM_READ, -1);
			if (ready < 0)
				return ready;
			got = recv(s->fd, buf + at, n, MSG_DONTWAIT);
			if (got < 0 && errno == EAGAIN)
				continue;
		}
		if (got < 0) {
			int64_t code = libc_failed(co, c);
			if (code < 0)
				return code;
			continue;
		}
		if (got == 0 || (size_t)got > n || memcmp(buf + at, want + at, (size_t)got) != 0)
			return FAILED;
		done += got;
	}
	return 0;
}

struct away {
	torture_step *step;
	uint64_t out;
	int64_t code;
};

static void offloaded(void *arg) {
	struct away *a = arg;
	pid_t child;
	int status = 0;
	switch (a->step->op) {
	case STEP_CALLBACK:
		a->out = tortureCallback(a->step->kid);
		break;
	case STEP_SPAWN:
		a->out = a->step->value;
		char *argv[] = {"true", NULL};
		int err = posix_spawn(&child, "/bin/true", NULL, NULL, argv, environ);
		if (err) {
			a->code = FAILED - err;
			break;
		}
		while (waitpid(child, &status, 0) < 0 && errno == EINTR)
			;
		if (status != 0) // 127: it had no descriptor for its libraries
			a->code = WIFEXITED(status) && WEXITSTATUS(status) == 127 ? SEAM_ENOMEM : FAILED;
		break;
	default:
		a->out = a->step->value;
	}
}

static int64_t locked(seam_coro *co, torture_step *s) {
	int i = (int)(s->value % LOCKS);
	int64_t code = seam_lock(co, &locks[i].mutex);
	if (code != 0)
		return code < 0 ? code : FAILED - code;
	if (locks[i].holder != NULL)
		code = FAILED;
	locks[i].holder = co;
	int64_t slept = seam_sleep(co, s->n);
	if (locks[i].holder != co)
		code = FAILED;
	locks[i].holder = NULL;
	pthread_mutex_unlock(&locks[i].mutex);
	return code ? code : slept;
}

// One step. Returns 0 and what it yielded, or why it failed.
static int64_t step(seam_coro *co, torture_call *c, torture_step *s, uint64_t *out) {
	*out = s->value;
	switch (s->op) {
	case STEP_UPCALL: {
		torture_upcall u = {~c->seed, s->kid, 0, c->seed};
		int64_t code = seam_upcall(co, c->func, &u);
		if (u.before != ~c->seed || u.after != c->seed)
			return FAILED;
		*out = u.out;
		return code;
	}
	case STEP_SLEEP:
		return seam_sleep(co, s->n);
	case STEP_NANOSLEEP:
		return sleep_by_libc(co, c, s->n);
	case STEP_READ:
	case STEP_RECV:
	case STEP_WRITE:
		return transfer(co, c, s);
	case STEP_POLL:
		return poll_by_libc(co, c, s);
	case STEP_LOST: {
		int code = seam_wait_fd(co, s->fd, SEAM_READ, s->n);
		// Its number may name another file by now: anything but a hang is right.
		return code == SEAM_EBADF || code == SEAM_ETIMEDOUT ? 0 : code < 0 ? code : 0;
	}
	case STEP_OFFLOAD:
	case STEP_CALLBACK:
	case STEP_SPAWN: {
		struct away a = {s, 0, 0};
		int64_t code = seam_offload(co, offloaded, &a);
		*out = a.out;
		return code ? code : a.code;
	}
	case STEP_LOCK:
		return locked(co, s);
	case STEP_ROUND:
		return fesetround(FE_UPWARD) == 0 ? 0 : FAILED;
	case STEP_YIELD:
		return seam_yield(co, &s->value);
	}
	return 0;
}

// Thread-local state is reached by functions that are not inlined: the thread may be another
// after a switch.
static __thread uint64_t kept;
__attribute__((noinline)) static void *kept_address(void) { return &kept; }
__attribute__((noinline)) static void leave_marks(uint64_t mark) {
	errno = (int)(mark % 4096);
	*(volatile uint64_t *)kept_address() = mark;
}
__attribute__((noinline)) static int64_t look_at_marks(uint64_t mark, int op) {
	// What libc does may change errno.
	if (op != STEP_NANOSLEEP && op != STEP_READ && op != STEP_RECV && op != STEP_WRITE && op != STEP_POLL && errno != (int)(mark % 4096))
		return WRONG_ERRNO;
	return *(volatile uint64_t *)kept_address() == mark ? 0 : WRONG_KEPT;
}

int torture_keep(void) { return seam_keep_block(kept_address, sizeof kept); }

static void wrong(torture_call *c, int64_t step, int64_t reason) {
	c->wrong = 1 + step;
	c->reason = reason;
}

// Looks whether C rounds in this way: in the vector unit, and in x87, whose control word is
// what fegetround reads.
static void look_at_rounding(torture_call *c, int64_t step, int rounding) {
	volatile double one = 1, three = 3;
	if (one / three != (rounding == FE_UPWARD ? 0x1.5555555555556p-2 : 0x1.5555555555555p-2))
		wrong(c, step, WRONG_ROUNDING);
	else if (!c->loose && fegetround() != rounding)
		wrong(c, step, WRONG_X87);
}

__attribute__((noinline)) static int64_t steps(seam_coro *co, torture_call *c) {
	uint64_t hash = c->seed;
	int rounding = FE_TONEAREST;
	look_at_rounding(c, 0, rounding);
	for (int64_t i = 0; i < c->count; i++) {
		torture_step *s = &c->steps[i];
		uint64_t out, mark = c->seed + (uint64_t)i + 1;
		leave_marks(mark);
		int64_t code = step(co, c, s, &out);
		int64_t marks = look_at_marks(mark, s->op);
		if (marks != 0 && c->shares)
			wrong(c, i, marks);
		if (s->op == STEP_ROUND)
			rounding = FE_UPWARD;
		if (seam_self() != co)
			wrong(c, i, WRONG_SELF);
		look_at_rounding(c, i, rounding);
		if (code < 0) {
			c->code = code;
			c->at = i;
			// A call that is lost stays so.
			if (code >= SEAM_ESTOPPED && c->error == 0 && seam_sleep(co, 1) != code)
				wrong(c, i, WRONG_STATUS);
			fesetround(FE_TONEAREST);
			return code;
		}
		hash = mix(hash, out);
	}
	fesetround(FE_TONEAREST);
	c->hash = hash;
	return 0;
}

// Goes down into the stack, and looks on the way back at what it left there.
__attribute__((noinline)) static int64_t descend(seam_coro *co, torture_call *c, int64_t depth) {
	uint8_t room[240];
	uint64_t seed = c->seed + (uint64_t)depth;
	torture_pattern(room, sizeof room, seed);
	int64_t code;
	if (depth > 0) {
		code = descend(co, c, depth - 1);
	} else {
		uint8_t *frame = alloca((size_t)c->frame);
		torture_pattern(frame, c->frame, ~seed);
		code = steps(co, c);
		if (!torture_intact(frame, c->frame, ~seed))
			c->damaged = 1;
	}
	if (!torture_intact(room, sizeof room, seed))
		c->damaged = 1;
	return code;
}

int64_t torture_run(seam_coro *co, void *arg) {
	torture_call *c = arg;
	c->begun++;
	int64_t code = descend(co, c, c->depth);
	c->ended++;
	return code;
}

void torture_close(int fd) { close(fd); }
