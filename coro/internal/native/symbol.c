//go:build cgo

#include "native.h"
#include "symbol.h"

#if defined(__linux__) && defined(__LP64__)
size_t seam_function_name(uintptr_t addr, char *name, size_t room) {
	uintptr_t into;
	return csys_symbol(addr, name, room, &into, NULL, 0);
}
#else
size_t seam_function_name(uintptr_t addr, char *name, size_t room) {
	(void)addr, (void)name, (void)room;
	return 0;
}
#endif
