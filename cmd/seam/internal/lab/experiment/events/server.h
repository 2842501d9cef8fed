/* The servers' C code. */
#ifndef SEAM_LAB_EVENTS_SERVER_H
#define SEAM_LAB_EVENTS_SERVER_H

#include <stdint.h>
#include <seam/coro.h>
#include "message.h"

/* The loop: one thread that waits by epoll, accepts and reads. What it does with
 * a request is its kind. */
#define SEAM_EVENTS_BATCH 64 /* events that epoll_wait returns at once, at most */
enum seam_events_kind {
	SEAM_EVENTS_ANSWER,   /* answers by itself */
	SEAM_EVENTS_CALLBACK, /* calls a Go function, which makes the answer, and sends it */
	SEAM_EVENTS_HAND_OVER, /* puts the connection into a queue for Go, which answers */
	SEAM_EVENTS_UPCALL     /* is a coroutine: has Go make the answers of a whole batch, and sends them */
};

struct seam_events_loop;

/* Makes a loop that accepts from a listening, non-blocking socket. Returns 0 or
 * an errno. */
int seam_events_loop_new(struct seam_events_loop **out, enum seam_events_kind kind, int listener);

/* Runs the loop; returns an errno when epoll fails, else never. */
int seam_events_loop_run(struct seam_events_loop *l);

/* Runs it on a thread of its own. Returns 0 or an errno. */
int seam_events_loop_start(struct seam_events_loop *l);

/* HAND_OVER: the eventfd that is written to when there is something in the queue. */
int seam_events_loop_ready(struct seam_events_loop *l);

/* HAND_OVER: takes up to most descriptors from the queue. Each has one request in
 * its seam_events_loop_message, which belongs to the taker until it has
 * answered. Returns how many there were. */
int seam_events_loop_take(struct seam_events_loop *l, int32_t *fds, int most);
struct seam_events_message *seam_events_loop_message(struct seam_events_loop *l, int fd);

/* UPCALL: what a batch of events has brought. */
struct seam_events_batch {
	int64_t n;
	struct seam_events_message *m[SEAM_EVENTS_BATCH];
};

/* The loop as a coroutine: it returns as seam_events_loop_run does, or what the upcall failed with. */
struct seam_events_served_loop {
	struct seam_events_loop *loop;
	seam_func handle; /* gets the batch */
};
void *seam_events_loop_address(void);

/* One connection, served by plain blocking calls on a coroutine. */
struct seam_events_connection {
	int fd;
	seam_func handle;
};

/* Returns 0 when the other side has hung up, else an errno or what the upcall
 * failed with. */
int64_t seam_events_serve(seam_coro *co, void *connection);
void *seam_events_serve_address(void);
#endif
