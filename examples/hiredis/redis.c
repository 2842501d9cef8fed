//go:build cgo && linux && seam_servers

#include "redis.h"

/* Nothing here knows of coroutines: the waits are in hiredis, in read and poll. */

int64_t redis_dial(seam_coro *co, void *arg) {
	struct redis_dial *d = arg;
	(void)co;
	d->conn = d->host[0] == '/' ? redisConnectUnix(d->host) : redisConnect(d->host, d->port);
	return 0;
}

int64_t redis_command(seam_coro *co, void *arg) {
	struct redis_command *c = arg;
	(void)co;
	c->reply = redisCommandArgv(c->conn, c->argc, c->argv, c->argvlen);
	return 0;
}

int64_t redis_plainly(void *fn, void *arg) { return ((seam_coro_fn)fn)(NULL, arg); }
