/* The C side: unixODBC, called in ways that coroutines can be. */
#include <sql.h>
#include <sqlext.h>
#include <seam/coro.h>

struct odbc_connect {
	SQLHENV env;
	const char *string;
	SQLHDBC dbc;     /* out: NULL when there is an error */
	char error[512]; /* out: "" or what the driver said */
};

struct odbc_query {
	SQLHDBC dbc;
	const char *sql;
	char value[256]; /* out: the first column of the first row, as text */
	int is_null;     /* out */
	char error[512]; /* out: "" or what the driver said */
};

/* odbc_start returns the environment that all connections share, or NULL. */
SQLHENV odbc_start(void);

int64_t odbc_connect(seam_coro *co, void *arg);
int64_t odbc_query(seam_coro *co, void *arg);
void odbc_disconnect(SQLHDBC dbc);

/* odbc_plainly runs one of them on the calling thread, as any cgo call does. */
int64_t odbc_plainly(void *fn, void *arg);
