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
	MaxP999  = 5 * time.Microsecond  // 99.9 % of the calls are quicker: a quarter of the budget
	MaxBusy  = 50 * time.Microsecond // hardly any runs as long, but for what the machine did
	LeafNS   = 3.0                   // what a leaf call costs, in nanoseconds
	CoroNS   = 8.0                   // the same of one that may call Go
	BackNS   = 20.0                  // what its call of Go costs
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
	Park     int           // threads at once from which on a function that waits is parked; 0 is [ParkThreads], less is never
	Now      Made
}

// Basis says what a leaf rests on.
type Basis string

// The bases.
const (
	Proven   Basis = "proven"   // it can't call Go and can't wait; its time was observed
	Observed Basis = "observed" // it was seen to do neither
	Earlier  Basis = "earlier"  // by an earlier trace; this one has too few calls of it
	Kept     Basis = "kept"     // the line has the word keep; the rule would not have made it a leaf
)

// Decision is an entry with what led to it.
type Decision struct {
	Entry
	Basis     Basis   // of leaf, coro and park; "" for cgo
	Why       Reason  // of cgo; of coro, why it is no leaf
	Calls     uint64  // in the traces
	Gain      Range   // nanoseconds that such calls would have saved in the traces
	mayCallGo bool    // by its call graph, or its type
	mayBeCoro bool    // by its type
	Stake     float64 // that they would have saved if it were a leaf, or coro, whatever it is

	// Of Park: the threads that were in it at once, and where they waited.
	AtOnce int
	Waited string
	local  []string // libraries on the way there that have data for each thread

	// What the traces say against parking it, whatever it is now; "" if nothing, or if it
	// wasn't called.
	notPark string
	few     int // or that so few threads were in its package's functions at once
}

// Result is a plan that was made from traces.
type Result struct {
	Plan      *Plan
	Decisions []Decision // those of Plan's first entries
	Program   Range      // nanoseconds of processor time that the traced processes would have taken without tracing
	Origin    []string   // what it was made from, for the head of the file
	Warnings  []string
	Reused    Range // nanoseconds that reuse lines would have saved

	// Somebody has asked for more calls than usual: then too few count as a reason.
	strict bool
}

// Make decides about every function of code. Functions that the traces know and
// the code doesn't are left out.
func Make(traces []Trace, code []Code, o Options) *Result {
	o = o.withDefaults()
	r := &Result{Plan: &Plan{}, strict: o.MinCalls > MinCalls}
	for _, t := range traces {
		r.Warnings = append(r.Warnings, o.Now.differences(t, code)...)
		r.Origin = append(r.Origin, origin(t))
		r.Program = r.Program.plus(untraced(t.File))
	}
	seen, warnings := union(traces, o.MinCalls)
	r.Warnings = append(r.Warnings, warnings...)
	rule := rule{o, o.noiseOf(traces, seen), priceOf(traces), false}
	for _, c := range code {
		rule.exports = c.Exports
		first := len(r.Decisions)
		for _, f := range c.Functions {
			var known *callgraph.Function
			if c.Proof != nil {
				known = c.Proof.Functions[f.Name]
			}
			d := rule.decide(c.Package.ImportPath, f, seen[c.Package.ImportPath+"."+f.Name], known)
			d.Closed = d.Mode == Leaf && c.closed(f.Name) == ""
			r.Decisions = append(r.Decisions, d)
		}
		rule.park(c, seen, r.Decisions[first:])
	}
	r.bring()
	for _, d := range r.Decisions {
		r.Plan.Entries = append(r.Plan.Entries, d.Entry)
	}
	for _, c := range code {
		if e, ok := c.view(seen, o.MinCalls); ok {
			r.Plan.Entries = append(r.Plan.Entries, e)
		}
		if e, gain, ok := r.reuse(c, seen, o.MinCalls); ok {
			r.Plan.Entries = append(r.Plan.Entries, e)
			r.Reused = r.Reused.plus(gain)
		}
	}
	return r
}

// priceOf is what a call of Go by C takes beyond the Go function; 0 if no trace says it.
func priceOf(traces []Trace) (ns float64) {
	for _, t := range traces {
		ns = max(ns, t.File.CallbackCrossingNS)
	}
	return ns
}

// closed says why a function's line must not have the word; "" if it may.
func (c Code) closed(function string) string {
	switch {
	case !c.Exports:
		return "its package exports no Go function, so there is nothing to prove"
	case c.Proof == nil || c.Proof.Missing != "":
		return "there is no call graph"
	case c.Proof.Functions[function] == nil:
		return "it is not in the call graph"
	}
	return c.Proof.Functions[function].MayCallGo
}

func (o Options) withDefaults() Options {
	o.MinCalls = cmp.Or(o.MinCalls, MinCalls)
	o.P999 = cmp.Or(o.P999, MaxP999)
	o.Max = cmp.Or(o.Max, MaxBusy)
	o.Budget = cmp.Or(o.Budget, DefaultBudget)
	o.Park = cmp.Or(o.Park, ParkThreads)
	return o
}

// Worth lists the packages that have a function which only lacks a proof,
// or nothing at all, to be a leaf.
func (o Options) Worth(traces []Trace) map[string]bool {
	o = o.withDefaults()
	all, _ := union(traces, o.MinCalls)
	rule := rule{o, o.noiseOf(traces, all), priceOf(traces), false}
	worth := map[string]bool{}
	for _, seen := range all {
		if rule.observed(seen, bounded).Kind == NoReason || rule.parkable(cgofile.Function{Name: seen.Name}, seen, nil).strong {
			worth[seen.Package] = true
		}
	}
	return worth
}

// A rule is the options, and what the traces say about the machine.
type rule struct {
	Options
	machine noise
	price   float64 // of a call of Go by C, beyond the Go function
	exports bool    // the package does: leaves' arguments escape as with cgo
}

// decide applies the rule to one function. seen and known may be nil.
func (o rule) decide(importPath string, f cgofile.Function, seen *calltrace.Function, known *callgraph.Function) Decision {
	d := Decision{Entry: Entry{
		Mode: Cgo, Package: importPath, Func: f.Name, Sig: f.Sig(),
		Budget: DefaultBudget, Allow: DefaultAllow,
	}}
	if seen != nil {
		d.Calls = seen.Calls
		d.Stake = float64(seen.Calls) * max(0, seen.CrossingNS-LeafNS)
		if seen.Between != nil {
			d.Stake = o.coroGain(seen)
		}
	}
	var coro bool
	if known != nil {
		_, d.mayCallGo = known.CallsGo()
	}
	d.mayCallGo = d.mayCallGo || f.TakesCallback()
	d.mayBeCoro = f.Reason == "" && !f.NoCallback && !f.NoEscape
	d.Why, coro = o.against(f, seen, known)
	if d.Why.Kind != NoReason && !coro {
		d.Comment = d.Why.String()
		return d
	}
	d.Mode, d.Budget = Leaf, o.Budget
	d.Basis = Observed
	d.Gain = Range{d.Stake, d.Stake + o.besides(f, seen)}
	if coro {
		d.Mode = Coro
		d.Gain = exactly(o.coroGain(seen))
		why := d.Why.String()
		if d.Why.Kind == MayWait {
			why = "never seen to wait, but " + d.Why.Args[0].(string)
			if seen.Blocked > 0 {
				why = waitedIn(seen) + ", and " + d.Why.Args[0].(string)
			}
		}
		d.Comment = string(Observed) + ": " + figures(seen) + "; " + why
		return d
	}
	var more []string
	if seen.Blocked > 0 {
		more = append(more, waitedIn(seen))
	}
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
	return d
}

// waitedIn says in how many calls a function waited.
func waitedIn(seen *calltrace.Function) string {
	return fmt.Sprintf("waited in %s of %s calls", quantity.Count(seen.Blocked), quantity.Count(seen.Examined))
}

// coroGain is what a function's calls and its calls of Go would have saved as coro.
func (o rule) coroGain(seen *calltrace.Function) float64 {
	gain := float64(seen.Calls) * max(0, seen.CrossingNS-CoroNS)
	if seen.Between != nil {
		gain += float64(seen.Between.Callbacks) * max(0, o.price-BackNS)
	}
	return gain
}

// alone is a function that called Go as C alone: its stretches without Go stand for its calls.
// It is the function itself if it has not called Go, or if the trace doesn't tell.
func alone(f *calltrace.Function) *calltrace.Function {
	b := f.Between
	if b == nil {
		return f
	}
	c := *f
	c.Calls, c.Examined, c.TotalNS = b.Stretches, b.Stretches, f.TotalNS-min(f.CallbackNS, f.TotalNS)
	c.P50NS, c.P99NS, c.P999NS, c.MaxNS, c.MaxBusyNS = b.P50NS, b.P99NS, b.P999NS, b.MaxNS, b.MaxBusyNS
	c.Blocked, c.Preempted, c.Histogram = b.Blocked, b.Preempted, b.Histogram
	c.Callbacks, c.Abandoned = 0, 0
	return &c
}

// against says why a function can't be a leaf. coro tells that it can be coro all the same: it
// may call Go, or wait, and did neither in the trace, so what was timed is C alone. A wait that
// is only possible lowers the trust in what was seen; it forbids nothing, since coro C gives up
// its processor in libc's waits and the guard finds others.
func (o rule) against(f cgofile.Function, seen *calltrace.Function, known *callgraph.Function) (why Reason, coro bool) {
	var may Reason
	switch {
	case f.Reason != "":
		return because(Unweldable, f.Reason), false
	case seen == nil:
		return because(NotTraced), false
	case seen.Signature != "" && seen.Signature != f.Signature():
		return because(TypeChanged, seen.Signature), false
	case f.TakesCallback():
		may = because(TakesPointer)
	case seen.Between != nil:
		may = because(CalledGo, times(seen.Between.Callbacks))
	}
	if known != nil {
		if x, bad := known.CallsGo(); bad {
			may = toGo(x)
		}
		if x, bad := known.Waits(); bad && may.Kind == NoReason {
			may = because(MayWait, describe(x))
		} else if bad {
			may.More = append(may.More, describe(x))
		}
	}
	if isAllocator(f.Name, known) {
		return o.allocator(seen), false
	}
	t := trustIn(known)
	why = o.observed(seen, t)
	if why.Kind == Waited && t == waits && o.observed(seen, open).Kind == NoReason {
		// It waits now and then, which coro C may.
		why = Reason{}
		if x, ok := mayWait(known); ok && may.Kind == NoReason {
			may = because(MayWait, describe(x))
		}
	}
	if why.Kind != NoReason {
		if seen.Between != nil {
			why.More = append(why.More, "each stretch of C between its callbacks counts as a call")
		}
		return why, false
	}
	if known != nil {
		c, needed := alone(seen), deepWait*o.MinCalls
		if x, ok := known.Threads(); ok && c.Calls < needed {
			return because(FewForThreads, quantity.Count(c.Calls), quantity.Count(needed), describe(x)), false
		}
		if x, ok := known.Hooks(); ok && c.Calls < needed {
			return because(FewForHooks, quantity.Count(c.Calls), quantity.Count(needed), describe(x)), false
		}
	}
	return may, may.Kind != NoReason && !f.NoCallback && !f.NoEscape
}

// observed says what in a trace is against a leaf, or against coro if the function has called Go.
func (o rule) observed(f *calltrace.Function, t trust) Reason {
	seen := alone(f)
	may, needed := tolerated[t], max(1, o.MinCalls/tolerated[t].least)
	switch {
	case seen.Calls == 0:
		return because(NeverCalled)
	case seen.Callbacks > 0:
		return because(CalledBack, times(seen.Callbacks))
	case seen.Abandoned > 0:
		return because(CalledBackPanic)
	case float64(seen.Blocked) > may.blocked*float64(seen.Examined):
		return blocked(seen, may.blocked)
	case seen.Unfinished > 0 && seen.MaxNS >= uint64(unfinishedWait):
		return because(NotReturned, quantity.Time(float64(seen.MaxNS)))
	case seen.Calls < needed:
		return because(FewCalls, quantity.Count(seen.Calls), quantity.Count(needed))
	case o.slow(seen):
		return because(SlowQuantile, quantity.Time(float64(seen.P999NS)), quantity.Time(float64(o.P999)))
	}
	n := o.long(seen)
	if n == 0 {
		return Reason{}
	}
	machine := o.machine.longOf(seen, n, o.quick(f), o.Max)
	if float64(n) > machine+may.long*float64(seen.Calls) && n > 1 {
		return because(LongOften, quantity.Time(float64(o.Max)), times(n), machine, quantity.Count(uint64(1/may.long+0.5)))
	}
	if seen.MaxBusyNS >= uint64(max(may.once, o.Max)) {
		return because(LongOnce, quantity.Time(float64(seen.MaxBusyNS)), quantity.Time(float64(may.once)))
	}
	return Reason{}
}

func blocked(seen *calltrace.Function, limit float64) Reason {
	return because(Waited, quantity.Count(seen.Blocked), quantity.Count(seen.Examined), share(seen.Blocked, seen.Examined), percent(limit))
}

// allocator is the rule for the C library's functions for memory.
func (o rule) allocator(seen *calltrace.Function) Reason {
	may := tolerated[bounded].blocked
	switch {
	case seen.Calls == 0:
		return because(NeverCalled)
	case seen.Callbacks > 0 || seen.Abandoned > 0: // by a malloc of the program's own
		return because(CalledBack, times(seen.Callbacks+seen.Abandoned))
	case float64(seen.Blocked) > may*float64(seen.Examined) && seen.Blocked > 1:
		return blocked(seen, may)
	}
	return Reason{}
}

// slow reports whether more than 1 in 1000 calls are above the limit without the machine's
// doing.
func (o rule) slow(seen *calltrace.Function) bool {
	if seen.P999NS < uint64(o.P999) {
		return false
	}
	if quantile(seen.Histogram, seen.Calls, 0.999) < uint64(o.P999) {
		return true // in one of several traces
	}
	above := float64(atLeast(seen.Histogram, uint64(o.P999)))
	return above-o.machine.slowOf(seen, o.P999) > float64(seen.Calls)/1000
}

// long counts the calls that ran for as long as no leaf should.
func (o Options) long(seen *calltrace.Function) uint64 {
	if seen.MaxBusyNS < uint64(o.Max) {
		return 0 // all that seemed long was the kernel's doing
	}
	n := atLeast(seen.Histogram, uint64(o.Max))
	// The histogram is of wall time. Only the longest call is known to have run that
	// long.
	return max(1, n-min(n, seen.Preempted))
}

// figures are what was observed. The longest call is without what the kernel did meanwhile, which
// p99.9 is with: it is shown as no longer than that.
func figures(f *calltrace.Function) string {
	if b := f.Between; b != nil {
		return fmt.Sprintf("%s %s, C without Go: p99.9 %s, max %s", quantity.Compact(float64(f.Calls)), quantity.Noun(f.Calls, "call"),
			quantity.Time(float64(min(b.P999NS, b.MaxBusyNS))), quantity.Time(float64(b.MaxBusyNS)))
	}
	return fmt.Sprintf("%s calls, p99.9 %s, max %s", quantity.Compact(float64(f.Calls)),
		quantity.Time(float64(min(f.P999NS, f.MaxBusyNS))), quantity.Time(float64(f.MaxBusyNS)))
}

func times(n uint64) string {
	if n == 1 {
		return "once"
	}
	return quantity.Compact(float64(n)) + " times"
}

// share is a part of a whole, in per cent.
func share(part, whole uint64) string { return percent(float64(part) / float64(max(1, whole))) }

func percent(v float64) string { return quantity.Number(100*v) + " %" }

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

// Direct returns the decisions for leaf and coro, those that gain most first.
func (r *Result) Direct() []Decision {
	var list []Decision
	for _, d := range r.Decisions {
		if d.Direct() {
			list = append(list, d)
		}
	}
	slices.SortStableFunc(list, func(a, b Decision) int {
		return cmp.Or(-cmp.Compare(a.Gain.Lo, b.Gain.Lo), strings.Compare(a.Path(), b.Path()))
	})
	return list
}

// count is how many functions have a mode.
func (r *Result) count(m Mode) int {
	n := 0
	for _, d := range r.Decisions {
		if d.Mode == m {
			n++
		}
	}
	return n
}
