#ifdef __linux__
#define _GNU_SOURCE
#include "native.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

seam_queue *seam_queue_new(uint32_t jobs, uint32_t workers, const char *name) {
	int err = ENOMEM;
	seam_queue *q = aligned_alloc(64, sizeof *q);
	if (!q) goto none;
	memset(q, 0, sizeof *q);
	strncpy(q->name, name, sizeof q->name - 1);
	q->jobs = calloc((size_t)jobs + 1, sizeof *q->jobs);
	if (!q->jobs) goto no_jobs;
	q->workers = calloc(workers, sizeof *q->workers);
	if (!q->workers) goto no_workers;
	q->wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (q->wake < 0) {
		err = errno;
		goto no_wake;
	}
	pthread_mutex_init(&q->lock, NULL);
	sem_init(&q->work, 0, 0);
	return q;
no_wake:
	free(q->workers);
no_workers:
	free(q->jobs);
no_jobs:
	free(q);
none:
	errno = err;
	return NULL;
}

void seam_queue_settle(seam_queue *q) {
	while (__atomic_load_n(&q->ending, __ATOMIC_ACQUIRE)) sched_yield();
}

// Go closes the eventfd, which is in its poller.
void seam_queue_free(seam_queue *q) {
	pthread_mutex_destroy(&q->lock);
	sem_destroy(&q->work);
	free(q->workers);
	free(q->jobs);
	free(q);
}

// complete hands a call over to Go. Once it is listed it is no longer ours.
static void complete(seam_queue *q, uint32_t index, uint32_t state) {
	seam_job *j = &q->jobs[index];
	__atomic_store_n(&j->state, state, __ATOMIC_RELEASE);
	uint32_t first = __atomic_load_n(&q->completed, __ATOMIC_RELAXED);
	do j->next = first;
	while (!__atomic_compare_exchange_n(&q->completed, &first, index, 1, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
	// Go sets asleep and then looks at the list. We do it the other way round, so at least
	// one side sees what the other did.
	if (__atomic_exchange_n(&q->asleep, 0, __ATOMIC_SEQ_CST)) {
		uint64_t one = 1;
		// It can fail only if the counter overflows, after 2^64 completions.
		while (write(q->wake, &one, sizeof one) < 0 && errno == EINTR) {}
	}
}

static void append(seam_queue *q, uint32_t index) {
	seam_job *j = &q->jobs[index];
	j->state = SEAM_JOB_WAITING;
	j->next = 0;
	j->prev = q->tail;
	if (q->tail)
		q->jobs[q->tail].next = index;
	else
		q->head = index;
	q->tail = index;
	q->queued++;
}

static void take_out(seam_queue *q, uint32_t index) {
	seam_job *j = &q->jobs[index];
	if (j->prev)
		q->jobs[j->prev].next = j->next;
	else
		q->head = j->next;
	if (j->next)
		q->jobs[j->next].prev = j->prev;
	else
		q->tail = j->prev;
	q->queued--;
}

static void thread_ended(seam_worker *w) {
	seam_queue *q = w->owner;
	__atomic_add_fetch(&q->ending, 1, __ATOMIC_RELAXED);
	q->jobs[w->job].worker = w->index;
	complete(q, w->job, SEAM_JOB_ENDED);
	__atomic_sub_fetch(&q->ending, 1, __ATOMIC_RELEASE);
}

void seam_queue_work(seam_queue *q, uint32_t worker) {
	seam_worker *w = &q->workers[worker];
	w->index = worker;
	w->owner = q;
	w->ended = thread_ended;
	seam_offload_enter(q->name);
	for (;;) {
		while (sem_wait(&q->work) != 0) {}  // EINTR
		pthread_mutex_lock(&q->lock);
		uint32_t index = q->head;
		int closing = q->closing;
		if (index) {
			take_out(q, index);
			q->jobs[index].state = SEAM_JOB_RUNNING;
		}
		pthread_mutex_unlock(&q->lock);
		if (index) {
			seam_offload_run(w, &q->jobs[index], index);
			complete(q, index, SEAM_JOB_RETURNED);
		} else if (closing) {
			break;
		}
	}
}

// locked tries some times to take a lock that others hold for a few instructions. If one of
// them was interrupted just then it would take longer, and we don't wait for that.
static int locked(seam_queue *q) {
	for (int i = 0; i < 50; i++) {
		if (pthread_mutex_trylock(&q->lock) == 0) return 1;
#if defined(__x86_64__) || defined(__i386__)
		__builtin_ia32_pause();
#elif defined(__aarch64__)
		__asm__ volatile("yield");
#endif
	}
	return 0;
}

// The next two are called with the lock held and release it.
static int push(seam_queue *q, uint32_t index, int64_t remaining) {
	int closing = q->closing;
	if (!closing) {
		seam_offload_prepare(&q->jobs[index], remaining);
		append(q, index);
	}
	pthread_mutex_unlock(&q->lock);
	if (closing) return SEAM_QUEUE_CLOSED;
	sem_post(&q->work);
	return SEAM_QUEUE_PUSHED;
}

static int cancel(seam_queue *q, uint32_t index) {
	seam_job *j = &q->jobs[index];
	int answer = SEAM_QUEUE_LATE;
	uint32_t state = __atomic_load_n(&j->state, __ATOMIC_ACQUIRE);
	if (state == SEAM_JOB_WAITING) {
		take_out(q, index);
		answer = SEAM_QUEUE_REMOVED;
	} else if (state == SEAM_JOB_RUNNING) {
		seam_offload_tell(j);
		answer = SEAM_QUEUE_TOLD;
	}
	pthread_mutex_unlock(&q->lock);
	return answer;
}

int seam_queue_push(void *v) {
	seam_queue_request *r = v;
	return locked(r->queue) ? push(r->queue, r->job, r->remaining) : SEAM_QUEUE_BUSY;
}

int seam_queue_cancel(void *v) {
	seam_queue_request *r = v;
	return locked(r->queue) ? cancel(r->queue, r->job) : SEAM_QUEUE_BUSY;
}

int seam_queue_push_wait(seam_queue *q, uint32_t job, int64_t remaining) {
	pthread_mutex_lock(&q->lock);
	return push(q, job, remaining);
}

int seam_queue_cancel_wait(seam_queue *q, uint32_t job) {
	pthread_mutex_lock(&q->lock);
	return cancel(q, job);
}

uint32_t seam_queue_length(seam_queue *q) {
	pthread_mutex_lock(&q->lock);
	uint32_t n = q->queued;
	pthread_mutex_unlock(&q->lock);
	return n;
}

void seam_queue_close(seam_queue *q, uint32_t workers) {
	pthread_mutex_lock(&q->lock);
	q->closing = 1;
	uint32_t index = q->head;
	q->head = q->tail = q->queued = 0;
	// They leave the queue before anybody can cancel them.
	for (uint32_t i = index; i; i = q->jobs[i].next) q->jobs[i].state = SEAM_JOB_REFUSED;
	pthread_mutex_unlock(&q->lock);
	while (index) {
		uint32_t next = q->jobs[index].next;
		complete(q, index, SEAM_JOB_REFUSED);
		index = next;
	}
	for (; workers; workers--) sem_post(&q->work);
}
#endif
