#include <stdint.h>

// Arguments in one struct: how a leaf function gets them, and how cgo's
// generated wrapper does.
typedef struct {
	int64_t a, b, sum;
} seam_call_args;

int64_t seam_call_add(int64_t a, int64_t b);
void seam_call_empty(void *args);
void seam_call_add_at(seam_call_args *args);
void seam_call_wrapped(void *args);
