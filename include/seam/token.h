/* seam/token.h: what a C function can see of the context.Context of its call. C11 and C++17.
 *
 * Go sets the flag and needs a processor (P) to do so. A C function that occupies the only
 * one, as a leaf does with GOMAXPROCS=1, never sees it set: there, compare the deadline with
 * the clock.
 *
 * A token belongs to one call and is valid until the function that got it returns. Reading
 * it costs one load: poll it in every round of a loop.
 */
#ifndef SEAM_TOKEN_H
#define SEAM_TOKEN_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
	int32_t cancelled; /* set by Go from another thread: read it by seam_token_cancelled */
	int32_t reserved_;
	int64_t deadline;  /* CLOCK_MONOTONIC in ns; 0: none */
} seam_token;

/* seam_token_cancelled returns 1 if the caller no longer wants the result: its context was
 * cancelled or its deadline has passed. */
static inline int seam_token_cancelled(const seam_token *t) {
	return __atomic_load_n(&t->cancelled, __ATOMIC_ACQUIRE) != 0;
}

/* seam_token_deadline returns the deadline as CLOCK_MONOTONIC nanoseconds, or 0 if there is
 * none. */
static inline int64_t seam_token_deadline(const seam_token *t) { return t->deadline; }

#ifdef __cplusplus
}
#endif

/* seam_cancelled(x) and seam_deadline_ns(x) do the same for whatever a C function got: a
 * seam_token or, if seam/coro.h is included, a seam_coro. */
#ifdef __cplusplus
extern "C++" { /* overloaded; some include headers inside of extern "C" */
inline int seam_cancelled(const seam_token *t) { return seam_token_cancelled(t); }
inline int64_t seam_deadline_ns(const seam_token *t) { return seam_token_deadline(t); }
}
#else
#define seam_cancelled(x) seam_token_cancelled(x)
#define seam_deadline_ns(x) seam_token_deadline(x)
#endif
#endif
