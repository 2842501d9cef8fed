/* What C asks of Go: the result of one item, or of a batch of them. */
#ifndef SEAM_LAB_CALLBACK_H
#define SEAM_LAB_CALLBACK_H

#include <stdint.h>
#include <seam/coro.h>

struct seam_callback_item {
	int64_t value;  /* in */
	int64_t result; /* out: value + 1 */
};

#define SEAM_CALLBACK_BATCH 64

struct seam_callback_batch {
	int64_t n;
	struct seam_callback_item items[SEAM_CALLBACK_BATCH];
};

/* A run of n items, of the values 0 to n - 1. */
struct seam_callback_loop {
	int64_t n;
	uint64_t go;  /* coro: the Go function; channel: a handle of its goroutine */
	int64_t sum;  /* out: of the results */
};

/* The loops. Each asks Go for every item. */
void seam_callback_export(struct seam_callback_loop *l);
void seam_callback_export_batch(struct seam_callback_loop *l);
void seam_callback_export_channel(struct seam_callback_loop *l);
int64_t seam_callback_upcall(seam_coro *co, void *loop);
int64_t seam_callback_upcall_batch(seam_coro *co, void *loop);

/* Asks C on another stack. Returns 0 or an errno; ENOTSUP on other processors. */
int seam_callback_bare(struct seam_callback_loop *l);

void *seam_callback_upcall_address(void);
void *seam_callback_upcall_batch_address(void);

/* A thread that Go did not start and that runs seam_callback_export. */
struct seam_callback_thread;

/* Returns 0 or an errno. */
int seam_callback_thread_new(struct seam_callback_thread **out);
/* Has the thread run l and waits for its end. */
void seam_callback_thread_run(struct seam_callback_thread *t, struct seam_callback_loop *l);
/* Ends the thread and waits until it is gone. */
void seam_callback_thread_free(struct seam_callback_thread *t);
#endif
