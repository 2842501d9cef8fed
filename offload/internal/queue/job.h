#ifndef SEAM_OFFLOAD_JOB_H
#define SEAM_OFFLOAD_JOB_H

#include <stdint.h>
#include <seam/offload.h>

#define SEAM_OFFLOAD_EVEN __attribute__((aligned(8)))  // Go's 64-bit atomics need it on 32-bit machines

// A call. Calls are in a table in C memory, and Go and C refer to them by index; 0 is none.
typedef struct {
	seam_token token;
	uintptr_t fn, arg;
	SEAM_OFFLOAD_EVEN int64_t result;
	int64_t queued_at;  // CLOCK_MONOTONIC in ns
	uint32_t next, prev;
	uint32_t state;
	uint32_t worker;    // which one ran it
} seam_job;

// The states of a call, in this order.
enum {
	SEAM_JOB_WAITING = 1,
	SEAM_JOB_RUNNING,
	SEAM_JOB_RETURNED,
	SEAM_JOB_ENDED,   // its function ended the thread
	SEAM_JOB_REFUSED  // not run: the queue was closed
};

// What one worker does and has done. Only the worker writes it, by atomic stores; Go reads
// it.
typedef struct seam_worker {
	SEAM_OFFLOAD_EVEN int64_t done;
	int64_t waited, waited_most;  // ns between the queueing of a call and its start
	int64_t ran, ran_most;        // ns in C
	int64_t busy_since;           // CLOCK_MONOTONIC in ns; 0: idle
	uintptr_t fn;                 // what it runs
	uint32_t job;                 // the call that it runs
	uint32_t index;
	void (*ended)(struct seam_worker *);  // called when the function ends the thread
	void *owner;
	char unused_[128];  // so that two never share a cache line
} seam_worker;

int64_t seam_offload_now(void);

// Fills in what a call needs once it is queued. remaining is the time to its deadline in ns,
// or INT64_MAX if there is none.
void seam_offload_prepare(seam_job *j, int64_t remaining);

// Tells a call that it is cancelled.
void seam_offload_tell(seam_job *j);

// Runs a call on this thread and records it.
void seam_offload_run(seam_worker *w, seam_job *j, uint32_t index);

// Returns 1 if this is the process's main thread.
int seam_offload_on_main_thread(void);

// Sets the name of this thread, which is the pool's until it ends.
void seam_offload_enter(const char *name);

#endif
