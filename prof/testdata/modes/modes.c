// Functions that call each other, the innermost of which works. It seldom asks for the time: Debian's
// musl has no unwind tables.
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#define NEXT(n, call)                                    \
	__attribute__((noinline)) void modes_##n(long ms) { \
		volatile char room[40 * n];              \
		room[0] = 1;                             \
		call;                                    \
		room[1] = room[0];                       \
	}

static long now(void) {
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

__attribute__((noinline)) void modes_spin(long ms) {
	for (long end = now() + ms; now() < end;)
		for (volatile int i = 0; i < 200000; i++)
			;
}

NEXT(1, modes_spin(ms))
NEXT(2, modes_1(ms))
NEXT(3, modes_2(ms))

__attribute__((noinline)) void *modes_overflow(void *arg) {
	volatile char room[1000];
	room[0] = 1;
	modes_overflow(arg);
	room[1] = room[0];
	return NULL;
}

__attribute__((noinline)) void modes_crash(int way) {
	pthread_t t;
	if (way == 3 && pthread_create(&t, NULL, modes_overflow, NULL) == 0)
		pthread_join(t, NULL);
	if (way == 1)
		abort();
	if (way == 2)
		__builtin_trap();
	*(volatile int *)8 = 1;
}
