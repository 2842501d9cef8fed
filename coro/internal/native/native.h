#ifndef SEAM_CORO_NATIVE_H
#define SEAM_CORO_NATIVE_H

#include <seam/coro.h>
#include "kernel.h"

// Where C leaves the coroutines that it wakes, for the goroutine that resumes them.
typedef struct {
	uint64_t first;  // the newest, a seam_coro *
	int32_t event;   // an eventfd for that goroutine, or -1
	uint32_t asleep; // it must be told by the eventfd
} seam_mailbox;

// The end of a coroutine's stack, below its control block, which is full. Package coro knows it as
// struct below.
typedef struct {
	uint64_t next;    // in the mailbox
	uint64_t mailbox; // a seam_mailbox *
	uint64_t since;   // when it last began to run without a switch, in ticks; 0: not known
	uint32_t woken;   // it is in the mailbox
	uint32_t owns;    // locks that know their owner, which package netio notes
	uint32_t unused;
	uint32_t unused2;
	uint64_t owner;   // for profiles, see list.c: the g that waits for C while another one resumes it; 0 where that is the same
	uint64_t unused3;
	uint64_t thread;  // Go's own
} seam_below;

static inline seam_below *seam_below_of(const seam_coro *co) { return (seam_below *)co - 1; }

extern seam_mailbox seam_shared_mailbox; // of all that have no other

#ifdef __linux__
// Adds one to an eventfd, if there is one.
static inline void seam_ring_event(const int32_t *event) {
	uint64_t one = 1;
	int keep = errno, to = __atomic_load_n(event, __ATOMIC_SEQ_CST);
	if (to >= 0)
		csys_call(SYS_write, to, (long)&one, sizeof one, 0);
	errno = keep;
}
#endif

#ifdef SEAM_CORO_NATIVE_

// Where a new coroutine begins. Runs its function, says that it is done and switches out for
// good.
void seam_coro_entry(seam_coro *co);

// Reserves a chunk of address space for stacks in slots of 1 << bits bytes. Returns its
// address, or NULL with errno set.
char *seam_stack_chunk(unsigned bits);

// Makes a slot usable: its last 1 << stack_bits bytes are the stack, the rest stays
// inaccessible, if guard is not 0 by MADV_GUARD_INSTALL where that works: guarded says so.
// Returns its control block, or NULL with errno set.
seam_coro *seam_stack_commit(char *slot, unsigned bits, unsigned stack_bits, int guard, int *guarded);

int seam_stack_guards_work(void); // known once one was wanted

// The chunks by their index in seam_coro_chunks. What doesn't fit in here, after two
// terabytes, is not found by those who use the list.
enum { SEAM_CHUNK_LIST = 32768 };
extern uint32_t seam_chunk_list[SEAM_CHUNK_LIST];
extern uint32_t seam_chunk_count;

// The slots of a chunk have 1 << this bytes; -1 where there is no chunk.
static inline int seam_slot_bits(uintptr_t addr) {
	return addr >> 48 ? -1 : __atomic_load_n(&seam_coro_chunks[addr >> SEAM_CHUNK_BITS_], __ATOMIC_ACQUIRE) - 1;
}

// The control block of the slot at addr, or NULL if it was never used.
seam_coro *seam_block_at(uintptr_t addr);

// All of them, one after the other, until NULL. In signal handlers too.
typedef struct {
	uint32_t chunk;
	uintptr_t at;
} seam_blocks;
seam_coro *seam_next_block(seam_blocks *all);

// The canary of a control block is this XOR the block's address.
#define SEAM_CANARY_ ((uintptr_t)0x7ea3c0de5ea31dea)
static inline int seam_is_whole(const seam_coro *co) { return co->canary == (SEAM_CANARY_ ^ (uintptr_t)co); }

static inline uintptr_t seam_word(uintptr_t addr) { return *(const uintptr_t *)addr; }

// Gives the memory of a stack back to the kernel, except the page of its control block.
void seam_stack_trim(seam_coro *co);

// How many bytes of the stack have been touched, in whole pages.
size_t seam_stack_touched(seam_coro *co);

// What fault.c must know to find the goroutine of a thread: how to read its g (in assembly),
// offsets in it, the saved program counter of a goroutine that is in C, and where the
// argument of coro.resume is from its stack pointer.
typedef struct {
	uintptr_t (*this_g)(void);
	uintptr_t g_id, m_procid, g_m, m_g0, m_curg, g_stack_lo, g_stack_hi, g_sched_sp, g_sched_pc, in_c, resume_arg;
} seam_runtime;

// Lets a coroutine whose function has returned leave the mailbox before others get its stack.
void seam_coro_settle(seam_coro *co);

// Installs handlers in front of Go's for the signals that end a program. Returns 0 or an
// errno value.
int seam_fault_watch(const seam_runtime *rt);

// The same for wake.c, or NULL: no coroutine runs here.
void seam_know_runtime(const seam_runtime *r);

// What profiles know of the entry into C. Package prof has the same struct.
typedef struct {
	uintptr_t pc;        // what the goroutine's saved context says while C runs
	uintptr_t low, high; // the entry
	uintptr_t frame;     // 0 if it has none, 1 if it has one
} seam_coro_standin;

extern seam_coro_standin seamcoro_standins_v1[1] __attribute__((visibility("hidden"))); // of two Go libraries in a process each has its own

// Ends the program if the coroutine that runs on this thread has led to the stack of another.
void seam_find_stray(void);

#endif

// Writes the name of the C function that contains an address, and 0. Returns its length, or
// 0 if the function isn't found. Safe in a signal handler.
size_t seam_function_name(uintptr_t addr, char *name, size_t room);

// What a coroutine's function is called, for messages from anywhere; of symbol.h.
#define seam_name_of(co) csys_named((co)->name, (uintptr_t)(co)->fn)

void seam_die(const char *message); // with a traceback

// Called by the unwinder when a thread is ended in a coroutine, see exit.c. Put this first
// into the coroutine's outermost function.
#if defined(__GCC_HAVE_DWARF2_CFI_ASM) && defined(__ELF__)
__attribute__((visibility("hidden"))) int seam_thread_ends(int, int, uint64_t, void *, void *);
#define SEAM_NO_THREAD_EXIT __asm__ volatile(".cfi_personality 0x1b, seam_thread_ends")
#else
#define SEAM_NO_THREAD_EXIT (void)0
#endif

// Starts the watch, see watch.c. seam_kept counts what it has found.
int seam_watch_start(void); // 0, or why there is none: an errno value
extern uint64_t seam_kept;
extern int (*seam_coro_brief)(uint64_t); // package netio's: whether a futex is a lock that is never held for long; else NULL

// For package netio, see wake.c.
seam_coro *seam_coro_elsewhere(void);  // the coroutine whose C runs here on a stack that C has made itself, or NULL
int seam_coro_due(seam_coro *co);      // whether it has run so long that it should give way
void seam_coro_switched(seam_coro *co); // it has switched to Go and back
uint32_t *seam_coro_owns(seam_coro *co); // see seam_below
void seam_coro_wake(seam_coro *co);    // ends its pause; any thread may call it while the coroutine can't end

// How many keepers seam_keep has registered.
extern uint32_t seam_keepers;

#ifdef SEAM_CORO_NATIVE_
// What keepers do for a coroutine at its start, at its end, and between: move what belongs to
// it off the thread or back to it.
void seam_coro_enter(seam_coro *co);
void seam_coro_leave(seam_coro *co);
void seam_coro_move(seam_coro *co, int back);

// Where errno is, from the thread pointer.
uint64_t seam_error_at(void);
#endif

// The descriptors that are being closed, see closing.c.
enum { SEAM_CLOSING_RING = 256 };
#define SEAM_CLOSED 0x80000000u // set with a descriptor that has been closed
void seam_coro_closing(int fd); // before the close
void seam_coro_closed(int fd);  // after it
void seam_closing_start(int fd); // announcements are written to this eventfd from now on
uint64_t seam_closing_number(void); // of a new announcement
void seam_closing_write(uint64_t seq, uint32_t fd);
extern uint64_t seam_closing_last;
extern uint64_t seam_closing_ring[SEAM_CLOSING_RING];
extern int32_t seam_waiters;
enum { SEAM_COUNTED = 1 << 16 };
extern int32_t seam_waited[SEAM_COUNTED]; // how many pollers have waits for the descriptor

// The fallback, see fallback.c.
seam_coro *seam_fallback_new(void);
int64_t seam_fallback_run(seam_coro *co);
void seam_fallback_switch(seam_coro *co);

// For systems other than Linux, see poll_other.c.
int seam_poll_one(int fd, uint32_t *events, int ms);
int seam_poll_many(void *fds, uint64_t n, int ms);

int64_t seam_monotonic(void);
void seam_call(uintptr_t f, uintptr_t arg);

#endif
