// Package ctest has C that allocates, for the tests of package heap.
package ctest

// #cgo CFLAGS: -O1
// #include <stdlib.h>
// #include <string.h>
// #include <sys/mman.h>
// #include <unistd.h>
// #include <sys/wait.h>
// __attribute__((noinline)) static void *heap_hold(size_t n) { return memset(malloc(n), 1, n); }
// static void *hold(size_t n) { void *p = heap_hold(n); __asm__ volatile("" ::: "memory"); return p; }
// static void *map_some(size_t n) { void *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); __asm__ volatile("" ::: "memory"); return p; }
// static int in_child(void) {
//	pid_t pid = fork();
//	if (pid == 0) {
//		for (int i = 0; i < 10000; i++)
//			free(hold(100));
//		_exit(7);
//	}
//	int status = 0;
//	waitpid(pid, &status, 0);
//	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
// }
import "C"

import "unsafe"

// Hold returns a block, which Free takes.
func Hold(n int) unsafe.Pointer { return C.hold(C.size_t(n)) }

// Free frees a block.
func Free(p unsafe.Pointer) { C.free(p) }

// Map maps memory, which Unmap takes.
func Map(n int) unsafe.Pointer { return C.map_some(C.size_t(n)) }

// Unmap unmaps it.
func Unmap(p unsafe.Pointer, n int) { C.munmap(p, C.size_t(n)) }

// InChild has a child that C makes by fork allocate and free, and returns its exit code: 7.
func InChild() int { return int(C.in_child()) }
