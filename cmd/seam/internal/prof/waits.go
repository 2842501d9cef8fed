package prof

import (
	"cmp"
	"slices"
	"strings"
)

// A Wait is a place where goroutines wait.
type Wait struct {
	In     string // what doesn't return: a function of Go, an operation, or the first and the last function of C
	Kind   Kind
	Caller string // who called it, in a package that isn't the standard library's if there is one
	Time   int64
}

// Waits lists where goroutines wait, the longest first.
func (p *Profile) Waits() []Wait {
	of := p.Of(Wall)
	if of < 0 {
		return nil
	}
	type place struct {
		in, caller string
		kind       Kind
	}
	sums := map[place]int64{}
	for _, s := range p.Stacks {
		if s.Values[of] > 0 {
			in, kind, caller := p.wait(s)
			sums[place{in, caller, kind}] += s.Values[of]
		}
	}
	var list []Wait
	for at, v := range sums {
		list = append(list, Wait{at.in, at.kind, at.caller, v})
	}
	slices.SortFunc(list, func(a, b Wait) int {
		return cmp.Or(cmp.Compare(b.Time, a.Time), cmp.Compare(a.In, b.In), cmp.Compare(a.Caller, b.Caller), cmp.Compare(a.Kind, b.Kind))
	})
	return list
}

// operations are the runtime's functions that the language calls.
var operations = map[string]string{
	"runtime.chanrecv1": "receive from a channel", "runtime.chanrecv2": "receive from a channel", "runtime.chansend1": "send to a channel",
	"runtime.selectgo": "select", "runtime.block": "select {}", "runtime.notetsleepg": "sleep in the runtime",
}

// wait says of a stack where it waits.
func (p *Profile) wait(s *Stack) (in string, kind Kind, caller string) {
	last := "" // of C
	for _, n := range s.Frames {
		f := p.Frames[n]
		switch {
		case f.Func == queue:
			return queue, Kernel, ""
		case ofCoroutines(f.Func):
		case f.Kind == C || f.Kind == CXX || f.Kind == Rust:
			last = cmp.Or(last, f.Func)
			in, kind = f.Func, f.Kind
		case f.Kind == Crossing:
		case operations[f.Func] != "":
			in = cmp.Or(in, operations[f.Func])
		case ofRuntime(f.Func):
		case in == "":
			in = f.Func
			if !isStandard(f.Func) {
				caller = f.Func
			}
		case !isStandard(f.Func):
			caller = cmp.Or(caller, f.Func)
		}
		if caller != "" {
			break
		}
	}
	if last != "" && last != in {
		in += " … " + last
	}
	if in == "" && len(s.Frames) > 0 {
		in = p.Frames[s.Frames[0]].Func
	}
	if caller == "" && len(s.Frames) > 0 { // all of it is the standard library's: by what it began with
		if first := p.Frames[s.Frames[len(s.Frames)-1]].Func; first != in && !ofRuntime(first) {
			caller = first
		}
	}
	return in, kind, caller
}

// ofCoroutines recognises what is between C on a coroutine and those who call it or are called by
// it, in package coro and in what seam weld puts into a program.
func ofCoroutines(name string) bool {
	switch name {
	case "seam_switch_native_", "seam_switch_shared_", "seam_switch_", "seam_coro_entry", "park_switch", "park_suspend", "park_main":
		return true
	}
	return strings.HasPrefix(name, "github.com/seamgo/seam/coro.") || strings.HasPrefix(name, "runtime/cgo.SeamPark") || strings.HasPrefix(name, "runtime/cgo.(*SeamPark") ||
		strings.HasPrefix(name, "_seam_") && strings.HasSuffix(name, "_park_run")
}

// isStandard recognises functions of the standard library by the first element of the package's
// path, which has no dot there.
func isStandard(name string) bool {
	path, _, more := strings.Cut(name, "/")
	if !more {
		path, _, _ = strings.Cut(name, ".")
	}
	return path != "main" && !strings.Contains(path, ".") && !strings.HasPrefix(name, "command-line-arguments")
}
