#include <seam/coro.h>

int64_t waits_for_file(seam_coro *co, void *arg);
int64_t sleeps(seam_coro *co, void *arg);
int64_t calls_go(seam_coro *co, void *arg);
int64_t blocks(seam_coro *co, void *arg);
