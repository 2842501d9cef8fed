// Package good has near misses.
package good

// #include <stdint.h>
import "C"

type table struct{ onRow func(int) error }

//export seamVetTestSafe
func seamVetTestSafe(h C.uintptr_t) (code C.int) {
	defer func() {
		if recover() != nil {
			code = 2
		}
	}()
	var t *table
	if t.onRow(1) != nil {
		panic("no")
	}
	return 0
}

func notExported() { panic("fine") }

//export seamVetTestPlain
func seamVetTestPlain(h C.uintptr_t) C.int { return helper(h) }

func helper(h C.uintptr_t) C.int { return C.int(h) }
