/* The C side: hiredis, called in ways that coroutines can be. */
#include <hiredis/hiredis.h>
#include <seam/coro.h>

struct redis_dial {
	const char *host; /* the path of a Unix socket if it begins with a slash */
	int port;
	redisContext *conn; /* out: NULL without memory; look at its err */
};

struct redis_command {
	redisContext *conn;
	int argc;
	const char **argv;
	const size_t *argvlen;
	redisReply *reply; /* out: NULL when conn has failed */
};

int64_t redis_dial(seam_coro *co, void *arg);
int64_t redis_command(seam_coro *co, void *arg);

/* redis_plainly runs one of them on the calling thread, as any cgo call does. */
int64_t redis_plainly(void *fn, void *arg);
