// Package bad copies for nothing.
package bad

// static const char *name(int n) { return "name"; }
import "C"

import "strconv"

func find(n int) (sum int) {
	for i := range n {
		if C.GoString(C.name(C.int(i))) == "x" { // want note "only compared"
			return i
		}
		k, _ := strconv.Atoi(C.GoString(C.name(0))) // want note "only parsed"
		sum += k + len(C.GoString(C.name(1)))       // want note "only measured"
	}
	return sum
}

func named(n int) (sum int) {
	for range n {
		s := C.GoString(C.name(0)) // want note "only compared"
		if s == "x" || s == "y" {
			sum++
		}
	}
	return sum
}
