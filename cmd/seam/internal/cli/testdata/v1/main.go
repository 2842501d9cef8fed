// Command old is the program that the files of testdata/v1 tell of.
package main

// #include <stdlib.h>
// #include "point.h"
import "C"

import (
	"fmt"
	"unsafe"
)

//seam:layout struct point
type Point struct{ X, Y int32 }

var visits int

//export visited
func visited(n C.int) { visits++ }

func main() {
	sum := 0
	for i := range 5000 {
		p := Point{int32(i), 1}
		sum += int(C.point_sum((*C.struct_point)(unsafe.Pointer(&p))))
		sum += int(C.point_area(C.int(i), 2))
	}
	C.point_visit(3)
	for i := range 20 {
		s := C.CString(fmt.Sprint("point ", i))
		if i > 4 {
			C.free(unsafe.Pointer(s))
		}
	}
	done := make(chan int)
	for range 8 {
		go func() { done <- deep(200) }()
		sum += <-done
	}
	fmt.Println(sum, visits)
}

// deep takes some 100 bytes of stack a call.
//
//go:noinline
func deep(n int) int {
	var room [64]byte
	if n == 0 {
		return 0
	}
	room[n%64] = 1
	return deep(n-1) + int(room[(n+1)%64])
}
