#include <seam/mem.h>

/* The arguments of the functions, as package ctest has them in Go. */
typedef struct { seam_str in; seam_span numbers; int64_t sum; } seam_mtest_view;
typedef struct { seam_bytes out; int64_t size, lie; } seam_mtest_fill;
typedef struct { const seam_pool *pool; seam_buffer buffer; int64_t n, result; } seam_mtest_buffer;
typedef struct { seam_arena *arena; seam_part table; int64_t n, lie, done; } seam_mtest_arena;
typedef struct { const seam_token *token; int64_t n, polls, deadline, cancelled; } seam_mtest_token;
typedef struct { seam_part name; int64_t value; } seam_mtest_row;

/* How C lies. */
enum { TRUTH, LEN_TOO_LONG, LEN_NEGATIVE, NEED_TOO_SMALL, NEED_HUGE, OTHER_DATA, OTHER_CAP, OVERRUN, USED_TOO_MUCH, NEED_HALF };

int seam_mtest_empty(void *);
int seam_mtest_sum(seam_mtest_view *);
int64_t seam_mtest_sum_bytes(const char *, size_t);
int seam_mtest_write(seam_mtest_fill *);
int seam_mtest_buffer_fill(seam_mtest_buffer *);
int seam_mtest_buffer_data(seam_mtest_buffer *);
int seam_mtest_buffer_hold(seam_mtest_buffer *);
int seam_mtest_buffer_release(seam_mtest_buffer *);
int seam_mtest_buffer_keep(seam_mtest_buffer *);
int seam_mtest_kept_write(seam_mtest_buffer *);
int seam_mtest_rows(seam_mtest_arena *);
int seam_mtest_rows_on(seam_mtest_arena *);
int seam_mtest_alloc_twice(seam_mtest_arena *);
int seam_mtest_poll(seam_mtest_token *);
int seam_mtest_poll_until(seam_mtest_token *);
int seam_mtest_now(seam_mtest_token *);
void *seam_mtest_thread_start(const seam_pool *, seam_buffer, int64_t ns);
int64_t seam_mtest_thread_end(void *);
