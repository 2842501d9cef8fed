//go:build cgo

// Coroutines without stacks of their own: the function runs on an ordinary thread, in a cgo
// call, and passes its requests to Go by a cgo callback that blocks until they are served.
#include "native.h"
#include "_cgo_export.h"

static __thread seam_coro *current;

#ifndef _WIN32
#include <pthread.h>
// A child made by fork has no Go to hand a request to.
static void in_child(void) { current = NULL; }
static __attribute__((constructor)) void at_fork(void) { pthread_atfork(NULL, NULL, in_child); }
#endif

// Where a coroutine is not on its own stack, this is what C asks next.
seam_coro *seam_coro_fallback_self(void) {
#ifdef SEAM_CORO_NATIVE_
	if (!current)
		seam_find_stray();
#endif
	return current;
}

int64_t seam_fallback_run(seam_coro *co) {
	SEAM_NO_THREAD_EXIT;
	seam_coro *outer = current; // a request that is served on this thread may start another
	current = co;
	co->result = co->fn(co, co->arg);
	current = outer;
	return co->result;
}

void seam_fallback_switch(seam_coro *co) {
	seam_coro *outer = current;
	current = NULL;
	seamCoroServe(co);
	current = outer;
}
