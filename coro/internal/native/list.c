//go:build cgo

// The coroutines that there are.
#include "native.h"

#ifdef SEAM_CORO_NATIVE_
#include "coroutine.h"

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

int seamcoro_list_v1(seam_coroutine *list, int max) {
	int n = 0;
	seam_blocks all = {0, 0};
	for (const seam_coro *co; (co = seam_next_block(&all));) {
		if (!seam_is_whole(co) || co->go_g == NULL)
			continue;
		uint32_t op = __atomic_load_n(&co->op, __ATOMIC_RELAXED);
		if (n < max)
			list[n] = (seam_coroutine){(uintptr_t)co, (uintptr_t)seam_below_of(co)->owner, (uintptr_t)co->go_g, (uintptr_t)co->pc, (uintptr_t)co->sp, (uintptr_t)co->fp,
				(uintptr_t)co->stack_low, (uintptr_t)co->stack_high, (uintptr_t)co->go_sp, (uintptr_t)co->go_fp, (uintptr_t)&co->sp, (uintptr_t)co->sp, (uintptr_t)&co->op, op, what(op)};
		n++;
	}
	return n;
}
#endif
