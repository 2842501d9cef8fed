//go:build cgo && linux && seam_servers

#include <stdio.h>
#include "odbc.h"

/* Nothing here knows of coroutines: the waits are in the driver, in poll. */

SQLHENV odbc_start(void) {
	SQLHENV env;
	if (!SQL_SUCCEEDED(SQLAllocHandle(SQL_HANDLE_ENV, SQL_NULL_HANDLE, &env)))
		return NULL;
	SQLSetEnvAttr(env, SQL_ATTR_ODBC_VERSION, (SQLPOINTER)SQL_OV_ODBC3, 0);
	return env;
}

static void explain(SQLSMALLINT type, SQLHANDLE handle, char *error, size_t size) {
	SQLCHAR state[6], text[400];
	SQLINTEGER native;
	SQLSMALLINT length;
	if (SQL_SUCCEEDED(SQLGetDiagRec(type, handle, 1, state, &native, text, sizeof text, &length)))
		snprintf(error, size, "%s: %s", (char *)state, (char *)text);
	else
		snprintf(error, size, "no reason was given");
}

int64_t odbc_connect(seam_coro *co, void *arg) {
	struct odbc_connect *c = arg;
	(void)co;
	if (!SQL_SUCCEEDED(SQLAllocHandle(SQL_HANDLE_DBC, c->env, &c->dbc))) {
		c->dbc = NULL;
		explain(SQL_HANDLE_ENV, c->env, c->error, sizeof c->error);
		return 0;
	}
	if (!SQL_SUCCEEDED(SQLDriverConnect(c->dbc, NULL, (SQLCHAR *)c->string, SQL_NTS, NULL, 0, NULL, SQL_DRIVER_NOPROMPT))) {
		explain(SQL_HANDLE_DBC, c->dbc, c->error, sizeof c->error);
		SQLFreeHandle(SQL_HANDLE_DBC, c->dbc);
		c->dbc = NULL;
	}
	return 0;
}

int64_t odbc_query(seam_coro *co, void *arg) {
	struct odbc_query *q = arg;
	SQLHSTMT stmt;
	SQLLEN length = 0;
	SQLRETURN rc;
	(void)co;
	if (!SQL_SUCCEEDED(SQLAllocHandle(SQL_HANDLE_STMT, q->dbc, &stmt))) {
		explain(SQL_HANDLE_DBC, q->dbc, q->error, sizeof q->error);
		return 0;
	}
	rc = SQLExecDirect(stmt, (SQLCHAR *)q->sql, SQL_NTS);
	if (SQL_SUCCEEDED(rc))
		rc = SQLFetch(stmt);
	if (SQL_SUCCEEDED(rc))
		rc = SQLGetData(stmt, 1, SQL_C_CHAR, q->value, sizeof q->value, &length);
	if (!SQL_SUCCEEDED(rc))
		explain(SQL_HANDLE_STMT, stmt, q->error, sizeof q->error);
	else if (length >= (SQLLEN)sizeof q->value)
		snprintf(q->error, sizeof q->error, "a value of %ld bytes, there is room for %zu", (long)length, sizeof q->value - 1);
	q->is_null = length == SQL_NULL_DATA;
	SQLFreeHandle(SQL_HANDLE_STMT, stmt);
	return 0;
}

void odbc_disconnect(SQLHDBC dbc) {
	SQLDisconnect(dbc);
	SQLFreeHandle(SQL_HANDLE_DBC, dbc);
}

int64_t odbc_plainly(void *fn, void *arg) { return ((seam_coro_fn)fn)(NULL, arg); }
