#include <libpq-fe.h>

/* What the server has to remark is not for standard error. */
static inline void pq_ignore(void *unused, const char *message) { (void)unused, (void)message; }
static inline void pq_quiet(PGconn *conn) { PQsetNoticeProcessor(conn, pq_ignore, NULL); }
