#ifndef SEAM_CORO_CTEST_H
#define SEAM_CORO_CTEST_H

#include <seam/coro.h>

// One argument for all functions below.
typedef struct {
	seam_func func;
	int64_t n, a, b, sum;
	int64_t code;     // out: the last status
	int64_t cleaned;  // out: 1 when C came to its end
	int32_t fd, fd2;
	void *p, *q; // an even number: no padding with 32 bits
} ctest_args;

// Go functions get this one.
typedef struct { int64_t x, y; } ctest_item;

int64_t ctest_return(seam_coro *co, void *arg);      // a + b
int64_t ctest_upcalls(seam_coro *co, void *arg);     // n upcalls of func, sums item.y
int64_t ctest_stubborn(seam_coro *co, void *arg);    // goes on whatever it is told
int64_t ctest_count(seam_coro *co, void *arg);       // yields 0..n-1
int64_t ctest_threads(seam_coro *co, void *arg);     // yields n times, with the thread in y
int64_t ctest_sleep(seam_coro *co, void *arg);       // n ns
int64_t ctest_wait(seam_coro *co, void *arg);        // for fd, events a, timeout n; sum: events
int64_t ctest_read_one(seam_coro *co, void *arg);    // waits for fd and reads a byte to sum
int64_t ctest_spin_until_cancelled(seam_coro *co, void *arg);
int64_t ctest_deadline(seam_coro *co, void *arg);    // sum: the deadline
int64_t ctest_ask_after(seam_coro *co, void *arg);   // an upcall of func, then sum: whether it is cancelled
int64_t ctest_offload(seam_coro *co, void *arg);     // sum: thread id of the offloaded function, a: ours
int64_t ctest_self(seam_coro *co, void *arg);        // 1 when seam_self is co
int64_t ctest_recurse(seam_coro *co, void *arg);     // n deep, 1 KB each
int64_t ctest_big_frame(seam_coro *co, void *arg);   // a frame of 48 KB that is touched at its far end first
int64_t ctest_frame(seam_coro *co, void *arg);       // of n bytes
int64_t ctest_locals(seam_coro *co, void *arg);      // 40 KB, across a yield
int64_t ctest_overwrite(seam_coro *co, void *arg);
int64_t ctest_thread_exit(seam_coro *co, void *arg);
int64_t ctest_cancelled_thread(seam_coro *co, void *arg);
int64_t ctest_raise(seam_coro *co, void *arg);       // signal n
int64_t ctest_divide(seam_coro *co, void *arg);      // by n
int64_t ctest_call_nothing(seam_coro *co, void *arg); // jumps to NULL
int64_t ctest_blocks_signal(seam_coro *co, void *arg); // SIGUSR2 across an upcall, if a; sum: whether it was already
int64_t ctest_rounding(seam_coro *co, void *arg);    // rounds upward across upcalls
int64_t ctest_errno(seam_coro *co, void *arg);       // errno across a sleep
int64_t ctest_errno_kept(seam_coro *co, void *arg);  // errno, made of a, across n sleeps and upcalls of func
int64_t ctest_kept(seam_coro *co, void *arg);        // what ctest_keep has registered, across n sleeps; b: it is new at first
int64_t ctest_unkept(seam_coro *co, void *arg);      // a thread-local variable across n sleeps
int64_t ctest_keep(void);
int64_t ctest_errors_live(void);
void ctest_set_errno(int64_t e);
int64_t ctest_tls(seam_coro *co, void *arg);         // a thread-local variable across n sleeps
int64_t ctest_pause(seam_coro *co, void *arg); // takes n tokens of kind a
void ctest_wake(int k, int64_t n);             // gives n of each of k kinds
int64_t ctest_read_plainly(seam_coro *co, void *arg); // a byte of fd
int64_t ctest_thread_adds(seam_coro *co, void *arg); // what the thread has kept, plus a
int64_t ctest_mutex(seam_coro *co, void *arg);       // a lock held across a sleep of n ns, a times
int64_t ctest_registers(seam_coro *co, void *arg);   // live values in every register across n upcalls
int64_t ctest_fork(seam_coro *co, void *arg);        // the child's exit status
int64_t ctest_segv(seam_coro *co, void *arg);
int64_t ctest_callback(seam_coro *co, void *arg);    // calls an exported Go function: forbidden
int64_t ctest_other_abi(seam_coro *co, void *arg);
int64_t ctest_exception(seam_coro *co, void *arg);   // C++: throws and catches across n sleeps
int64_t ctest_never_ends(seam_coro *co, void *arg); // whatever it is told
int64_t ctest_echo(seam_coro *co, void *arg); // sends back the bytes of fd
int64_t ctest_long_double(seam_coro *co, void *arg); // across n sleeps
int64_t ctest_leave_rounding(seam_coro *co, void *arg); // 1 when it finds another than usual; a: leaves one
int ctest_rounds_upward(void);
void ctest_set_x87(int upward); // of this thread; the rest of the floating-point settings stays
int64_t ctest_rounds_after_upcall(seam_coro *co, void *arg); // 1 when it then finds another rounding than usual
uint32_t ctest_set_fp(uint32_t v); // sets what mxcsr or fpcr has, returns what it had
int64_t ctest_fp(seam_coro *co, void *arg); // what it has; sum: what it had before an upcall
int64_t ctest_hold(seam_coro *co, void *arg);        // a sleep of n ns, in a loop until told
int64_t ctest_loop_upcall(seam_coro *co, void *arg); // n upcalls, nothing else: for benchmarks
int64_t ctest_lend(seam_coro *co, void *arg);        // upcalls func with its own address in item.x
int64_t ctest_outside(uintptr_t other);                  // all operations where they are not possible
int64_t ctest_foreign_misuse(seam_coro *co, void *arg);   // sum: operations that a thread of C's could make
int64_t ctest_offloaded_misuse(seam_coro *co, void *arg); // the same for an offloaded function
int64_t ctest_foreign_callback(seam_coro *co, void *arg); // n callbacks of func by a thread of C's, sums item.y
int64_t ctest_callback_outside(seam_func func, int64_t x); // item.y, or an error
int64_t ctest_cgo_callback(int64_t n);               // n calls of an exported Go function
int64_t ctest_poll_two(seam_coro *co, void *arg);    // SEAM_OP_WAIT_FDS_ of fd and fd2

#endif
