/* The calls that there are, for profiles of where goroutines wait. */

#include "coroutine.h"

/* No stack is given back meanwhile. */
PARK int seampark_list_v1(seam_coroutine *list, int max) {
	int n = 0;
	park_lock(&park_free.mu);
	seam_coro *co;
	for (co = park_free.all; co; co = co->listed_after) {
		uint64_t g = __atomic_load_n(&co->g, __ATOMIC_ACQUIRE);
		if (g == 0)
			continue;
		int state = __atomic_load_n(&co->state, __ATOMIC_RELAXED);
		uintptr_t sp = (uintptr_t)__atomic_load_n(&co->sp, __ATOMIC_RELAXED);
		const uintptr_t *saved = (const uintptr_t *)sp;
		seam_coroutine l = {.block = (uintptr_t)co, .owner = g, .low = (uintptr_t)co->low, .high = (uintptr_t)co->high,
			.sp = sp, .sp_at = (uintptr_t)&co->sp, .sp_was = sp, .state_at = (uintptr_t)&co->state, .state = (uint32_t)state};
		switch (state) {
		case PARK_FRESH: l.what = SEAM_COROUTINE_NEW; break;
		case PARK_RUNS: l.what = SEAM_COROUTINE_RUNS; break;
		case PARK_IN_GO: l.what = SEAM_COROUTINE_CALLS; break;
		default: l.what = SEAM_COROUTINE_WAITS;
		}
		/* What park_switch has saved. */
		if (sp % 8 == 0 && sp >= l.low && sp + PARK_SAVED <= l.high) {
			l.fp = saved[PARK_SAVED_FP];
			l.pc = saved[PARK_SAVED_PC];
			l.sp = sp + PARK_SAVED;
		} else if (l.what != SEAM_COROUTINE_RUNS)
			l.what = SEAM_COROUTINE_NEW;
		if (n < max)
			list[n] = l;
		n++;
	}
	park_unlock(&park_free.mu);
	return n;
}
