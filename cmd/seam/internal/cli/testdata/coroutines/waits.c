#include "waits.h"

#include <time.h>

// What they add to keeps them from being left by a jump.
__attribute__((noinline)) static int64_t deep_file(seam_coro *co, int fd) { return seam_wait_fd(co, fd, SEAM_READ, -1) + 1; }
int64_t waits_for_file(seam_coro *co, void *arg) { return deep_file(co, *(int *)arg) + 1; }

__attribute__((noinline)) static int64_t deep_sleep(seam_coro *co, int64_t ns) { return seam_sleep(co, ns) + 1; }
int64_t sleeps(seam_coro *co, void *arg) { return deep_sleep(co, arg ? *(int64_t *)arg : 400000000) + 1; }

__attribute__((noinline)) static int64_t deep_call(seam_coro *co, seam_func f) { return seam_upcall(co, f, NULL) + 1; }
int64_t calls_go(seam_coro *co, void *arg) { return deep_call(co, *(seam_func *)arg) + 1; }

// It waits in the kernel, as C on a coroutine should not. Go's signals interrupt it.
__attribute__((noinline)) static int64_t deep_block(void) {
	struct timespec left = {0, 300000000};
	while (nanosleep(&left, &left) != 0)
		;
	return 1;
}
int64_t blocks(seam_coro *co, void *arg) { return deep_block() + (co != NULL) + (arg != NULL); }
