// Package weld tells a program what the guard of its welded C functions has
// seen.
//
// A program needs it only to look: the command "seam weld" welds programs that
// know nothing of Seam. In a program that was built without it there are no
// welded functions, and nothing here costs anything.
//
// To see them beside the program's other counters:
//
//	expvar.Publish("seam", weld.Var{})
package weld

import (
	"encoding/json"
	"time"
)

// State is how a welded function is called at the moment.
type State string

// The states of a function.
const (
	Probation State = "probation" // as a leaf, and every call is timed
	Leaf      State = "leaf"      // as a leaf, and some calls are timed
	Demoted   State = "demoted"   // through cgo: it was over budget too often
	Cgo       State = "cgo"       // through cgo: SEAM_LEAF=cgo, or the running Go has another layout than expected
)

// Function is a C function that the plan calls leaf. Functions with and without
// errno (r, err := C.f()) are two.
type Function struct {
	Name    string        `json:"name"` // import path, dot, name in C
	State   State         `json:"state"`
	Budget  time.Duration `json:"budget_ns"`
	Timed   uint64        `json:"timed"`      // calls that were timed
	Over    uint64        `json:"over"`       // of these, calls that took longer than Budget
	Longest time.Duration `json:"longest_ns"` // the longest of these
}

// Functions returns the welded functions that the program has called so far, in
// no particular order; none in a program that is not welded. The counters of
// functions that are being called may be some calls apart from each other.
func Functions() []Function { return functions() }

// Var is an expvar.Var whose value is the list of functions.
type Var struct{}

// String returns the functions as JSON.
func (Var) String() string {
	list := Functions()
	if list == nil {
		list = []Function{}
	}
	text, err := json.Marshal(list)
	if err != nil {
		return "[]" // nothing in a Function can fail
	}
	return string(text)
}
