package prof

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/quantity"
)

// Ends says how far down the stacks go that have C in them, as time of the first type.
type Ends struct {
	Goroutine int64 // to its first function
	Gap       int64 // of that, without functions in between
	Thread    int64 // to that of a thread that C made
	Cut       int64 // not so far

	CutBy map[string]int64 // the outermost functions of those that are cut off
}

// What package unwind has in stacks in the place of functions.
const (
	truncated = "[truncated]" // it knows no further
	recursion = "[recursion]" // the round of calls before it comes again and again
	leftOut   = "[left out]"  // there was no room
)

// All is the time of all stacks that have C in them.
func (e Ends) All() int64 { return e.Goroutine + e.Thread + e.Cut }

// Ends looks at all stacks.
func (p *Profile) Ends() Ends {
	e := Ends{CutBy: map[string]int64{}}
	for _, s := range p.Stacks {
		v := s.Values[0]
		if v == 0 || !slices.ContainsFunc(s.Frames, func(n int) bool { k := p.Frames[n].Kind; return k == C || k == CXX || k == Rust || k == Crossing }) {
			continue
		}
		last := p.Frames[s.Frames[len(s.Frames)-1]]
		gap := func(n int) bool { return p.Frames[n].Func == truncated || p.Frames[n].Func == leftOut }
		switch {
		case last.Kind == Go && !(ofRuntime(last.Func) && schedulers[last.Func]):
			e.Goroutine += v
			if slices.ContainsFunc(s.Frames, gap) {
				e.Gap += v
			}
		case isThread(last.Func):
			e.Thread += v
		default:
			e.Cut += v
			e.CutBy[last.Func] += v
		}
	}
	return e
}

// schedulers are functions of the runtime's with which no goroutine begins: where a stack ends
// with one, the runtime did not know whose C it was.
var schedulers = map[string]bool{
	"runtime._ExternalCode": true, "runtime._System": true, "runtime._GC": true, "runtime._LostExternalCode": true, "runtime._VDSO": true,
	"runtime.asmcgocall": true, "runtime.asmcgocall.abi0": true, "runtime.systemstack": true, "runtime.mcall": true, "runtime.morestack": true,
	"runtime.cgocallback": true, "runtime.cgocallback.abi0": true, "runtime.sigtramp": true, "runtime.sigreturn": true, "runtime.gogo": true,
}

// isThread recognises where threads and programs of C begin. In a stripped libc that has no name;
// with glibc's debug information it is __GI___clone3.
func isThread(name string) bool {
	switch strings.TrimLeft(strings.TrimPrefix(name, "__GI_"), "_") {
	case "start_thread", "clone", "clone3", "start", "libc_start_main", "libc_start_call_main", "thread_start":
		return true
	}
	return strings.HasPrefix(name, deafThreads) || strings.HasPrefix(name, "[libc.") || strings.HasPrefix(name, "[libc-") || strings.HasPrefix(name, "[ld-musl") || strings.HasPrefix(name, "[libpthread")
}

// sentence says it; nothing where there is no C.
func (e Ends) sentence() string {
	if e.All() == 0 {
		return ""
	}
	s := fmt.Sprintf("Stacks with C: %s %% go down to where their goroutine began", share(e.Goroutine, e.All()))
	if e.Gap > 0 {
		s += fmt.Sprintf(" (%s %% with functions missing in between, at %s)", share(e.Gap, e.All()), truncated+" or "+leftOut)
	}
	if e.Thread > 0 {
		s += fmt.Sprintf(", %s %% to where C's own thread did", share(e.Thread, e.All()))
	}
	if e.Cut > 0 {
		by := slices.SortedFunc(maps.Keys(e.CutBy), func(a, b string) int { return cmp.Or(cmp.Compare(e.CutBy[b], e.CutBy[a]), cmp.Compare(a, b)) })
		s += fmt.Sprintf(", %s %% are cut off", share(e.Cut, e.All()))
		if first := by[0]; first == truncated {
			s += ", in code without unwind tables"
		} else {
			s += " in " + first
		}
		if len(by) > 1 {
			s += " and " + quantity.Plural(len(by)-1, "other function")
		}
	}
	return s + "."
}
