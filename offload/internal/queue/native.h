#ifndef SEAM_OFFLOAD_NATIVE_H
#define SEAM_OFFLOAD_NATIVE_H

#ifdef __linux__
#include <pthread.h>
#include <semaphore.h>
#include "job.h"

// A queue of calls that C threads take from without asking Go.
typedef struct {
	seam_job *jobs;
	seam_worker *workers;
	char name[16];
	int wake;  // eventfd: calls are completed

	// Under the lock. It is held for some instructions only.
	pthread_mutex_t lock SEAM_OFFLOAD_EVEN;
	uint32_t head, tail, queued;
	int32_t closing;

	// One post for each call that was queued, and for each worker when closing.
	// Calls that were removed leave theirs behind: a worker may find no work.
	sem_t work __attribute__((aligned(64)));

	// The list of completed calls, last first. Whoever takes it takes it whole.
	uint32_t completed __attribute__((aligned(64)));
	uint32_t asleep;  // 1: the goroutine that takes it waits for the eventfd
	uint32_t ending;  // threads that a call has ended and that still use the queue
} seam_queue;

seam_queue *seam_queue_new(uint32_t jobs, uint32_t workers, const char *name);
void seam_queue_free(seam_queue *q);

// When no worker is left and no call is, threads that a call has ended may still be
// about to announce that: waits until none will use the queue, or write to wake, whose
// number would be another file's once it is closed.
void seam_queue_settle(seam_queue *q);

// Takes calls and runs them until the queue is closed and empty.
void seam_queue_work(seam_queue *q, uint32_t worker);

// Completes what is queued as refused, refuses what comes, ends the workers.
void seam_queue_close(seam_queue *q, uint32_t workers);

uint32_t seam_queue_length(seam_queue *q);

// What Go asks of the queue.
typedef struct {
	seam_queue *queue;
	int64_t remaining;  // push: see seam_offload_prepare
	uint32_t job;
} seam_queue_request;

enum {
	SEAM_QUEUE_BUSY = 0,  // the lock is taken: ask again, or by one that waits
	SEAM_QUEUE_PUSHED,
	SEAM_QUEUE_CLOSED,
	SEAM_QUEUE_REMOVED,
	SEAM_QUEUE_TOLD,
	SEAM_QUEUE_LATE
};

// Push queues a call. Cancel removes it if it waits, and sets its token if it runs.
// Those of one argument are leaf functions: they don't wait for the lock.
int seam_queue_push(void *request);
int seam_queue_cancel(void *request);
int seam_queue_push_wait(seam_queue *q, uint32_t job, int64_t remaining);
int seam_queue_cancel_wait(seam_queue *q, uint32_t job);

#endif
#endif
