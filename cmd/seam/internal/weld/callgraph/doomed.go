package callgraph

import (
	"slices"
	"strings"
)

// A failed assertion prints and aborts. Nobody waits for what is on such a path: the program
// is over. The graph doesn't tell those calls from others, and the assembly does: a call is
// doomed if every way on from it ends the program.
//
// A call of a function that may jump away (longjmp, an exception, whatever a pointer points
// to) is no way that ends the program, and neither is a loop.

// ends are the functions after which there is no program. Others that don't return, like
// longjmp, go on elsewhere.
var ends = map[string]bool{
	"abort": true, "exit": true, "_exit": true, "_Exit": true, "quick_exit": true,
	"__assert_fail": true, "__assert_perror_fail": true, "__assert": true, "__assert_rtn": true, "__assert_func": true,
	"__stack_chk_fail": true, "__stack_chk_fail_local": true, "__chk_fail": true, "__fortify_fail": true, trap: true,
	"err": true, "errx": true, "verr": true, "verrx": true,
}

// trap stands for an instruction that kills the program.
const trap = "__builtin_trap"

// dooms finds the doomed calls of a unit.
type dooms struct {
	flows map[string]*flow // by symbol
	ends  map[string]bool  // functions of the unit that always end the program
	stays map[string]bool  // that return or end the program, and don't jump away
}

// markDoomed notes the functions of the unit that end the program, and the calls that are doomed.
func markDoomed(u *unit, flows map[string]*flow) {
	d := &dooms{flows: flows, ends: map[string]bool{}, stays: map[string]bool{}}
	// What is known of a function may depend on what it calls. Nothing is assumed
	// that is not shown, so that functions in a ring stay unknown.
	for changed := true; changed; {
		changed = false
		for name, f := range flows {
			if !d.ends[name] && len(f.blocks) > 0 && !f.opaque && d.entries(f)[0] {
				d.ends[name], changed = true, true
			}
			if !d.stays[name] && d.staysIn(name, f) {
				d.stays[name], changed = true, true
			}
		}
	}
	for _, f := range u.Funcs {
		symbol := symbolOf(f.Name)
		f.Ends = d.ends[symbol]
		if flow := flows[symbol]; flow != nil && !flow.opaque {
			f.Doomed = d.calls(flow)
		}
	}
}

// endsHere reports whether a call of a function ends the program.
func (d *dooms) endsHere(callee string) bool {
	return d.ends[callee] || d.flows[callee] == nil && ends[callee]
}

// safe reports whether a function returns to where it was called, or ends the program.
func (d *dooms) safe(callee string) bool {
	if d.flows[callee] != nil {
		return d.stays[callee]
	}
	switch ClassOf(callee) {
	case Harmless, Allocates, Locks, Threads, Blocks:
		// C++ throws, and unwinds.
		return !strings.HasPrefix(callee, "_Z") && !strings.HasPrefix(callee, "_Unwind_") && callee != "__cxa_throw" && callee != "__cxa_rethrow"
	}
	return ends[callee]
}

func (d *dooms) staysIn(name string, f *flow) bool {
	if f.opaque {
		return false
	}
	returns := d.ends[name]
	for _, b := range f.blocks {
		returns = returns || b.leaves
		for _, c := range b.calls {
			if !d.safe(c) && !d.endsHere(c) {
				return false
			}
		}
	}
	return returns
}

// entries says for each block whether the program ends whenever it is entered.
func (d *dooms) entries(f *flow) []bool {
	doomed := make([]bool, len(f.blocks))
	for changed := true; changed; {
		changed = false
		for i := len(f.blocks) - 1; i >= 0; i-- {
			if !doomed[i] && d.walk(f, i, doomed, nil) {
				doomed[i], changed = true, true
			}
		}
	}
	return doomed
}

// walk goes through a block from its end, tells about each of its calls if told isn't nil,
// and reports whether the block is doomed from its beginning.
func (d *dooms) walk(f *flow, i int, doomed []bool, told func(callee string, doomed bool)) bool {
	b := &f.blocks[i]
	state := !b.leaves && len(b.to) > 0
	for _, label := range b.to {
		next, known := f.at[label]
		state = state && known && doomed[next]
	}
	for _, callee := range slices.Backward(b.calls) {
		site := state
		switch {
		case d.endsHere(callee):
			state, site = true, d.ends[callee]
		case !d.safe(callee):
			state, site = false, false
		}
		if told != nil {
			told(callee, site)
		}
	}
	return state
}

// calls lists the functions that are called at doomed places only.
func (d *dooms) calls(f *flow) []string {
	doomed := d.entries(f)
	only := map[string]bool{}
	for i := range f.blocks {
		d.walk(f, i, doomed, func(callee string, site bool) {
			before, seen := only[callee]
			only[callee] = site && (before || !seen)
		})
	}
	var list []string
	for callee, yes := range only {
		if yes {
			list = append(list, callee)
		}
	}
	slices.Sort(list)
	return list
}
