package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/quantity"
	"github.com/seamgo/seam/cmd/seam/internal/weld/callgraph"
	"github.com/seamgo/seam/cmd/seam/internal/weld/calltrace"
	"github.com/seamgo/seam/cmd/seam/internal/weld/cgofile"
)

// The rule. A function that fails any of it stays with cgo.
const (
	MinCalls = 1000                  // fewer calls say nothing of a 99.9th percentile
	MaxP999  = time.Microsecond      // 99.9 % of the calls are quicker
	MaxBusy  = 50 * time.Microsecond // and all are, except for time that the machine took away
	LeafNS   = 3.0                   // what a leaf call costs, in nanoseconds
	deepWait = 10                    // times MinCalls, for code that can use threads

	// A program may end in the middle of a quick call. One that has lasted
	// this long is waiting, and no trace will ever see it return.
	unfinishedWait = 50 * time.Millisecond
)

// Options say how a plan is made.
type Options struct {
	MinCalls uint64        // 0 is [MinCalls]
	P999     time.Duration // limit of the 99.9th percentile; 0 is [MaxP999]
	Max      time.Duration // limit of the longest call; 0 is [MaxBusy]
	Budget   time.Duration // of every leaf; 0 is [DefaultBudget]
	Now      Made
}

// Basis says what a leaf rests on.
type Basis string

// The bases.
const (
	Proven   Basis = "proven"   // it can't call Go and can't wait; its time was observed
	Observed Basis = "observed" // it was seen to do neither
	Kept     Basis = "kept"     // the line has the word keep; the rule would not have made it a leaf
)

// Decision is an entry with what led to it.
type Decision struct {
	Entry
	Basis Basis   // of a leaf; "" for cgo
	Calls uint64  // in the traces
	Gain  float64 // nanoseconds that leaf calls would have saved in the traces
}

// Result is a plan that was made from traces.
type Result struct {
	Plan      *Plan
	Decisions []Decision // those of Plan's first entries
	Origin    []string   // what it was made from, for the head of the file
	Warnings  []string
}

// Make decides about every function of code. Functions that the traces know and
// the code doesn't are left out.
func Make(traces []Trace, code []Code, o Options) *Result {
	o = o.withDefaults()
	r := &Result{Plan: &Plan{}}
	for _, t := range traces {
		r.Warnings = append(r.Warnings, o.Now.differences(t, code)...)
		r.Origin = append(r.Origin, origin(t))
	}
	seen, warnings := union(traces, o.MinCalls)
	r.Warnings = append(r.Warnings, warnings...)
	rule := rule{o, o.machineStalls(seen)}
	for _, c := range code {
		for _, f := range c.Functions {
			var known *callgraph.Function
			if c.Proof != nil {
				known = c.Proof.Functions[f.Name]
			}
			d := rule.decide(c.Package.ImportPath, f, seen[c.Package.ImportPath+"."+f.Name], known)
			r.Decisions = append(r.Decisions, d)
			r.Plan.Entries = append(r.Plan.Entries, d.Entry)
		}
	}
	return r
}

func (o Options) withDefaults() Options {
	o.MinCalls = cmp.Or(o.MinCalls, MinCalls)
	o.P999 = cmp.Or(o.P999, MaxP999)
	o.Max = cmp.Or(o.Max, MaxBusy)
	o.Budget = cmp.Or(o.Budget, DefaultBudget)
	return o
}

// Worth lists the packages that have a function which only lacks a proof,
// or nothing at all, to be a leaf.
func (o Options) Worth(traces []Trace) map[string]bool {
	o = o.withDefaults()
	all, _ := union(traces, o.MinCalls)
	rule := rule{o, o.machineStalls(all)}
	worth := map[string]bool{}
	for _, seen := range all {
		if rule.observed(seen, true) == "" {
			worth[seen.Package] = true
		}
	}
	return worth
}

// A rule is the options, and what the traces say about the machine.
type rule struct {
	Options
	machine stalls
}

// decide applies the rule to one function. seen and known may be nil.
func (o rule) decide(importPath string, f cgofile.Function, seen *calltrace.Function, known *callgraph.Function) Decision {
	d := Decision{Entry: Entry{
		Mode: Cgo, Package: importPath, Func: f.Name, Sig: f.Sig(),
		Budget: DefaultBudget, Allow: DefaultAllow,
	}}
	if seen != nil {
		d.Calls = seen.Calls
	}
	if d.Comment = o.against(f, seen, known); d.Comment != "" {
		return d
	}
	d.Mode, d.Budget = Leaf, o.Budget
	d.Basis = Observed
	var more []string
	if known != nil {
		threads, wait := known.Threads()
		x, open := known.Open()
		switch {
		case !open:
			d.Basis = Proven
		case wait:
			more = append(more, "never seen to wait, but "+describe(threads))
		case x.Class == callgraph.Locks:
			more = append(more, describe(x))
		default:
			more = append(more, "not proven: "+describe(x))
			if lock, ok := known.Locks(); ok {
				more = append(more, describe(lock))
			}
		}
	}
	d.Comment = strings.Join(append([]string{string(d.Basis) + ": " + figures(seen)}, more...), "; ")
	d.Gain = float64(seen.Calls) * max(0, seen.CrossingNS-LeafNS)
	return d
}

// against says why a function can't be a leaf; "" if it can.
func (o rule) against(f cgofile.Function, seen *calltrace.Function, known *callgraph.Function) string {
	switch {
	case f.Reason != "":
		return "can't be welded: " + f.Reason
	case seen == nil:
		return "not in the trace"
	case seen.Signature != "" && seen.Signature != f.Signature():
		return "its type has changed since the trace, where it was " + seen.Signature
	case f.TakesCallback():
		return "takes a C function pointer, which may call Go"
	}
	if known != nil {
		if x, bad := known.Forbids(); bad && x.Kind == callgraph.Hook {
			return describe(x)
		} else if bad {
			return "proven: " + describe(x)
		}
	}
	if why := o.observed(seen, closed(known)); why != "" {
		return why
	}
	if known != nil {
		if x, ok := known.Threads(); ok && seen.Calls < deepWait*o.MinCalls {
			return fmt.Sprintf("too few calls (%d) for code that can use threads: %s", seen.Calls, describe(x))
		}
		if x, ok := known.Hooks(); ok && seen.Calls < deepWait*o.MinCalls {
			return fmt.Sprintf("too few calls (%d) for code that %s", seen.Calls, describe(x))
		}
	}
	return ""
}

// closed reports whether a proof is complete.
func closed(known *callgraph.Function) bool {
	if known == nil {
		return false
	}
	_, open := known.Open()
	return !open
}

// observed says what in a trace is against a leaf; "" if nothing is.
func (o rule) observed(seen *calltrace.Function, proven bool) string {
	switch {
	case seen.Calls == 0:
		return "never called in the trace"
	case seen.Callbacks > 0:
		return fmt.Sprintf("called back into Go %s", times(seen.Callbacks))
	case seen.Abandoned > 0:
		return "called back into Go, which panicked"
	case seen.Blocked > 0:
		return fmt.Sprintf("blocked in %d of %d examined calls", seen.Blocked, seen.Examined)
	case seen.Unfinished > 0 && seen.MaxNS >= uint64(unfinishedWait):
		return fmt.Sprintf("a call had not returned after %s when the program ended", quantity.Time(float64(seen.MaxNS)))
	case seen.Calls < o.MinCalls:
		return fmt.Sprintf("too few calls (%d)", seen.Calls)
	case seen.P999NS >= uint64(o.P999):
		return "p99.9 " + quantity.Time(float64(seen.P999NS))
	}
	n := o.long(seen)
	if n == 0 {
		return ""
	}
	expected, can := o.machine.explain(seen, n, o.quick(seen), proven)
	if can {
		return ""
	}
	return fmt.Sprintf("ran for %s or longer %s, up to %s, of which the machine explains %.1f", quantity.Time(float64(o.Max)), times(n),
		quantity.Time(float64(seen.MaxBusyNS)), expected)
}

// long counts the calls that ran for as long as no leaf should.
func (o Options) long(seen *calltrace.Function) uint64 {
	if seen.MaxBusyNS < uint64(o.Max) {
		return 0 // all that seemed long was the kernel's doing
	}
	n := uint64(0)
	for _, b := range seen.Histogram {
		if b.UpToNS >= uint64(o.Max) {
			n += b.Calls
		}
	}
	// The histogram is of wall time. Only the longest call is known to have run that
	// long.
	return max(1, n-min(n, seen.Preempted))
}

// figures are what was observed.
func figures(f *calltrace.Function) string {
	return fmt.Sprintf("%s calls, p99.9 %s, max %s", quantity.Compact(float64(f.Calls)),
		quantity.Time(float64(f.P999NS)), quantity.Time(float64(f.MaxBusyNS)))
}

func times(n uint64) string {
	if n == 1 {
		return "once"
	}
	return quantity.Compact(float64(n)) + " times"
}

func describe(x callgraph.Finding) string {
	at := ""
	if len(x.Path) > 0 {
		at = " in " + x.Path[len(x.Path)-1]
	}
	switch x.Kind {
	case callgraph.Callback:
		return "calls Go: " + x.CallPath()
	case callgraph.Hook:
		return "may call Go through a pointer: " + x.CallPath()
	case callgraph.Indirect:
		return "calls through a pointer" + at
	case callgraph.Assembly:
		return "inline assembly (" + x.Name + ")" + at
	}
	switch x.Class {
	case callgraph.Blocks, callgraph.Threads:
		return "reaches " + x.Name + " by " + x.CallPath()
	case callgraph.Locks:
		return "may wait for a lock (" + x.Name + at + ")"
	case callgraph.CallsBack:
		return x.Name + at + " calls a function that it is given"
	}
	return "calls " + x.Name + at + ", which is not known"
}

// Leaves returns the decisions for leaf, those that gain most first.
func (r *Result) Leaves() []Decision {
	var list []Decision
	for _, d := range r.Decisions {
		if d.Mode == Leaf {
			list = append(list, d)
		}
	}
	slices.SortStableFunc(list, func(a, b Decision) int {
		return cmp.Or(-cmp.Compare(a.Gain, b.Gain), strings.Compare(a.Path(), b.Path()))
	})
	return list
}
