// Command symbols calls a C function that package leaf was given no name for.
// With guard mode on, the report must name it by its symbol.
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
*/
import "C"

import (
	"fmt"
	"unsafe"

	"github.com/seamgo/seam/leaf"
)

func main() {
	ns := int64(2e6)
	leaf.Call(unsafe.Pointer(C.busy), unsafe.Pointer(&ns))
	fmt.Println(leaf.ReadStats().Functions[0].Name)
}
