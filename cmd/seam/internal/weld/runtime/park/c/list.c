/* The calls that there are, for profiles of where goroutines wait. Package prof, in another
 * package of the program, has the same struct, and calls the function if there is one. */

/* A coroutine of Seam's, whichever package made it: as in coro/internal/native/list.c. */
typedef struct {
	uintptr_t block, owner, resumer, pc, sp, fp, low, high, go_sp, go_fp, sp_at, sp_was, state_at;
	uint32_t state;
	int32_t what;
} park_listed;

enum { PARK_LISTED_NEW, PARK_LISTED_WAITS, PARK_LISTED_CALLS, PARK_LISTED_RUNS };

int seampark_list_v1(park_listed *list, int max) PARK;

/* seampark_list_v1 stores what is known of at most max calls, and returns how many there are.
 * They go on meanwhile, but no stack is given back. */
int seampark_list_v1(park_listed *list, int max) {
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
		park_listed l = {.block = (uintptr_t)co, .owner = g, .low = (uintptr_t)co->low, .high = (uintptr_t)co->high,
			.sp = sp, .sp_at = (uintptr_t)&co->sp, .sp_was = sp, .state_at = (uintptr_t)&co->state, .state = (uint32_t)state};
		switch (state) {
		case PARK_FRESH: l.what = PARK_LISTED_NEW; break;
		case PARK_RUNS: l.what = PARK_LISTED_RUNS; break;
		case PARK_IN_GO: l.what = PARK_LISTED_CALLS; break;
		default: l.what = PARK_LISTED_WAITS;
		}
		/* What park_switch has saved. */
		if (sp % 8 == 0 && sp >= l.low && sp + PARK_SAVED <= l.high) {
			l.fp = saved[PARK_SAVED_FP];
			l.pc = saved[PARK_SAVED_PC];
			l.sp = sp + PARK_SAVED;
		} else if (l.what != PARK_LISTED_RUNS)
			l.what = PARK_LISTED_NEW;
		if (n < max)
			list[n] = l;
		n++;
	}
	park_unlock(&park_free.mu);
	return n;
}
