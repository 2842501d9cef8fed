#include "_cgo_export.h"

static int stop;

static void until(void)
{
	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED))
		;
}

void release(void) { __atomic_store_n(&stop, 1, __ATOMIC_RELAXED); }

void computes(void)
{
	until();
	stop = 0;
}

void spins(void)
{
	goTick();
	until();
	stop = 0;
}

void visits(void)
{
	while (goTick())
		;
}
