//go:build cgo && linux && (amd64 || arm64)

#include "_cgo_export.h"
#include <stdint.h>

void ctest_call_go(void *unused) {
	(void)unused;
	seamProfTestGo();
}

void ctest_call_go_often(void *times) {
	for (long i = 0; i < (long)(intptr_t)times; i++)
		seamProfTestGo();
}
