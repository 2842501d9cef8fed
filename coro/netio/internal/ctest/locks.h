#include <seam/coro.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { LOCK_MUTEX, LOCK_RECURSIVE, LOCK_ERRORCHECK, LOCK_READWRITE, LOCK_SEMAPHORE, LOCK_CONDITION, LOCK_C11, LOCK_FILE, LOCK_KINDS };

typedef struct { int64_t kind, rounds; } ctest_locking;

int locks_begin(void);
int64_t locks_use(seam_coro *co, void *arg);      // takes the lock of a kind in rounds, and sleeps with it now and then
int64_t locks_by_thread(int64_t kind, int64_t n); // the same by a thread of C's, which it waits for
int64_t locks_taken(int64_t kind);                // rounds of all
int64_t locks_wrong(void);                        // how often somebody else had it, or a call failed

int once_begin(void);
int64_t once_use(seam_coro *co, void *arg); // pthread_once and a static variable that take their time; 1 and 1
int64_t once_runs(void);

void meet_begin(int64_t n);
int64_t meet_use(seam_coro *co, void *arg); // rounds at a barrier; how often it was the one

int64_t once_held(seam_coro *co, void *arg); // the same while a thread that has no processor holds netio's list of them
void call_once_begin(void);
int64_t call_once_use(seam_coro *co, void *arg);

int once_meets_begin(void);
int once_meets_step(void);                        // 1: once_fails is in it; 2: once_waits begins; 3: once_meanwhile is done
int once_fails(void);                             // on a thread: takes until step 3, and throws; 1 if that was caught
int64_t once_waits(seam_coro *co, void *arg);     // the same flag; 1 if its own function has run
int64_t once_meanwhile(seam_coro *co, void *arg); // another flag; 10 if its own function has run

// Locks that know their owner, one after the other. Each returns what the call does.
enum { OWNED_INIT, OWNED_LOCK, OWNED_TRY, OWNED_UNLOCK, OWNED_LATE };
typedef struct { int64_t kind, what; } ctest_owned;
int64_t owned_use(seam_coro *co, void *arg);
int64_t owned_by_thread(int64_t kind, int64_t what); // the same by a thread of C's

#ifdef __cplusplus
}
#endif
