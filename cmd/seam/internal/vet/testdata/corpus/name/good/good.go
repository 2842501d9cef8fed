// Package good frees the name.
package good

// #include <stdlib.h>
// int encode(const char *name, int *code);
import "C"

import (
	"errors"
	"unsafe"
)

func code(name string) (int, error) {
	cs := C.CString(name)
	defer C.free(unsafe.Pointer(cs))
	var code C.int
	if C.encode(cs, &code) != 0 {
		return 0, errors.New("unknown name " + name)
	}
	return int(code), nil
}

// Codes looks names up.
func Codes(names []string) (codes []int, err error) {
	for _, n := range names {
		c, err := code(n)
		if err != nil {
			return nil, err
		}
		codes = append(codes, c)
	}
	return codes, nil
}
