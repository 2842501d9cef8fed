//go:build cgo

// C that ends its thread in a coroutine (pthread_exit, thrd_exit, a cancellation) takes a
// thread from Go that Go waits for at the next collection, without a word. glibc unwinds the
// stack before it ends a thread and asks the personality routine of every frame. This is
// the one of a coroutine's outermost frame. An ordinary cleanup (__attribute__((cleanup)))
// would do, but needs libgcc_s in programs that have no other use for it.
#include "native.h"
#include "symbol.h"
#include <stdlib.h>

#ifdef __GCC_HAVE_DWARF2_CFI_ASM
int seam_thread_ends(int version, int actions, uint64_t class, void *exception, void *context) {
	enum { FORCE_UNWIND = 8, CONTINUE_UNWIND = 8 }; // as in unwind.h
	(void)version, (void)class, (void)exception, (void)context;
	if (!(actions & FORCE_UNWIND))
		return CONTINUE_UNWIND; // a C++ exception that nobody catches ends the program by itself
	seam_coro *co = seam_self();
	csys_say("seam: coro: C function ", co ? seam_name_of(co) : "", " has ended its thread (pthread_exit or a cancellation), which belongs to Go: return instead\n");
	abort();
}
#endif
