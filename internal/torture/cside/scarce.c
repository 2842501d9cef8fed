// Memory that is refused. The linker sends calls of these functions here (--wrap) from all
// objects of the program: Seam's C, and runtime/cgo, whose mmap Go's heap uses. Only what
// Seam asks for is refused. Its stacks are the only mappings with MAP_NORESERVE, and
// runtime/cgo does not call mprotect.
#define _GNU_SOURCE
#include "torture.h"

#include <errno.h>
#include <sys/mman.h>

static uint64_t every, asked, refused;

void torture_scarce(uint64_t n) { __atomic_store_n(&every, n, __ATOMIC_RELAXED); }
uint64_t torture_refused(void) { return __atomic_load_n(&refused, __ATOMIC_RELAXED); }

static int refuse(void) {
	uint64_t n = __atomic_load_n(&every, __ATOMIC_RELAXED);
	if (n == 0 || __atomic_add_fetch(&asked, 1, __ATOMIC_RELAXED) % n != 0)
		return 0;
	__atomic_add_fetch(&refused, 1, __ATOMIC_RELAXED);
	errno = ENOMEM;
	return 1;
}

void *__real_mmap(void *at, size_t n, int prot, int flags, int fd, off_t offset);
int __real_mprotect(void *at, size_t n, int prot);

void *__wrap_mmap(void *at, size_t n, int prot, int flags, int fd, off_t offset) {
	if ((flags & MAP_NORESERVE) && refuse())
		return MAP_FAILED;
	return __real_mmap(at, n, prot, flags, fd, offset);
}

int __wrap_mprotect(void *at, size_t n, int prot) { return refuse() ? -1 : __real_mprotect(at, n, prot); }
