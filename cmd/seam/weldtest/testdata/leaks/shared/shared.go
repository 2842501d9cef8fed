// Package shared gives memory to a shared library, which frees it later.
package shared

// #cgo LDFLAGS: -L${SRCDIR}/../lib -lgive -Wl,-rpath,${SRCDIR}/../lib
// #include <stdlib.h>
// extern void give(void *p);
// extern void *larger(void *p, size_t n);
// extern void give_back(void);
import "C"

// Give gives n blocks to the library, which lets go of all but one when asked
// to.
func Give(n int) {
	for range n {
		C.give(C.larger(C.malloc(30), 3000))
	}
	C.give_back()
}
