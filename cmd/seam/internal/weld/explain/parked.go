package explain

import "github.com/seamgo/seam/cmd/seam/internal/weld/plan"

// isParked reports whether the plan parks the function.
func (f *function) isParked() bool { return f.line != nil && f.line.Mode == plan.Park }

// parked shows what the function becomes then.
func (f *function) parked() Section {
	s := Section{Title: "What it becomes when welded"}
	gen, err := f.weld()
	if err != nil {
		s.add(prose("It can't be welded: " + err.Error() + "."))
		return s
	}
	used := map[string]bool{}
	for _, stub := range f.stubs {
		if code := weldedStub(gen.Gotypes.Bytes(), stub.GoName); code != "" {
			s.add(Block{Code: annotate("_cgo_gotypes.go", code, parkedRemarks, used)})
		}
	}
	s.add(prose("While no other parked call is under way, and for a goroutine that is locked to its thread, this is a cgo call. Otherwise:"))
	s.add(way([][]string{
		{"cgo.SeamPark", "Copies the arguments to a stack of C's and gives it to a worker, one of a few threads. Then the goroutine waits for a mutex, which takes no thread.", notMeasured},
		{quotedName(f.Name), "The C itself, on that stack. Where libc would wait (a socket, a pipe, the time, a mutex, a condition, a semaphore), the worker goes on with other calls.", f.cTime()},
		{"crosscall2", "Where C calls Go: the worker wakes the goroutine, which runs the exported function and then gives the stack back to the worker.", notMeasured},
		{"cgo.seamParkWake", "C has returned: a callback of the worker wakes the goroutine, which copies the result.", notMeasured},
	}))
	s.add(prose("Its arguments escape as with cgo, since the goroutine's stack may move while it waits."))
	return s
}

var parkedRemarks = []remark{
	{"//go:cgo_import_static", "What is known of the function lies in C's memory: its wrapper for arguments that don't move, their size, the size of the stack."},
	{"_seam_parked(", "The call, see below. With the race detector it is a cgo call."},
}
