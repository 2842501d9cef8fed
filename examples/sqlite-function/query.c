//go:build cgo && seam_servers

#include <stdlib.h>
#include "query.h"

static struct value value_of(sqlite3_value *v) {
	struct value out = {sqlite3_value_type(v), 0, 0, 0, NULL};
	switch (out.type) {
	case SQLITE_INTEGER:
		out.integer = sqlite3_value_int64(v);
		break;
	case SQLITE_FLOAT:
		out.real = sqlite3_value_double(v);
		break;
	case SQLITE_TEXT:
		out.data = sqlite3_value_text(v);
		out.bytes = sqlite3_value_bytes(v);
		break;
	case SQLITE_BLOB:
		out.data = sqlite3_value_blob(v);
		out.bytes = sqlite3_value_bytes(v);
		break;
	}
	return out;
}

static void give(sqlite3_context *ctx, struct value *v) {
	switch (v->type) {
	case SQLITE_INTEGER:
		sqlite3_result_int64(ctx, v->integer);
		break;
	case SQLITE_FLOAT:
		sqlite3_result_double(ctx, v->real);
		break;
	case SQLITE_TEXT:
		sqlite3_result_text(ctx, v->data, v->bytes, free);
		break;
	case SQLITE_BLOB:
		sqlite3_result_blob(ctx, v->data, v->bytes, free);
		break;
	default:
		sqlite3_result_null(ctx);
	}
}

/* call_go is what SQLite calls for every Go function. */
static void call_go(sqlite3_context *ctx, int argc, sqlite3_value **argv) {
	seam_func *func = sqlite3_user_data(ctx);
	seam_coro *co = seam_self(); /* SQLite has no place to hand it through */
	struct value args[argc ? argc : 1];
	struct function_call call = {argc, args, {SQLITE_NULL, 0, 0, 0, NULL}, NULL};
	int err;

	if (!co) {
		sqlite3_result_error(ctx, "a function in Go is called, but the query does not run as a coroutine", -1);
		return;
	}
	for (int i = 0; i < argc; i++)
		args[i] = value_of(argv[i]);
	err = seam_upcall(co, *func, &call);
	if (err == 0)
		give(ctx, &call.result);
	else if (call.error)
		sqlite3_result_error(ctx, call.error, -1);
	else /* it panicked, say: SQLite ends the statement, then the panic goes on */
		sqlite3_result_error(ctx, "the function in Go did not return", -1);
	free(call.error);
}

int create_function(sqlite3 *db, const char *name, seam_func func) {
	seam_func *user = sqlite3_malloc(sizeof *user);
	if (!user)
		return SQLITE_NOMEM;
	*user = func;
	return sqlite3_create_function_v2(db, name, -1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, user, call_go, NULL, NULL, sqlite3_free);
}

/* look_up is called every thousand steps of SQLite's machine, some ten
 * microseconds. A switch lets Go's scheduler and garbage collector in, which
 * wait for C otherwise. It fails when the context has ended, and SQLite then ends
 * the query. */
static int look_up(void *unused) {
	seam_coro *co = seam_self();
	(void)unused;
	return co && seam_sleep(co, 0) != 0;
}

void watch(sqlite3 *db) { sqlite3_progress_handler(db, 1000, look_up, NULL); }

/* step runs one statement. */
static int step(seam_coro *co, struct query *q, sqlite3_stmt *stmt) {
	int columns = sqlite3_column_count(stmt);
	struct value *values = malloc((columns + 1) * sizeof *values);
	struct row row = {columns, values};
	int rc;

	if (!values)
		return SQLITE_NOMEM;
	while ((rc = sqlite3_step(stmt)) == SQLITE_ROW) {
		for (int i = 0; i < columns; i++)
			values[i] = value_of(sqlite3_column_value(stmt, i));
		if (seam_upcall(co, q->on_row, &row) != 0) {
			rc = SQLITE_ABORT;
			break;
		}
	}
	free(values);
	return rc;
}

int64_t query(seam_coro *co, void *arg) {
	struct query *q = arg;
	const char *rest = q->sql;
	int rc = SQLITE_OK;

	while (*rest && (rc == SQLITE_OK || rc == SQLITE_DONE)) {
		sqlite3_stmt *stmt;
		rc = sqlite3_prepare_v2(q->db, rest, -1, &stmt, &rest);
		if (rc == SQLITE_OK && stmt)
			rc = step(co, q, stmt);
		if (rc != SQLITE_OK && rc != SQLITE_DONE)
			q->error = sqlite3_mprintf("%s", sqlite3_errmsg(q->db));
		sqlite3_finalize(stmt);
	}
	return rc;
}
