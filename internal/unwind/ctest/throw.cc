//go:build cgo && linux && (amd64 || arm64)

#include "ctest.h"

static __attribute__((noinline)) long down(int depth) {
	if (depth == 0)
		throw 1L;
	return down(depth - 1) + 1;
}

long ctest_throw(long times) {
	ctest_weather w;
	long caught = 0;
	if (ctest_storm(&w) != 0)
		return -1;
	while (times-- > 0) {
		try {
			down(10);
		} catch (long n) {
			caught += n;
		}
	}
	ctest_calm(&w);
	return caught;
}
