package good

// #include <stdint.h>
// typedef struct { const float *in; long frames; } data;
// int by_number(uintptr_t n);
import "C"

import (
	"fmt"
	"runtime"
	"unsafe"
)

func keptAlive(f func(uintptr) int) int {
	var n int
	p := uintptr(unsafe.Pointer(&n))
	r := f(p)
	runtime.KeepAlive(&n)
	return r
}

func shown() {
	var n int
	p := uintptr(unsafe.Pointer(&n))
	fmt.Println(p)
}

func aligned() bool {
	var n int
	p := uintptr(unsafe.Pointer(&n))
	return p%8 == 0
}
