/* The calls that are measured. arg is a redisContext. They return 0, or 1 when the
 * connection has failed or the answer is wrong. */
#include <hiredis/hiredis.h>
#include <seam/coro.h>

#define IOBENCH_KEY "seam:iobench"
#define IOBENCH_VALUE "0123456789abcdef"

int64_t iobench_get(seam_coro *co, void *arg);
int64_t iobench_blpop(seam_coro *co, void *arg);

/* iobench_plainly runs one of them on the calling thread, as any cgo call does. */
int64_t iobench_plainly(void *fn, void *arg);

/* iobench_set puts the value there, and iobench_push one into the list, n times. */
int64_t iobench_set(redisContext *c);
int64_t iobench_push(redisContext *c, int n);
/* iobench_blocked counts the clients that are blocked; -1: it can't. */
int64_t iobench_blocked(redisContext *c);
