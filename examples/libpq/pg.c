//go:build cgo && linux && seam_servers

#include "pg.h"

/* Nothing here knows of coroutines: the waits are in libpq, in poll. */

/* What the server has to remark is not for standard error. */
static void ignore(void *unused, const char *message) {
	(void)unused;
	(void)message;
}

int64_t pg_connect(seam_coro *co, void *arg) {
	struct pg_connect *c = arg;
	(void)co;
	c->conn = PQconnectdb(c->conninfo);
	if (c->conn)
		PQsetNoticeProcessor(c->conn, ignore, NULL);
	return 0;
}

int64_t pg_exec(seam_coro *co, void *arg) {
	struct pg_exec *e = arg;
	(void)co;
	e->result = PQexec(e->conn, e->sql);
	return 0;
}

int64_t pg_plainly(void *fn, void *arg) { return ((seam_coro_fn)fn)(NULL, arg); }
