// Package bad gives a name to a C library and never frees it.
package bad

// #include <stdlib.h>
// int encode(const char *name, int *code);
import "C"

import "errors"

// Codes looks names up.
func Codes(names []string) (codes []int, err error) {
	for _, n := range names {
		cs := C.CString(n) // want warning "is never freed"
		var code C.int
		if C.encode(cs, &code) != 0 {
			return nil, errors.New("unknown name " + n)
		}
		codes = append(codes, int(code))
	}
	return codes, nil
}
