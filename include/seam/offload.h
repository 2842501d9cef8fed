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
 * The rules for C:
 *
 *   - The token and arg may be used until the function returns, and not later. Even a
 *     cancelled call waits for its function, so check the token in every round of a loop
 *     and give blocking calls a timeout; seam_token_deadline helps to choose it.
 *   - The thread is one of a few that all calls share. The next call, whichever it is,
 *     finds what the function leaves in thread-local state (errno, locale, a library's
 *     per-thread handle).
 *   - The function ends by returning. If it ends its thread (pthread_exit,
 *     pthread_cancel) the call fails and the pool starts another thread. longjmp and C++
 *     exceptions must not leave it.
 *   - No signal is blocked, as in a cgo call, so that children which the function starts
 *     have none blocked either. Most of the process's signals go to the main thread, but any
 *     may end a wait (EINTR). A function that blocks signals unblocks them before it returns.
 *   - The function may call functions exported by cgo (//export).
 */
#ifndef SEAM_OFFLOAD_H
#define SEAM_OFFLOAD_H

#include "token.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A function that may block. Pool.Do returns its result. */
typedef int64_t (*seam_offload_fn)(const seam_token *t, void *arg);

#ifdef __cplusplus
}
#endif
#endif
