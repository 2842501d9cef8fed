/* seam/offload.h: the C side of package offload. C11 and C++17, header-only.
 *
 * Package offload runs functions of this type on threads of a pool. There they may
 * block:
 *
 *     int64_t fetch(const seam_token *t, void *arg) {
 *         struct fetch_args *a = arg;
 *         while (more(a)) {
 *             if (seam_token_cancelled(t))
 *                 return -1;
 *             blocking_step(a);
 *         }
 *         return a->count;
 *     }
 *
 * What C must know about it:
 *
 *   - The token and arg may be used until the function returns, and not later.
 *     Nobody waits for the result any sooner: a cancelled call still waits for
 *     its function. So look at the token wherever a loop comes around, and give
 *     blocking calls a timeout, which seam_token_deadline helps to choose.
 *   - The thread is one of a few that all calls share. What the function leaves
 *     in thread-local state (errno, locale, a library's per-thread handle) is
 *     there for the next call, whichever that is.
 *   - The function ends by returning. If it ends its thread (pthread_exit,
 *     pthread_cancel) the call fails and the pool starts another thread. longjmp
 *     and C++ exceptions may not leave it.
 *   - Signals sent to the process are handled by other threads: all are blocked
 *     here, but for those that the Go runtime needs, and faults.
 *   - It may call functions exported by cgo (//export).
 */
#ifndef SEAM_OFFLOAD_H
#define SEAM_OFFLOAD_H

#include "token.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A function that may block. What it returns is what Pool.Do returns. */
typedef int64_t (*seam_offload_fn)(const seam_token *t, void *arg);

#ifdef __cplusplus
}
#endif
#endif
