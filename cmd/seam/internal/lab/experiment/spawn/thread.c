//go:build linux && cgo

#define _GNU_SOURCE
#include "thread.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

// Signals are for Go's threads: what is started here inherits a full mask. A
// handler of the Go runtime must not run in a fork.
static void block_signals(sigset_t *old) {
	sigset_t all;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, old);
}

static void restore_signals(const sigset_t *old) { pthread_sigmask(SIG_SETMASK, old, NULL); }

static void *nothing(void *arg) { return arg; }

int seam_spawn_threads(long n) {
	sigset_t old;
	int err = 0;
	block_signals(&old);
	for (long i = 0; i < n && !err; i++) {
		pthread_t t;
		err = pthread_create(&t, NULL, nothing, NULL);
		if (!err)
			err = pthread_join(t, NULL);
	}
	restore_signals(&old);
	return err;
}

int seam_spawn_forks(long n) {
	sigset_t old;
	int err = 0;
	block_signals(&old);
	for (long i = 0; i < n && !err; i++) {
		pid_t pid = fork();
		if (pid == 0)
			_exit(0);
		if (pid < 0) {
			err = errno;
			break;
		}
		while (waitpid(pid, NULL, 0) < 0 && !err)
			if (errno != EINTR)
				err = errno;
	}
	restore_signals(&old);
	return err;
}

struct seam_park {
	pthread_mutex_t mutex;
	pthread_cond_t all_wait, released;
	int started, waiting, release;
	pthread_t threads[];
};

static void *park(void *arg) {
	struct seam_park *p = arg;
	prctl(PR_SET_NAME, "seam-parked");
	pthread_mutex_lock(&p->mutex);
	p->waiting++;
	pthread_cond_signal(&p->all_wait);
	while (!p->release)
		pthread_cond_wait(&p->released, &p->mutex);
	pthread_mutex_unlock(&p->mutex);
	return NULL;
}

int seam_park_new(struct seam_park **out, int n, int *started) {
	*started = 0;
	struct seam_park *p = calloc(1, sizeof *p + n * sizeof p->threads[0]);
	if (!p)
		return ENOMEM;
	pthread_mutex_init(&p->mutex, NULL);
	pthread_cond_init(&p->all_wait, NULL);
	pthread_cond_init(&p->released, NULL);
	sigset_t old;
	int err = 0;
	block_signals(&old);
	while (p->started < n && !(err = pthread_create(&p->threads[p->started], NULL, park, p)))
		p->started++;
	restore_signals(&old);
	*started = p->started;
	pthread_mutex_lock(&p->mutex);
	while (p->waiting < p->started)
		pthread_cond_wait(&p->all_wait, &p->mutex);
	pthread_mutex_unlock(&p->mutex);
	if (err) {
		seam_park_free(p);
		return err;
	}
	*out = p;
	return 0;
}

void seam_park_free(struct seam_park *p) {
	pthread_mutex_lock(&p->mutex);
	p->release = 1;
	pthread_cond_broadcast(&p->released);
	pthread_mutex_unlock(&p->mutex);
	for (int i = 0; i < p->started; i++)
		pthread_join(p->threads[i], NULL);
	pthread_cond_destroy(&p->released);
	pthread_cond_destroy(&p->all_wait);
	pthread_mutex_destroy(&p->mutex);
	free(p);
}
