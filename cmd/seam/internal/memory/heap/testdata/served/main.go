// A program that counts what C allocates by package prof/heap: it holds 100 blocks, says so, and waits.
package main

// #cgo CFLAGS: -O1 -g
// #include <stdlib.h>
// static void *volatile keep;
// __attribute__((noinline)) static void *served_site(size_t n) { void *p = malloc(n); keep = p; return p; }
// static void serve(int n) { while (n-- > 0) served_site(500); }
import "C"

import (
	"fmt"
	"os"

	"github.com/seamgo/seam/prof/heap"
)

func main() {
	if err := heap.Status(); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	C.serve(100)
	fmt.Println("ready")
	_, _ = os.Stdin.Read(make([]byte, 1))
}
