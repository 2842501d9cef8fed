/* The C side: SQLite, with functions that are Go's. */
#include <sqlite3.h>
#include <seam/coro.h>

/* A value, as SQLite and Go see it. type is SQLITE_INTEGER, SQLITE_FLOAT,
 * SQLITE_TEXT, SQLITE_BLOB or SQLITE_NULL. */
struct value {
	int type, bytes;
	sqlite3_int64 integer;
	double real;
	const void *data; /* of text and blobs */
};

/* A call of a Go function by SQLite. What Go returns it has got from malloc. */
struct function_call {
	int argc;
	struct value *argv;
	struct value result; /* out */
	char *error;         /* out: or the text of an error */
};

/* A row of a result, valid until Go has returned. */
struct row {
	int columns;
	struct value *values;
};

struct query {
	sqlite3 *db;
	const char *sql;
	seam_func on_row; /* a Go function of a struct row */
	char *error;      /* out: NULL or a text to be freed by sqlite3_free */
};

/* create_function makes the Go function known to SQLite by a name, for any number
 * of arguments. It returns an SQLite code. */
int create_function(sqlite3 *db, const char *name, seam_func func);

/* watch makes the queries of a database let Go in now and then, and end with their
 * context. */
void watch(sqlite3 *db);

/* query runs all statements of its sql. It returns an SQLite code. */
int64_t query(seam_coro *co, void *arg);
