#ifndef SEAM_OFFLOAD_NATIVE_H
#define SEAM_OFFLOAD_NATIVE_H

#ifdef __linux__
#include <pthread.h>
#include <semaphore.h>
#include "job.h"

// A queue from which C threads take calls without asking Go.
typedef struct {
	seam_job *jobs;
	seam_worker *workers;
	char name[16];
	int wake;  // eventfd: calls are completed

	// Under the lock, which is only ever held for some instructions.
	pthread_mutex_t lock SEAM_OFFLOAD_EVEN;
	uint32_t head, tail, queued;
	int32_t closing;

	// One post for each call queued, and one for each worker when the queue closes.
	// Removed calls leave theirs behind, so a worker may find no work.
	sem_t work __attribute__((aligned(64)));

	// The list of completed calls, last first. It is always taken as a whole.
	uint32_t completed __attribute__((aligned(64)));
	uint32_t asleep;  // 1 if the goroutine that takes it waits for the eventfd
	uint32_t ending;  // threads that a call has ended and that still use the queue
} seam_queue;

seam_queue *seam_queue_new(uint32_t jobs, uint32_t workers, const char *name);
void seam_queue_free(seam_queue *q);

// Even when no worker and no call is left, a thread that a call has ended may still be about
// to announce that. Waits until none will use the queue or write to wake, whose number may
// name another file once it is closed.
void seam_queue_settle(seam_queue *q);

// Takes calls and runs them until the queue is closed and empty.
void seam_queue_work(seam_queue *q, uint32_t worker);

// Completes queued calls as refused, refuses further ones and ends the workers.
void seam_queue_close(seam_queue *q, uint32_t workers);

uint32_t seam_queue_length(seam_queue *q);

// A request of Go's to the queue.
typedef struct {
	seam_queue *queue;
	int64_t remaining;  // push: see seam_offload_prepare
	uint32_t job;
} seam_queue_request;

enum {
	SEAM_QUEUE_BUSY = 0,  // the lock is taken: call the function that waits for it
	SEAM_QUEUE_PUSHED,
	SEAM_QUEUE_CLOSED,
	SEAM_QUEUE_REMOVED,
	SEAM_QUEUE_TOLD,
	SEAM_QUEUE_LATE
};

// Push queues a call. Cancel removes it if it waits, and sets its token if it runs. Those
// with one argument are leaf functions, which don't wait for the lock.
int seam_queue_push(void *request);
int seam_queue_cancel(void *request);
int seam_queue_push_wait(seam_queue *q, uint32_t job, int64_t remaining);
int seam_queue_cancel_wait(seam_queue *q, uint32_t job);

#endif
#endif
