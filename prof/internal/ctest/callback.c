//go:build cgo && linux && (amd64 || arm64)

#include "_cgo_export.h"

void ctest_call_go(void *unused) {
	(void)unused;
	seamProfTestGo();
}
