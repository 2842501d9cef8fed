/* The C side: libpq, called in ways that coroutines can be. */
#include <libpq-fe.h>
#include <seam/coro.h>

struct pg_connect {
	const char *conninfo;
	PGconn *conn; /* out: NULL without memory; look at its status */
};

struct pg_exec {
	PGconn *conn;
	const char *sql;
	PGresult *result; /* out: NULL when conn has failed or memory is short */
};

int64_t pg_connect(seam_coro *co, void *arg);
int64_t pg_exec(seam_coro *co, void *arg);

/* pg_plainly runs one of them on the calling thread, as any cgo call does. */
int64_t pg_plainly(void *fn, void *arg);
