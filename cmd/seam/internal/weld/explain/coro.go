package explain

import "github.com/seamgo/seam/cmd/seam/internal/weld/plan"

// isCoro reports whether the plan says that the function calls Go as a matter of course.
func (f *function) isCoro() bool { return f.line != nil && f.line.Mode == plan.Coro }

// unweldable says why the function can't be what the plan says, or a leaf; "" if it can.
func (f *function) unweldable() string {
	what := f.Function
	if f.isCoro() || f.isParked() {
		what.Params = nil // a C function pointer is no hindrance
	}
	return f.cannot(what)
}

// coro shows what the function becomes then.
func (f *function) coro() Section {
	s := Section{Title: "What it becomes when welded"}
	gen, err := f.weld()
	if err != nil {
		s.add(prose("It can't be welded: " + err.Error() + "."))
		return s
	}
	used := map[string]bool{}
	for _, stub := range f.stubs {
		if code := weldedStub(gen.Gotypes.Bytes(), stub.GoName); code != "" {
			s.add(Block{Code: annotate("_cgo_gotypes.go", code, coroStubRemarks, used)})
		}
		file, w := gen.Wrapper(stub)
		if code := weldedWrapper(file.Bytes(), w.Symbol); code != "" {
			s.add(Block{Code: annotate(file.Name, code, coroWrapperRemarks, used)})
		}
	}
	s.add(way([][]string{
		{"cgo.SeamCallCoro", "As for a leaf: switches to g0's stack and calls the entry. The scheduler doesn't learn of it.", f.prices.step(labSwitch, "")},
		{quotedName(f.Name), "The C itself, which keeps its processor from Go until it returns, calls Go or waits in libc.", f.cTime()},
		{"cgo.seamFromC", "Where C calls Go. It finds that the goroutine's saved context names a coro function, lowers g0's saved stack pointer below C's frames, and switches to the goroutine's stack, which stands in seamCFunctionCallsGo as if that had been called in place of C. The first callback of a call locks the goroutine to its thread until C returns.", notMeasured},
		{"cgo.seamDirect", "Calls the exported function with the arguments that C has made. Go may block, panic, grow the stack, and call C.", notMeasured},
	}))
	s.add(prose("Its arguments escape as with cgo, since the stack may move while Go runs."))
	return s
}

var coroStubRemarks = []remark{
	{"//go:cgo_import_static", "The function's slot lies in C's memory: a struct that says how the function is called now."},
	{"//go:norace", "The slot may change while the stub reads it, which is meant: nothing for the race detector."},
	{"Entry; seam != nil", "One load and a test. The entry is nil before the first call, and after the guard has found C too slow."},
	{"_seam_CallCoro(seam,", "The call, see below."},
	{"_seam_slow_coro(", "The slow path: before the first call it finds out whether such calls work here, and it calls a demoted function the way cgo does."},
}

var coroWrapperRemarks = []remark{
	{"static ", "cgo's wrapper, under another name and static, so that the C compiler can inline it into its only callers."},
	{"SEAM_CORO", "Defines what Go calls instead: count down to the next call that is timed, and call the wrapper. The last two numbers are the budget in nanoseconds, for C between two callbacks, and how many of a million calls may exceed it."},
}
