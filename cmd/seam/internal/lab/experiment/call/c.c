#include "c.h"

int64_t seam_call_add(int64_t a, int64_t b) { return a + b; }

void seam_call_empty(void *args) { (void)args; }

void seam_call_add_at(seam_call_args *args) { args->sum = args->a + args->b; }

// cgo asks Go twice where the goroutine's stack ends now, in case a callback
// has moved it. Each is a call of a function that follows some pointers; here
// it reads as many.
__attribute__((noinline)) static char *top_of_stack(char ***thread) {
	__asm__ volatile("" ::: "memory");
	return **thread;
}

// The shape of what cgo generates between the switched stack and the function:
// unpack the struct, call, find the struct again, store the result.
void seam_call_wrapped(void *v) {
	static char *goroutine = "", **m = &goroutine;
	seam_call_args *args = v;
	char *before = top_of_stack(&m);
	int64_t r = seam_call_add(args->a, args->b);
	args = (seam_call_args *)((char *)args + (top_of_stack(&m) - before));
	args->sum = r;
}
