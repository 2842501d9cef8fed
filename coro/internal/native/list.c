//go:build cgo

// The coroutines that there are, for profiles of where goroutines wait. Package prof, which
// is not one of those that this one is linked with always, has the same struct, and calls
// the function if there is one.
#include "native.h"

#ifdef SEAM_CORO_NATIVE_
#include <sys/mman.h>
#include <unistd.h>

// A coroutine of Seam's, whichever package made it.
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
	int32_t what; // SEAM_COROUTINE_…
} seam_coroutine;

enum {
	SEAM_COROUTINE_NEW,   // it has not begun, or runs for the first time, or has ended
	SEAM_COROUTINE_WAITS, // it has asked for a wait; it may run again
	SEAM_COROUTINE_CALLS, // it has called Go; it may run again
	SEAM_COROUTINE_RUNS,
};

int seamcoro_list_v1(seam_coroutine *list, int max);

seam_coro_standin seamcoro_standins_v1[1];

static int what(uint32_t op) {
	switch (op) {
	case SEAM_OP_WAIT_FD_:
	case SEAM_OP_WAIT_FDS_:
	case SEAM_OP_SLEEP_:
	case SEAM_OP_DETACH_:
	case SEAM_OP_PAUSE_:
	case SEAM_OP_BLOCKS_:
		return SEAM_COROUTINE_WAITS;
	case SEAM_OP_UPCALL_:
	case SEAM_OP_YIELD_:
	case SEAM_OP_OFFLOAD_:
		return SEAM_COROUTINE_CALLS;
	}
	return SEAM_COROUTINE_NEW;
}

// seamcoro_list_v1 stores what is known of at most max coroutines, and returns how many there
// are. They go on meanwhile.
int seamcoro_list_v1(seam_coroutine *list, int max) {
	int n = 0;
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), chunk_size = (uintptr_t)1 << SEAM_CHUNK_BITS_;
	uint32_t count = __atomic_load_n(&seam_chunk_count, __ATOMIC_RELAXED);
	for (uint32_t i = 0; i < count && i < SEAM_CHUNK_LIST; i++) {
		uintptr_t chunk = (uintptr_t)__atomic_load_n(&seam_chunk_list[i], __ATOMIC_RELAXED) << SEAM_CHUNK_BITS_;
		unsigned bits = chunk ? __atomic_load_n(&seam_coro_chunks[chunk >> SEAM_CHUNK_BITS_], __ATOMIC_ACQUIRE) : 0;
		if (!bits)
			continue;
		// One whose block was never touched, or lies on a disk, is none.
		uintptr_t size = (uintptr_t)1 << (bits - 1);
		for (uintptr_t end = chunk + chunk_size; end > chunk; end -= size) {
			const seam_coro *co = (const seam_coro *)(end - SEAM_CORO_ROOM_);
			unsigned char resident;
			if (mincore((void *)((uintptr_t)co & ~(page - 1)), 1, &resident) != 0 || !(resident & 1))
				continue;
			if (co->canary != (SEAM_CANARY_ ^ (uintptr_t)co) || co->go_g == NULL)
				continue;
			uint32_t op = __atomic_load_n(&co->op, __ATOMIC_RELAXED);
			if (n < max)
				list[n] = (seam_coroutine){(uintptr_t)co, (uintptr_t)seam_below_of(co)->owner, (uintptr_t)co->go_g, (uintptr_t)co->pc, (uintptr_t)co->sp, (uintptr_t)co->fp,
					(uintptr_t)co->stack_low, (uintptr_t)co->stack_high, (uintptr_t)co->go_sp, (uintptr_t)co->go_fp, (uintptr_t)&co->sp, (uintptr_t)co->sp, (uintptr_t)&co->op, op, what(op)};
			n++;
		}
	}
	return n;
}
#endif
