package explain

import (
	"fmt"

	"github.com/seamgo/seam/cmd/seam/internal/quantity"
	"github.com/seamgo/seam/cmd/seam/internal/weld/plan"
	"github.com/seamgo/seam/cmd/seam/internal/weld/rewrite"
)

// isBounded reports whether the plan lets only so many goroutines at once into the function.
func (f *function) isBounded() bool {
	if f.Plan == nil {
		return false
	}
	l := rewrite.Leaves{Plan: f.Plan}
	return f.line != nil && f.line.Mode == plan.Offload || l.Counts(f.ImportPath, f.Name)
}

// bounded shows what the function becomes then.
func (f *function) bounded() Section {
	s := Section{Title: "What it becomes when welded"}
	if e := f.line; e != nil && e.Mode == plan.Offload {
		with := ""
		if e.Group != "" {
			with = ", shared by all functions of the group " + e.Group
		}
		s.add(prose(fmt.Sprintf("The plan lets %s at once into it%s. Calls beyond that wait in Go, where a goroutine takes no thread.", quantity.Plural(e.Threads, "goroutine"), with)))
	}
	if (&rewrite.Leaves{Plan: f.Plan}).Counts(f.ImportPath, f.Name) {
		s.add(prose(fmt.Sprintf("The plan lets %s at once into all C of the program that is called as Go calls C, and this function is one of it.", quantity.Plural(f.Plan.Threads, "goroutine"))))
	}
	gen, err := f.weld()
	if err != nil {
		s.add(prose("It can't be welded: " + err.Error() + "."))
		return s
	}
	for _, stub := range f.stubs {
		if code := weldedStub(gen.Gotypes.Bytes(), stub.GoName); code != "" {
			s.add(Block{Code: annotate("_cgo_gotypes.go", code, boundedRemarks, map[string]bool{})})
		}
	}
	s.add(prose("The call is cgo's, with its price, its wrapper and its callbacks. A goroutine that is locked to its thread, as each is that runs in a callback, never waits: the thread is there anyway. The place is given back when the call returns, panics or ends the goroutine."))
	return s
}

var boundedRemarks = []remark{
	{"_seam_bounded", "Takes a place in C's memory, one that this thread used before if it is free, and waits for one if all are taken. Then it makes cgo's call."},
}
