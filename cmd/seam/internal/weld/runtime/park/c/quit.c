/* SIGQUIT says who is in C, and where, before Go dumps its goroutines. */

#include "dump.h"

enum { PARK_GID = 152 }; /* g.goid: see internal/abi */

static int park_in_c(const void *who, const csys_sight *here, csys_in_c *c) {
	const seam_coro *co = (const seam_coro *)who;
	uint64_t g = __atomic_load_n(&co->g, __ATOMIC_ACQUIRE);
	const uintptr_t *saved = (const uintptr_t *)co->sp;
	if (!g || !co->function)
		return 0;
	memset(c, 0, sizeof *c);
	csys_copy(&c->goroutine, g + PARK_GID, sizeof c->goroutine);
	c->name = co->function->name;
	c->high = (uintptr_t)co->high;
	switch (__atomic_load_n(&co->state, __ATOMIC_RELAXED)) {
	case PARK_FRESH:
		c->does = "has not begun";
		c->high = 0;
		return 1;
	case PARK_RUNS:
		c->does = "runs on its worker";
		if (here->sp >= (uintptr_t)co->low && here->sp < c->high)
			c->at = *here;
		else if (!csys_look_well(co->worker->tid, &c->at) || c->at.sp < (uintptr_t)co->low || c->at.sp >= c->high)
			c->high = 0;
		return 1;
	case PARK_IN_GO:
		c->does = co->event == PARK_DONE ? "has returned" : "has called Go";
		break;
	default:
		c->does = "waits";
	}
	if ((char *)saved < co->low || (char *)saved + PARK_SAVED > co->high) {
		c->high = 0;
		return 1;
	}
	c->at.pc = saved[PARK_SAVED_PC];
	c->at.sp = (uintptr_t)saved + PARK_SAVED;
	c->at.fp = saved[PARK_SAVED_FP];
	return 1;
}

static struct sigaction park_gos_quit;

static void quits(int signal, siginfo_t *info, void *context) {
	static csys_dump dump;
	static int busy;
	csys_sight here = csys_met(context);
	int keep = errno, tries;
	if (!__atomic_exchange_n(&busy, 1, __ATOMIC_ACQ_REL)) {
		/* Who has the lock may be on this thread. */
		for (tries = 0; tries < 100 && own.pthread_mutex_trylock(&park_free.mu) != 0; tries++) {
			struct timespec ms = {0, 1000000};
			csys_call(SYS_nanosleep, (long)&ms, 0, 0, 0);
		}
		if (tries == 100)
			csys_say("seam: park: who is in C can't be listed: the list is locked\n");
		else {
			seam_coro *co;
			csys_dump_begin(&dump, "park");
			for (co = park_free.all; co; co = co->listed_after)
				csys_dump_add(&dump, park_in_c, co, &here);
			csys_dump_end(&dump);
			own.pthread_mutex_unlock(&park_free.mu);
		}
		__atomic_store_n(&busy, 0, __ATOMIC_RELEASE);
	}
	errno = keep;
	csys_pass_on(&park_gos_quit, signal, info, context);
}

void park_catch_quit(void) {
	struct sigaction ours;
	/* Not where nobody would dump, or the program is to be left alone. */
	if (sigaction(SIGQUIT, NULL, &park_gos_quit) != 0 || !(park_gos_quit.sa_flags & SA_ONSTACK))
		return;
	ours = park_gos_quit;
	ours.sa_sigaction = quits;
	ours.sa_flags |= SA_SIGINFO;
	sigaction(SIGQUIT, &ours, NULL);
}
