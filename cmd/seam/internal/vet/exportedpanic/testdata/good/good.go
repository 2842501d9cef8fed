// Package good has near misses.
package good

// #include <stdint.h>
// #include <string.h>
// int seamVetTestNothingHeld(int n);
// static int twice(int n) { return 2 * n + (int)strlen("rows"); }
// static int each(int n) { int i, s = 0; for (i = 0; i < n; i++) s += seamVetTestNothingHeld(twice(i)); return s; }
// static int some(int n) { return n > 0 ? each(n) : 0; }
import "C"

import (
	"errors"
	"fmt"
)

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

//export seamVetTestGuarded
func seamVetTestGuarded(n C.int) (code C.int) {
	defer guard(&code)
	panic(fmt.Errorf("%d rows", n))
}

func guard(code *C.int) {
	if recover() != nil {
		*code = 2
	}
}

//export seamVetTestWithin
func seamVetTestWithin(n C.int) C.int {
	return C.int(safely(int(n)))
}

func safely(n int) (code int) {
	defer func() {
		if recover() != nil {
			code = 2
		}
	}()
	if n < 0 {
		panic(fmt.Errorf("%d rows", n))
	}
	return 0
}

//export seamVetTestGuardedPart
func seamVetTestGuardedPart(n C.int) {
	func() {
		defer func() { _ = recover() }()
		panic(fmt.Errorf("%d rows", n))
	}()
}

//export seamVetTestElsewhere
func seamVetTestElsewhere(n C.int) {
	go func() { panic(fmt.Errorf("%d rows", n)) }()
}

//export seamVetTestErrorText
func seamVetTestErrorText(n C.int) C.int {
	err := fmt.Errorf("%d rows", n)
	return C.int(len(err.Error()))
}

// How many calls deep is looked at depends on the order of the source, and on nothing else.
//
//export seamVetTestDeep
func seamVetTestDeep(n C.int) { deep1(int(n)) }

func deep1(n int) { deep2(n) }

func deep2(n int) { deep3(n) }

func deep3(n int) { deep4(n) }

func deep4(n int) { deep5(n) }

func deep5(n int) {
	if n > 0 {
		panic(fmt.Errorf("%d rows", n))
	}
}

// What C calls it holds nothing, and who else may call it is seen too.
//
//export seamVetTestNothingHeld
func seamVetTestNothingHeld(n C.int) C.int {
	panic(fmt.Errorf("%d rows", n))
}

func rows(n int) int { return int(C.some(C.int(n))) }

// An error that is made of a constant says that something can't be, as a constant does.
//
//export seamVetTestCannot
func seamVetTestCannot(n C.int) { size(int(n)) }

func size(n int) {
	if n == 0 {
		panic(errors.New("internal error: size 0"))
	}
}
