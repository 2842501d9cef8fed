//go:build cgo && linux && (amd64 || arm64)

// Recursion: of one function, of two that call each other, and without any order.
#include "ctest.h"

static unsigned order;

__attribute__((noinline, noipa)) void ctest_self(int n, ctest_end end, void *arg) {
	volatile char room[40];
	room[0] = 1;
	if (n > 0)
		ctest_self(n - 1, end, arg);
	else
		ctest_2(end, arg);
	room[1] = room[0];
}

__attribute__((noinline, noipa)) void ctest_even(int n, ctest_end end, void *arg) {
	volatile char room[24];
	room[0] = 1;
	if (n > 0)
		ctest_odd(n - 1, end, arg);
	else
		ctest_2(end, arg);
	room[1] = room[0];
}

__attribute__((noinline, noipa)) void ctest_odd(int n, ctest_end end, void *arg) {
	volatile char room[56];
	room[0] = 1;
	if (n > 0)
		ctest_even(n - 1, end, arg);
	else
		ctest_2(end, arg);
	room[1] = room[0];
}

__attribute__((noinline, noipa)) void ctest_mixed(int n, ctest_end end, void *arg) {
	volatile char room[24];
	room[0] = 1;
	order = order * 1664525 + 1013904223;
	if (n == 0)
		ctest_2(end, arg);
	else if (order >> 31)
		ctest_mixed(n - 1, end, arg);
	else if (order >> 30 & 1)
		ctest_mixed_too(n - 1, end, arg);
	else
		ctest_mixed(n - 1, end, arg);
	room[1] = room[0];
}

__attribute__((noinline, noipa)) void ctest_mixed_too(int n, ctest_end end, void *arg) {
	volatile char room[72];
	room[0] = 1;
	ctest_mixed(n, end, arg);
	room[1] = room[0];
}

void ctest_recurse(int which, int n, ctest_end end, void *arg) {
	static void (*const ways[])(int, ctest_end, void *) = {ctest_self, ctest_even, ctest_mixed};
	order = 1;
	ways[which](n, end, arg);
	__asm__ volatile("");
}
