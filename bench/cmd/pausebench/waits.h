#include <seam/coro.h>

typedef struct {
	int32_t stop;
	int64_t waits;
} pausebench_args;

// Waits for a millisecond in each of libc's ways, one after the other, until it is told to stop.
int64_t pausebench_wait(seam_coro *co, void *args);
