// Whether this is a child process: a copy of the one that was started, or, after vfork, another that runs in its memory.
// None of its threads is there, and its coroutines and descriptors are not the child's to end or to wake.
#ifndef SEAM_CSYS_CHILD_H
#define SEAM_CSYS_CHILD_H
#include "kernel.h"
#include <pthread.h>
#include <sys/mman.h>

static pid_t csys_started; // the process that was started
static const volatile char *csys_page;
static int csys_forked;

static void csys_in_forked(void) { csys_forked = 1; }

static __attribute__((constructor(101))) void csys_know_process(void) {
	int keep = errno;
	char *page = mmap(NULL, 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	csys_started = (pid_t)csys_call(SYS_getpid, 0, 0, 0, 0);
	pthread_atfork(NULL, NULL, csys_in_forked);
	if (page != MAP_FAILED && madvise(page, 1, 18 /* MADV_WIPEONFORK */) == 0) {
		*page = 1;
		csys_page = page;
	}
	errno = keep;
}

// csys_copied reports whether this is a copy. fork tells it; what else makes one is known by a page that the kernel wipes
// there (qemu-user wipes none), or else (a kernel before 4.14) by the number.
CSYS inline int csys_copied(void) {
	return csys_forked || (csys_page ? !*csys_page : csys_call(SYS_getpid, 0, 0, 0, 0) != csys_started);
}

// csys_child also says it of a child of vfork. The number alone doesn't tell a first process in a container from its child
// that is first in another.
CSYS inline int csys_child(void) { return csys_copied() || csys_call(SYS_getpid, 0, 0, 0, 0) != csys_started; }

#endif
