// Threads of C's own.
#ifndef SEAM_CSYS_THREAD_H
#define SEAM_CSYS_THREAD_H

#include "kernel.h"
#include <pthread.h>
#include <signal.h>

// csys_start starts a thread for good, with so large a stack, 0 for the usual one. It takes no signals, which are for
// Go's threads, but for its own faults, of which Go's report tells, and one more if open isn't 0. It returns 0 or an errno
// value.
CSYS int csys_start(void *(*f)(void *), void *arg, size_t stack, int open, pthread_t *id) {
	static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
	pthread_attr_t a;
	sigset_t most, before;
	int i, err = pthread_attr_init(&a);
	if (err != 0)
		return err;
	pthread_attr_setdetachstate(&a, PTHREAD_CREATE_DETACHED);
	if (stack)
		pthread_attr_setstacksize(&a, stack);
	sigfillset(&most);
	for (i = 0; i < (int)(sizeof faults / sizeof *faults); i++)
		sigdelset(&most, faults[i]);
	if (open)
		sigdelset(&most, open);
	pthread_sigmask(SIG_SETMASK, &most, &before);
	err = pthread_create(id, &a, f, arg);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&a);
	return err;
}

#endif
