#ifndef SEAM_CORO_NATIVE_H
#define SEAM_CORO_NATIVE_H

#include <seam/coro.h>

#ifdef SEAM_CORO_NATIVE_

// Where a new coroutine begins. Runs its function, says that it is done and switches out for
// good.
void seam_coro_entry(seam_coro *co);

// Reserves address space for stacks in slots of 1 << bits bytes. Returns the
// address of seam_chunk_slots(bits) slots, or NULL with errno set.
char *seam_stack_chunk(unsigned bits);

// Makes a slot usable: its upper half is the stack, its lower half stays
// inaccessible. Returns its control block, or NULL with errno set.
seam_coro *seam_stack_commit(char *slot, unsigned bits);

// Gives the memory of a stack back to the kernel, except the page of its control block.
void seam_stack_trim(seam_coro *co);

// How many bytes of the stack have been touched, in whole pages.
size_t seam_stack_touched(seam_coro *co);

// Installs a SIGSEGV handler, in front of the present one, that reports overflows of
// coroutine stacks. Returns 0 or an errno value.
int seam_stack_watch(void);

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

// The fallback, see fallback.c.
int64_t seam_fallback_run(seam_coro *co);
void seam_fallback_switch(seam_coro *co);

// For systems other than Linux, see poll_other.c.
int seam_poll_one(int fd, uint32_t *events, int ms);
int seam_poll_many(void *fds, uint64_t n, int ms);

int64_t seam_monotonic(void);
void seam_call(uintptr_t f, uintptr_t arg);

#endif
