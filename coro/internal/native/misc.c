//go:build cgo

#include "native.h"
#include "symbol.h"
#include <stdlib.h>

int64_t seam_monotonic(void) { return csys_now(); }

void seam_call(uintptr_t f, uintptr_t arg) { ((void (*)(void *))f)((void *)arg); }

void seam_die(const char *message) {
	csys_say(message);
	abort();
}

size_t seam_function_name(uintptr_t addr, char *name, size_t room) {
	uintptr_t into;
	return csys_symbol(addr, name, room, &into, NULL, 0);
}
