#ifndef SEAM_PROF_CTEST_H
#define SEAM_PROF_CTEST_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// What is done at the end of a chain of functions.
typedef void (*ctest_end)(void *);

// ctest_20 calls ctest_19, and so on down to ctest_1, which calls end(arg).
void ctest_20(ctest_end end, void *arg);

void ctest_1(ctest_end end, void *arg);
void ctest_2(ctest_end end, void *arg);

// Chains of frames of their own kinds.
void ctest_alloca(ctest_end end, void *arg);  // its size is known at run time
void ctest_aligned(ctest_end end, void *arg); // to 64 bytes
void ctest_sorted(ctest_end end, void *arg);  // called by libc's qsort
void ctest_handler(ctest_end end, void *arg); // called by a signal handler

// Ends: one that walks the stack from a signal handler, one that works for arg's
// milliseconds of the thread's CPU time, one that writes to address 8.
typedef struct {
	uintptr_t pcs[64];
	size_t n;
} ctest_pcs;
void ctest_walk(void *pcs);
typedef struct {
	uintptr_t pcs[16];
	size_t n, sure; // those from sure on are guesses
	int blind;      // the walk knows neither the frame pointer nor the link register
} ctest_frames;
void ctest_frames_walk(void *frames); // without tables, as internal/csys does
void ctest_spin(void *ms);
void ctest_crash(void *);
void ctest_abort(void *);
void ctest_assert(void *);
void ctest_bad_handlers(void); // as C libraries install them
void ctest_bad_handler(int);
void ctest_lose_and_crash(void *); // the thread's alternate stack
void ctest_wait(void *); // until ctest_wake
void ctest_nap(void *us);
void ctest_chain_nap(int which, long us);
void ctest_wake(void);

// ctest_chain calls a chain: 0 is ctest_20, then those above in order.
void ctest_chain(int which, ctest_end end, void *arg);

// ctest_work spins at the end of a chain, for so many milliseconds.
void ctest_work(int which, long ms);

// The same as a leaf and as a coroutine's function.
typedef struct {
	long which, ms; // ms < 0: crash
} ctest_args;
void ctest_leaf(ctest_args *);
int ctest_empty(ctest_args *);
int64_t ctest_coroutine_empty(void *co, ctest_args *);
int64_t ctest_coroutine(void *co, ctest_args *);

// ctest_thread does so at the end of ctest_20 on a new thread, and waits for it.
int ctest_thread(long ms);

// ctest_each walks the stack of a chain that spins for so many milliseconds, every 100 µs, and counts
// walks, those that come to the chain's first function, and those
// that end in between. Returns the nanoseconds of a walk on average.
double ctest_each(int which, long ms, long *walks, long *whole, long *truncated);

// From ctest_storm on the calling thread gets SIGPROF and SIGURG, each 20,000 times a second (fewer where one takes long),
// until ctest_calm. Returns 0, or -1 if there are no timers.
typedef struct {
	void *timers[2];
} ctest_weather;
int ctest_storm(ctest_weather *);
void ctest_calm(ctest_weather *);

// ctest_throw throws a C++ exception through some frames so many times, in a
// storm, and returns how many it has caught.
long ctest_throw(long times);

// ctest_load loads a shared library, calls its function run(end, arg), and unloads it again,
// so many times, in a storm. Returns how many times that was possible.
long ctest_load(const char *path, long times);

// ctest_churn makes a thread so many times, one after the other, each in a storm. Returns how
// many there were.
long ctest_churn(long times);

// ctest_fork makes a child by fork so many times, which sends itself a hundred SIGPROF and ends.
// Returns how many ended well; it stops at the first that hangs.
long ctest_fork(long times);

// ctest_load_spin loads a library and has its run(end, arg) spin. Returns 0, or -1 if it can't.
int ctest_load_spin(const char *path, long ms);

// ctest_name_in loads a library, symbolizes an address in its run, and unloads it.
const char *ctest_name_in(const char *path);

// ctest_under_lock gets SIGPROF and SIGURG so many times while another thread has the dynamic
// linker's lock, and doesn't give it back before they have all been handled. Returns whether they
// have, -1 if there is no thread.
int ctest_under_lock(long times);

// ctest_garbage walks a stack of random words that ends before a page that can't be read, so many
// times, and returns how many program counters are wrong: they are Go's, or more than there is
// room for. -1: no memory.
long ctest_garbage(long times, long seed, uintptr_t go_low, uintptr_t go_high);

// ctest_thread_go calls Go at the end of ctest_20 on a new thread, and waits for it.
int ctest_thread_go(void);
void ctest_call_go(void *);

// ctest_crash_by crashes at the end of ctest_20, in one of the ways below, and ctest_crash_in in a
// function run that it loads.
void ctest_crash_by(int way);
void ctest_crash_in(const char *path);
void ctest_divide(void *);
void ctest_illegal(void *);
void ctest_bus(void *);
void ctest_smash(void *);
void ctest_jump(void *);
void ctest_crash_in_thread(void *);
void ctest_crash_in_threads(void *);
void ctest_jump_wild(void *);
void ctest_overflow(void *);
void ctest_overflow_by_calls(void *);
void ctest_raise(void *);
void ctest_overflow_in_thread(void *);

// ctest_come_and_go has so many threads end in all ways, some at a time, and returns how many alternate stacks they
// have had, each counted once; negative if a thread had none, or one that it couldn't write to; 0 where package
// unwind gives none.
enum { CTEST_AT_ONCE = 20 };
long ctest_come_and_go(long threads);

// ctest_recurse recurses n deep before it comes to the end: by itself, by two functions in turns, without order.
void ctest_recurse(int which, int n, ctest_end end, void *arg);
void ctest_self(int n, ctest_end end, void *arg);
void ctest_even(int n, ctest_end end, void *arg);
void ctest_odd(int n, ctest_end end, void *arg);
void ctest_mixed(int n, ctest_end end, void *arg);
void ctest_mixed_too(int n, ctest_end end, void *arg);
void ctest_walk_32(void *pcs); // as the runtime asks

// ctest_handle installs a handler of SIGSEGV in front of what is there, which makes ctest_fill's faults good, and
// no others; by a constructor, too, if SEAM_CTEST_HANDLES is early. With SEAM_CTEST_HOW=jump it leaves by longjmp.
void ctest_handle(void);
void ctest_fill(void *);
void ctest_on_thread(ctest_end end); // at the end of ctest_20

// ctest_unaligned_crash crashes with EFLAGS.AC set, where there is such a flag.
void ctest_unaligned_crash(void *);

// Functions in between, global for their names.
int ctest_compare(const void *, const void *);
void ctest_on_signal(int);

#ifdef __cplusplus
}
#endif

#endif
