// A coroutine as it is listed for profiles of where goroutines wait, whichever package has made it: package coro, or what
// seam weld puts into a program. Package prof calls what lists them, where it is in the program.
#ifndef SEAM_CSYS_COROUTINE_H
#define SEAM_CSYS_COROUTINE_H

#include <stdint.h>

typedef struct {
	uintptr_t block;         // its control block
	uintptr_t owner;         // the g that waits for C; 0: resumer
	uintptr_t resumer;       // the g that has resumed it last; 0: a thread of C's has
	uintptr_t pc, sp, fp;    // where C goes on, if it doesn't run
	uintptr_t low, high;     // its stack
	uintptr_t go_sp, go_fp;  // resumer's, while C runs
	uintptr_t sp_at, sp_was; // where the stack pointer was read, and what was there
	uintptr_t state_at;      // the same of 32 bits that say what it does
	uint32_t state;
	int32_t what;
} seam_coroutine;

// What a coroutine does.
enum {
	SEAM_COROUTINE_NEW,   // it has not begun, or runs for the first time, or has ended
	SEAM_COROUTINE_WAITS, // it has asked for a wait; it may run again
	SEAM_COROUTINE_CALLS, // it has called Go; it may run again
	SEAM_COROUTINE_RUNS,
};

// Each stores what is known of at most max coroutines, and returns how many there are. They go on meanwhile.
int seamcoro_list_v1(seam_coroutine *list, int max);
int seampark_list_v1(seam_coroutine *list, int max);

#endif
