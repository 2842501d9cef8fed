#include "viacgo.h"

#include "_cgo_export.h"

// Runs in what is left of a thread that a call has ended. The goroutine is still in its cgo
// call, so this is a callback like any other.
static void thread_ended(seam_worker *w) { seamOffloadThreadEnded((uintptr_t)w->owner, w->index, w->job); }

void seam_viacgo_worker(seam_worker *w, uint32_t index, uintptr_t handle) {
	w->index = index;
	w->owner = (void *)handle;
	w->ended = thread_ended;
}
