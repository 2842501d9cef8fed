package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/quantity"
	"github.com/seamgo/seam/cmd/seam/internal/weld/callgraph"
	"github.com/seamgo/seam/cmd/seam/internal/weld/calltrace"
	"github.com/seamgo/seam/cmd/seam/internal/weld/cgofile"
	"github.com/seamgo/seam/cmd/seam/internal/weld/runtime/park"
)

// The rule for park. Two threads that change places for each call cost more than a cgo call, so
// what is to be gained is threads: many calls that wait at once.
const (
	ParkThreads = 16   // threads at once in a function, from which on its package is parked
	leastLooks  = 10   // times that calls were seen to wait
	mostOther   = 0.01 // of the time, where no wait can be made cooperative
	longCall    = 1e4  // ns of a call, from which Go may start a thread to go on with others, and what parking takes
	manyThreads = 128  // threads at once in a function that is parked though half of its calls are short,
	oftenWaits  = 0.25 // if it waits in so many of them
	mostWork    = 1e6  // ns of a call in which it runs: meanwhile it keeps the others of its worker waiting
	usualStack  = 512 << 10
)

// parkable is what a trace says about parking a function.
type parkable struct {
	why    string // it must not be; "" if it may
	seen   string // where it waits: "recv (98 %), poll (2 %)"
	strong bool   // by so many threads that it is worth it
	stack  int
	local  []string // libraries through which it waits that have thread-local data
}

// parkable judges one function. seen is not nil.
func (o rule) parkable(f cgofile.Function, seen *calltrace.Function, known *callgraph.Function) parkable {
	var p parkable
	waited, other, looks := 0.0, 0.0, uint64(0)
	searched, held := uint64(0), uint64(0)
	uncooperative := ""
	for _, w := range seen.Waits {
		if w.Call == "page fault" || w.Call == "sched_yield" {
			continue
		}
		looks += w.Looks
		searched += w.Searched
		held += w.Held
		for _, library := range w.Local {
			if !slices.Contains(p.local, library) {
				p.local = append(p.local, library)
			}
		}
		waited += float64(w.NS)
		if !cooperative(w) {
			other += float64(w.NS)
			uncooperative = cmp.Or(uncooperative, w.Name())
		}
	}
	if looks == 0 && seen.Blocked == 0 && float64(seen.TotalNS) < longCall*float64(seen.Calls) {
		p.why = "it was not seen to wait"
		return p
	}
	if looks > 0 {
		p.seen = places(seen)
		if held > 0 {
			p.seen += ", with a lock held in " + share(held, searched)
		}
	}
	work := float64(seen.TotalNS-min(seen.BlockedNS, seen.TotalNS)) / float64(max(1, seen.Calls))
	toGo := callgraph.Finding{}
	callsGo := f.TakesCallback()
	if known != nil && !callsGo {
		toGo, callsGo = known.CallsGo()
	}
	switch {
	case f.Name == cgofile.Malloc || f.NoEscape:
		p.why = "it can't be parked"
	case other > mostOther*waited:
		p.why = uncooperative + " can't be made cooperative"
	case seen.Callbacks > 0 || seen.Abandoned > 0:
		p.why = "it calls Go, and C that Go then calls would run on another thread"
	case callsGo && toGo.Name != "":
		p.why = "it may call Go: " + toGo.CallPath()
	case callsGo:
		p.why = "it takes a C function pointer, which may call Go"
	case seen.P50NS > 0 && float64(seen.P50NS) < longCall && !crowded(seen):
		p.why = fmt.Sprintf("half of its calls return within %s, and parked each takes %s or more", quantity.Time(float64(seen.P50NS)), quantity.Time(longCall))
	case work > mostWork && seen.Running*2 > seen.Looks:
		p.why = fmt.Sprintf("it works more than it waits: %s in each call", quantity.Time(work))
	case seen.StackBytes*2 > MaxStack:
		p.why = fmt.Sprintf("it needs %s of stack", quantity.Bytes(float64(seen.StackBytes)))
	}
	if seen.StackBytes > usualStack {
		for p.stack = 1 << 20; uint64(p.stack) < 2*seen.StackBytes; p.stack *= 2 {
		}
	}
	p.strong = o.Park > 0 && seen.MaxThreads >= o.Park && looks >= leastLooks
	return p
}

// crowded reports whether so many threads waited at once, in many of the calls, that it is they
// that cost: the kernel wakes one for each call that has waited, where parking wakes a
// worker for many. What returns at once costs more then, and is as many calls as wait.
func crowded(seen *calltrace.Function) bool {
	return seen.MaxThreads >= manyThreads && seen.Examined > 0 && float64(seen.Blocked) >= oftenWaits*float64(seen.Examined)
}

// cooperative reports whether a wait takes no thread in a function that is parked.
func cooperative(w calltrace.Wait) bool {
	if w.In == "syscall" {
		return w.Call == "futex"
	}
	return park.Cooperative()[w.In] && w.On != "file"
}

// places are where a function waits, each with its share.
func places(seen *calltrace.Function) string {
	const most = 3
	list := seen.Waited()
	total := 0.0
	for _, w := range list {
		total += float64(w.NS)
	}
	var words []string
	for _, w := range list[:min(most, len(list))] {
		if part := float64(w.NS) / max(1, total); part >= 0.005 || len(words) == 0 {
			words = append(words, fmt.Sprintf("%s (%.0f %%)", w.Name(), 100*part))
		}
	}
	return strings.Join(words, ", ")
}

// park changes decisions of a package in which many threads wait: to park, for all functions
// that were seen to wait where that can be made cooperative. list are the decisions of c.
func (o rule) park(c Code, all map[string]*calltrace.Function, list []Decision) {
	found, atOnce := make([]parkable, len(list)), 0
	for i := range list {
		d, f := &list[i], c.Functions[i]
		seen := all[d.Path()]
		found[i].why = "no"
		if seen == nil || seen.Calls == 0 || f.Reason != "" || seen.Signature != "" && seen.Signature != f.Signature() {
			continue
		}
		var known *callgraph.Function
		if c.Proof != nil {
			known = c.Proof.Functions[f.Name]
		}
		p := o.parkable(f, seen, known)
		atOnce = max(atOnce, seen.MaxThreads)
		if d.Mode == Cgo {
			found[i] = p
			d.notPark = p.why
		} else {
			d.notPark = fmt.Sprintf("it would be %s: %s", d.Mode, d.Comment)
		}
	}
	worth := slices.ContainsFunc(found, func(p parkable) bool { return p.why == "" && p.strong })
	for i := range list {
		if !worth && found[i].why == "" {
			list[i].few = atOnce
		}
	}
	for i, p := range found {
		d := &list[i]
		seen := all[d.Path()]
		switch {
		case p.why == "" && worth && p.seen == "":
			// It took long beside those that wait, and would take a thread each time.
			d.Mode, d.Stack, d.Basis = Park, p.stack, Observed
			d.Comment = fmt.Sprintf("%s: %s a call, beside others that wait", Observed, quantity.Time(float64(seen.TotalNS)/float64(seen.Calls)))
		case p.seen == "":
		case p.why == "" && worth:
			d.Mode, d.Stack, d.AtOnce, d.Waited, d.local = Park, p.stack, seen.MaxThreads, p.seen, p.local
			d.Basis = Observed
			d.Comment = fmt.Sprintf("%s: %s at once; waits in %s", Observed, quantity.Plural(seen.MaxThreads, "thread"), p.seen)
		case d.Mode == Cgo && (d.Why.Kind == Waited || d.Why.Kind == NotReturned):
			d.Comment += ", in " + p.seen
			if p.why != "" {
				d.Comment += "; " + p.why
			} else {
				d.Comment += fmt.Sprintf("; %s at once, park from %d on", quantity.Plural(seen.MaxThreads, "thread"), o.Park)
			}
		}
	}
}
