// Package bad panics through C.
package bad

// #include <stdint.h>
// #include <stdlib.h>
// typedef int (*row)(int);
// int seamVetTestHeld(int n);
// int seamVetTestChanged(int n);
// int seamVetTestByPointer(int n);
// int seamVetTestTaken(int n);
// static int held(int n) { char *p = malloc(n); n = seamVetTestHeld(n); free(p); return n; }
// static int outer(int n) { char *p = malloc(n); n = seamVetTestHeld(n); free(p); return n; }
// static int busy;
// static int changed(int n) { busy = 1; n = seamVetTestChanged(n); busy = 0; return n; }
// static int direct(int n) { return seamVetTestByPointer(n) + seamVetTestTaken(n); }
// void unseen(row r, int n);
// static void pass(int n) { unseen(seamVetTestTaken, n); }
import "C"

import (
	"errors"
	"fmt"
	"log"
	"runtime/cgo"
)

type table struct{ onRow func(int) error }

var tables = map[uintptr]*table{}

//export seamVetTestRow
func seamVetTestRow(h C.uintptr_t) C.int {
	t := tables[uintptr(h)]
	if t == nil {
		panic("no table") // want note "this panic goes past C's frames"
	}
	if err := t.onRow(2); err != nil { // want note "t.onRow"
		panic(err) // want warning "this panic goes past C's frames"
	}
	if t.onRow(1) != nil { // want note "t.onRow is code of somebody else"
		return 1
	}
	return 0
}

//export seamVetTestMust
func seamVetTestMust(n C.int) C.int {
	return C.int(number(int(n))) // want warning "a panic of number goes past C's frames"
}

func number(n int) int {
	must(tables[uintptr(n)].onRow(n))
	return n
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

//export seamVetTestHandle
func seamVetTestHandle(h C.uintptr_t) {
	cgo.Handle(h).Value().(func())() // want note "is code of somebody else"
}

var byNumber = map[int]func() int{}

//export seamVetTestByNumber
func seamVetTestByNumber(n C.int) C.int {
	return C.int(byNumber[int(n)]()) // want note "byNumber[int(n)] is code of somebody else"
}

// Handler is what users of the package implement.
type Handler interface{ OnRow(n int) }

var handlers = map[C.int]Handler{}

//export seamVetTestMethod
func seamVetTestMethod(n C.int) {
	h := handlers[n]
	h.OnRow(int(n)) // want note "h.OnRow is code of somebody else"
}

//export seamVetTestDeep
func seamVetTestDeep(n C.int) {
	dispatch(n) // want note "dispatch calls handlers[n].OnRow, which is code of somebody else"
}

func dispatch(n C.int) { handlers[n].OnRow(1) }

//export seamVetTestText
func seamVetTestText(n C.int) {
	check(int(n)) // want note "a panic of check goes past C's frames"
}

func check(n int) {
	if n < 0 {
		panic(fmt.Sprintf("%d rows", n))
	}
}

//export seamVetTestLog
func seamVetTestLog(n C.int) {
	if n < 0 {
		log.Panicf("%d rows", n) // want warning "this panic goes past C's frames"
	}
}

//export seamVetTestAtOnce
func seamVetTestAtOnce(n C.int) {
	func() {
		if n < 0 {
			panic(fmt.Errorf("%d rows", n)) // want warning "this panic goes past C's frames"
		}
	}()
}

// recover does nothing in a function that isn't deferred.
//
//export seamVetTestInVain
func seamVetTestInVain(n C.int) {
	_ = recover()
	if n < 0 {
		panic(fmt.Errorf("%d rows", n)) // want warning "this panic goes past C's frames"
	}
}

//export seamVetTestHeld
func seamVetTestHeld(n C.int) C.int {
	panic(fmt.Errorf("%d rows", n)) // want warning "this panic goes past C's frames"
}

//export seamVetTestChanged
func seamVetTestChanged(n C.int) C.int {
	panic(fmt.Errorf("%d rows", n)) // want warning "this panic goes past C's frames"
}

//export seamVetTestByPointer
func seamVetTestByPointer(n C.int) C.int {
	panic(fmt.Errorf("%d rows", n)) // want warning "this panic goes past C's frames"
}

//export seamVetTestTaken
func seamVetTestTaken(n C.int) C.int {
	panic(fmt.Errorf("%d rows", n)) // want warning "this panic goes past C's frames"
}

func rows(n int) {
	C.held(C.int(n))
	C.outer(C.int(n))
	C.changed(C.int(n))
	C.direct(C.int(n))
	C.unseen(C.row(C.seamVetTestByPointer), C.int(n))
	C.pass(C.int(n))
}

//export seamVetTestCannot2
func seamVetTestCannot2(n C.int) {
	panic(errors.New("internal error: size 0")) // want note "this panic goes past C's frames"
}
