#include <stdint.h>

typedef struct { int64_t a, b, sum; } seam_test_add_args;

int seam_test_add(void *args);
int seam_test_empty(void *args);
int seam_test_walk(void *args);
int seam_test_frame(void *args);
int seam_test_read(void *fd);
int seam_test_until(void *stop);
int seam_test_spin(void *args);
int seam_test_stack(void *args);
int seam_test_segv(void *args);
int seam_test_fpe(void *args);
int seam_test_abort(void *args);
int seam_test_callback(void *args);
int seam_test_exit(void *args);
int64_t seam_test_storm(int32_t *stop);
void seam_test_from_c(int64_t n);
int seam_test_from_threads(int threads, int64_t n);
