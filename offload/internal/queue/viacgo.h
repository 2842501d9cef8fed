#include "job.h"

// Initialises the record of a worker whose calls come from Go. handle is Go's handle of the
// queue.
void seam_viacgo_worker(seam_worker *w, uint32_t index, uintptr_t handle);
