// Command symbols calls a C function that package leaf was given no name for.
// With guard mode on, the report must name it by its symbol, also if the first function was
// called when there were no descriptors.
package main

/*
#include <stdint.h>
#include <time.h>
void busy(void *p) {
	struct timespec a, b;
	clock_gettime(CLOCK_MONOTONIC, &a);
	do clock_gettime(CLOCK_MONOTONIC, &b);
	while ((b.tv_sec - a.tv_sec) * 1000000000LL + b.tv_nsec - a.tv_nsec < *(int64_t *)p);
}
void early(void *p) { (void)p; }
*/
import "C"

import (
	"fmt"
	"syscall"
	"unsafe"

	"github.com/seamgo/seam/leaf"
)

func main() {
	var limit syscall.Rlimit
	_ = syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit)
	_ = syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Max: limit.Max})
	leaf.Call(unsafe.Pointer(C.early), nil)
	_ = syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit)
	ns := int64(2e6)
	leaf.Call(unsafe.Pointer(C.busy), unsafe.Pointer(&ns))
	for _, f := range leaf.ReadStats().Functions {
		fmt.Println(f.Name)
	}
}
