// Package weld tells a program what the guard of its welded C functions has seen, and who
// waits for those that are bounded.
//
// A program needs the package only to look: the command "seam weld" welds programs that know
// nothing of Seam. A program built without it has no welded functions, and nothing here
// costs anything.
//
// To publish the figures with the program's other counters:
//
//	expvar.Publish("seam", expvar.Func(func() any { return weld.ReadStats() }))
package weld

import "time"

// A State says how a welded function is called at the moment.
type State string

// The states of a function.
const (
	Probation State = "probation" // as a leaf, with every call timed
	Leaf      State = "leaf"      // as a leaf, with some calls timed
	Coro      State = "coro"      // the same, of a function that calls Go
	Demoted   State = "demoted"   // through cgo: it was over budget too often, or called Go
	Cgo       State = "cgo"       // through cgo: SEAM_LEAF=cgo, or the running Go has another layout than expected
)

// A Function is a C function that the plan lists as leaf or coro. With errno (r, err := C.f()) and
// without it are two Functions.
type Function struct {
	Name    string        `json:"name"` // import path, dot, name in C
	State   State         `json:"state"`
	Budget  time.Duration `json:"budget_ns"`
	Timed   uint64        `json:"timed"`      // calls that were timed
	Over    uint64        `json:"over"`       // of these, calls that took longer than Budget
	Longest time.Duration `json:"longest_ns"` // the longest of these: of C, between two callbacks

	// Kept is how often the watch has found that the function has kept its processor for 200 ms or more. Each is named
	// once, on standard error. SEAM_WATCH=0 leaves the watch out.
	Kept uint64 `json:"kept"`
}

// A Bound is one of seam.plan: of a function, a group of functions or the whole program.
type Bound struct {
	Name    string `json:"name"`    // "offload:8 IMPORTPATH.FUNCTION", "offload:8 group=NAME" or "threads: 64"
	Threads int    `json:"threads"` // how many calls may be under way at once
	Inside  int    `json:"inside"`  // how many are
	Waiting int    `json:"waiting"` // goroutines that wait to come in

	// Calls made within the bound. Those of goroutines that are locked to a thread, in
	// callbacks for example, need no place and are not counted.
	Calls  uint64 `json:"calls"`
	Waited uint64 `json:"waited"` // of these, calls that had to wait
	Let    uint64 `json:"let"`    // calls beyond the bound, let in since no other had returned for SEAM_GUARD_LIMIT
}

// Stats is what is known, with JSON tags for expvar and the like.
type Stats struct {
	Functions []Function `json:"functions"`        // leaves called so far, in no particular order; none if the program is not welded
	Bounds    []Bound    `json:"bounds,omitempty"` // those met so far
}

// ReadStats returns the figures. The counters of a function that is being called may be a
// few calls apart from each other.
func ReadStats() Stats { return Stats{functions(), bounds()} }
