//go:build cgo

// Coroutines without stacks of their own: the function runs on an ordinary thread, in a cgo
// call, and passes its requests to Go by a cgo callback that blocks until they are served.
#include "native.h"
#include "_cgo_export.h"
#include <stdlib.h>

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

seam_coro *seam_fallback_new(void) {
	seam_coro *co = calloc(1, sizeof *co);
	if (!co)
		abort(); // as Go does without memory
	co->abi = SEAM_CORO_ABI;
	co->stack_low = (char *)UINTPTR_MAX; // no stack pointer is above it: see seam_runs_
	return co;
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

// Called where no coroutine runs, so on a thread's own stack.
int seam_coro_callback_(seam_func func, void *arg) { return seamCoroCallback(func, arg); }

// For C without coro.h, as seam bind writes it.
int seam_coro_upcall_(seam_func func, void *arg) { return seam_upcall(seam_self(), func, arg); }
