#ifndef SEAM_TORTURE_H
#define SEAM_TORTURE_H

#include <seam/coro.h>
#include <seam/mem.h>
#include <seam/offload.h>

// What a coroutine does: a list of steps. What each of them yields is folded into a hash,
// which the Go side knows beforehand.
enum {
	STEP_VALUE,     // nothing
	STEP_UPCALL,    // Go runs the operation kid
	STEP_SLEEP,     // n ns
	STEP_NANOSLEEP, // the same by libc
	STEP_READ,      // n bytes of fd, by libc
	STEP_RECV,      // n bytes of fd, by seam_wait_fd and recv
	STEP_WRITE,     // n bytes to fd, by libc
	STEP_POLL,      // fd by libc's poll, at most n ns
	STEP_LOST,      // waits for a descriptor that somebody closes, at most n ns
	STEP_OFFLOAD,   // computes on an ordinary thread
	STEP_CALLBACK,  // there, calls an exported Go function, which runs the operation kid
	STEP_SPAWN,     // there, starts a program and waits for it
	STEP_LOCK,      // holds lock n over a sleep
	STEP_ROUND,     // rounds upward from here on
	STEP_YIELD      // yields the value
};

typedef struct {
	int32_t op, fd;
	int64_t n;
	uint64_t value, kid;
} torture_step;

typedef struct {
	torture_step *steps;
	int64_t count;
	seam_func func;
	uint64_t seed;           // of the canaries
	int64_t depth, frame;    // how deep in its stack it works, and the bytes it guards there
	int64_t loose;           // 1: the x87 control word may be another after an upcall
	int64_t shares;          // 1: its thread has other coroutines, and errno and the like go with it
	int64_t fallback;        // 1: signals interrupt libc's waits
	uint64_t hash;           // out
	int64_t begun, ended;    // out
	int64_t code, at, error; // out: what failed, in which step, with which errno
	int64_t damaged;         // out: 1 + the step after which a canary was not what it was
	int64_t wrong, reason;   // out: 1 + the step after which something else was wrong, and what
} torture_call;

enum { WRONG_SELF = 1, WRONG_ROUNDING, WRONG_STATUS, WRONG_ERRNO, WRONG_KEPT, WRONG_X87 };

// What Go gets in an upcall. It is on the coroutine's stack, between canaries.
typedef struct {
	uint64_t before, kid, out, after;
} torture_upcall;

// To be called before any of it: registers the thread-local state of which each coroutine
// has its own.
int torture_keep(void);

int64_t torture_run(seam_coro *co, void *call);

// A leaf and a function for package offload: the hash of bytes, which C then changes to
// those of another seed.
typedef struct {
	uint8_t *data;
	int64_t n;
	uint64_t seed, next, hash;
	int64_t pause; // ns, for offload
} torture_bytes;

void torture_leaf(torture_bytes *b);
int64_t torture_offload(const seam_token *t, void *bytes);

// Fills room and an arena with the bytes of a seed.
typedef struct {
	seam_bytes out;
	uint64_t seed;
	int64_t n;
} torture_fill;
void torture_fill_room(torture_fill *f);

typedef struct {
	seam_arena *arena;
	uint64_t seed;
	int64_t n;
	seam_part parts[8];
} torture_parts;
void torture_fill_arena(torture_parts *p);

// Holds a buffer, fills it, and releases it: 1 if all of that worked.
typedef struct {
	const seam_pool *pool;
	seam_buffer buffer;
	uint64_t seed;
	int64_t n, code;
} torture_buffer;
void torture_fill_buffer(torture_buffer *b);

void torture_pattern(uint8_t *p, int64_t n, uint64_t seed);
int torture_intact(const uint8_t *p, int64_t n, uint64_t seed);

// Memory between canaries, which are looked at when it is freed.
void *torture_alloc(int64_t n);
int torture_free(void *p);

void torture_close(int fd);

// From now on every nth of the calls that are made for the memory of stacks fails. 0: none.
void torture_scarce(uint64_t n);
uint64_t torture_refused(void); // how many have failed

#endif
