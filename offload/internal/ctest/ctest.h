#include <seam/offload.h>

typedef struct { int64_t a, b, sum; } seam_test_add_args;

int64_t seam_test_add(const seam_token *t, void *args);
int64_t seam_test_sleep(const seam_token *t, void *ns);
int64_t seam_test_busy(const seam_token *t, void *ns);
int64_t seam_test_until_cancelled(const seam_token *t, void *seen);
int64_t seam_test_gate(const seam_token *t, void *gate);
int64_t seam_test_deadline(const seam_token *t, void *unused);
int64_t seam_test_token(const seam_token *t, void *unused);
int64_t seam_test_exit(const seam_token *t, void *unused);
int64_t seam_test_segv(const seam_token *t, void *unused);
int64_t seam_test_abort(const seam_token *t, void *unused);
int64_t seam_test_thread_name(const seam_token *t, void *name16);
int64_t seam_test_blocked_signals(const seam_token *t, void *unused);
int64_t seam_test_fork(const seam_token *t, void *line);
int64_t seam_test_spawn(const seam_token *t, void *line);
int64_t seam_test_system(const seam_token *t, void *line);
int64_t seam_test_callback(const seam_token *t, void *x);
void seam_test_cgo_sleep(int64_t ns);
int64_t seam_test_now(void);
