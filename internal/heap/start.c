//go:build cgo && linux && (amd64 || arm64) && !asan && !msan

// In a program that imports the package: the record is in memory, which the tool finds by its name.
#define _GNU_SOURCE
#include "heap.h"
#include "kernel.h"
#include "traceback.h"

#ifdef SEAM_UNWIND
#include <pthread.h>
#include <sys/mman.h>

extern int seam_heap_layout_known;
uintptr_t seam_heap_allocator_low, seam_heap_allocator_high;
static int refused;

int seam_heap_early(void) { return refused; }

static void before_fork(void) { seam_heap_lock_all(); }
static void after_fork(void) { seam_heap_unlock_all(); }
static void in_child(void) {
	seam_heap_unlock_all();
	seam_heap_self.m = 0;
	seam_heap_self.id = 0;
}

int seam_heap_start(uint64_t rate, int layout) {
	enum { CLOSE_ON_EXEC = 1 };
	uint64_t size = seam_heap_size();
	void *p = NULL;
	seam_heap_self.inside = 1;
	long fd = csys_kernel(SYS_memfd_create, (long)"seam-heap", CLOSE_ON_EXEC, 0, 0, 0, 0);
	if (fd >= 0) {
		long at = -1;
		if (csys_kernel(SYS_ftruncate, fd, (long)size, 0, 0, 0, 0) == 0) // private to this process: a child has a copy
			at = csys_kernel(SYS_mmap, 0, (long)size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
		p = at < 0 && at > -4096 ? NULL : (void *)at;
		csys_kernel(SYS_close, fd, 0, 0, 0, 0, 0);
	}
	if (!p) // a sandbox: seam heap --pid won't find it
		p = seam_pages(size);
	if (!p || pthread_atfork(before_fork, after_fork, in_child) != 0) {
		refused = 1;
		seam_heap_self.inside = 0;
		return ENOMEM;
	}
	seam_heap_head *r = p;
	seam_heap_layout(r, rate);
	r->go_low = seam_go_low;
	r->go_high = seam_go_high;
	csys_kernel(SYS_readlinkat, -100 /* AT_FDCWD */, (long)"/proc/self/exe", (long)r->exe, sizeof r->exe - 1, 0, 0);
	seam_heap_layout_known = layout;
	seam_heap_begin(r);
	seam_heap_self.inside = 0;
	return seam_heap_record ? 0 : ENOMEM;
}

// As in malloc.h of glibc 2.33; other libraries have none.
typedef struct {
	size_t arena, ordblks, smblks, hblks, hblkhd, usmblks, fsmblks, uordblks, fordblks, keepcost;
} counters;
extern counters mallinfo2(void) __attribute__((weak));

void seam_heap_arenas(int64_t *held, int64_t *unused) {
	counters c = {0};
	if (mallinfo2)
		c = mallinfo2();
	*held = (int64_t)(c.arena + c.hblkhd);
	*unused = (int64_t)c.fordblks;
}

int seam_heap_symbol(uintptr_t pc, const char **name) {
	seam_symbol_arg arg = {.pc = pc};
	seam_symbolize(&arg);
	*name = arg.function;
	return arg.function != NULL;
}
#endif
