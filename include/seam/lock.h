/* seam/lock.h: locks in coroutines. C11 and C++17, POSIX threads.
 *
 * A coroutine that waits in pthread_mutex_lock keeps its thread and the thread's place in
 * Go's scheduler. If the holder of the lock is itself a coroutine that waits (for a
 * descriptor, for time, for a Go function), it may then never run again. So take every lock
 * that is held across a switch by seam_lock. In a program with package netio on glibc
 * pthread_mutex_lock does as well.
 */
#ifndef SEAM_LOCK_H
#define SEAM_LOCK_H

#include <errno.h>
#include <pthread.h>
#include "coro.h"

#ifdef __cplusplus
extern "C" {
#endif

/* seam_lock locks m as pthread_mutex_lock does, but lets others run while it waits. It
 * returns 0, a positive errno value of pthread_mutex_trylock, or a SEAM_E… code if the call
 * was cancelled, in which case the lock is not held.
 *
 * With an executor, a mutex that checks its owner (recursive, error-checking) takes all
 * coroutines of a thread for one owner, unless there is one per thread
 * (ExecutorOptions.OnePerThread). With Floating the mutex must be of the default
 * kind, because another thread may unlock it. */
static inline int seam_lock(seam_coro *co, pthread_mutex_t *m) {
	int64_t pause = 10000; /* 10 us, up to 1 ms */
	for (;;) {
		int err = pthread_mutex_trylock(m);
		if (err != EBUSY)
			return err;
		err = seam_sleep(co, pause);
		if (err)
			return err;
		if (pause < 1000000)
			pause *= 2;
	}
}

#ifdef __cplusplus
}
#endif
#endif
