// Program checks passes pointers to C: such as cgo's rules allow, and, if its argument says so, a
// pointer to Go memory that has another.
package main

// #include <errno.h>
// struct pair { void *p; int n; };
// static int count(struct pair *p) { return p->n; }
// static int first(int *list, struct pair *p) { return list[0] + p->n; }
// static int fails(struct pair *p, int *n) { errno = ERANGE; return p->n + *n; }
// static int hidden(struct pair *p) { return p->n; }
// static int demoted(struct pair *p) { return p->n; }
import "C"

import (
	"fmt"
	"os"
	"unsafe"
)

type holder struct {
	pair C.struct_pair
	list [4]C.int
}

func main() {
	h := &holder{}
	h.pair.n = 7
	h.list = [4]C.int{1, 2, 3, 4}
	slice := h.list[1:]
	fmt.Println(C.count(&h.pair), C.first(&h.list[2], &h.pair), C.first(&slice[0], &h.pair))
	n, err := C.fails(&h.pair, &slice[C.count(&h.pair)-6])
	fmt.Println(n, err)
	if len(os.Args) < 2 {
		return
	}
	h.pair.p = unsafe.Pointer(new([100]byte))
	switch os.Args[1] {
	case "leaf":
		fmt.Println(C.count(&h.pair))
	case "coro":
		fmt.Println(C.fails(&h.pair, &h.list[0]))
	case "hidden":
		fmt.Println(unchecked(h))
	case "cgo":
		fmt.Println(C.demoted(&h.pair))
	}
}

// unchecked turns the check off for its calls, as some packages do.
func unchecked(h *holder) C.int {
	_cgoCheckPointer := func(interface{}, interface{}) {}
	return C.hidden(&h.pair)
}
