// Coroutines, which package coro and seam weld may have put into the program, or not.
#ifndef SEAM_COROUTINE_H
#define SEAM_COROUTINE_H

#include <stdint.h>

// As in coro/internal/native/list.c, which says what they are, and in the list.c of
// cmd/seam/internal/weld/runtime/park.
typedef struct {
	uintptr_t block, owner, resumer, pc, sp, fp, low, high, go_sp, go_fp, sp_at, sp_was, state_at;
	uint32_t state;
	int32_t what;
} seam_coroutine;

enum { SEAM_COROUTINE_NEW, SEAM_COROUTINE_WAITS, SEAM_COROUTINE_CALLS, SEAM_COROUTINE_RUNS };

// seam_coroutines stores what is known of at most max coroutines, and returns how many there
// are. They go on meanwhile.
int seam_coroutines(seam_coroutine *list, int max);

#endif
