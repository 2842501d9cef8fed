package view

import (
	"cmp"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/stack/report"
)

// A kind is a reason why stacks grow at a site.
type kind int

const (
	runtimes  kind = iota // the runtime's own functions
	again                 // the collector halves the stack, the next call doubles it
	settled               // once in each of a few goroutines
	recursion             // the function calls itself, or functions call each other
	frame                 // its frame alone brings it about
	deep                  // the functions that led here had used the stack up
	once                  // no more than once in a process
	many                  // many goroutines, each with a small stack of its own
)

// An advice is one reason, with the figures of the report behind it.
type advice struct {
	names      names
	kind       kind
	frame      int64            // of the function
	variable   *report.Variable // the largest in the frame; nil if not known
	stack      int64            // the largest that it made; kind frame: the one that the frame takes half of or more, or 0
	unfit      int64            // the largest that the frame doesn't fit by itself; 0 for none
	guard      int64            // what of each stack is kept free; 0 if not known
	through    string           // what was inlined into the function and calls it again; "" for nothing
	library    bool             // both the function and its caller are the standard library's
	origin     string           // then the program's call that led there; "" if it isn't known
	ring       *ring            // of functions that call each other; nil if the function calls itself
	below      string           // kind deep: the functions that call each other, or one that calls itself, below this one
	from       int64            // the smallest that was too small
	used       int64
	count      int64
	goroutines int64
	shrinks    int64
	all        int64 // growths of the site, where count is those of one kind
	processes  int64
	slight     bool // it happened once and was a small part of all
	pinned     bool // stacks were made to begin with 2 KB
	entry      string
	starter    string // the package of the standard library that starts the goroutines; "" for another
	see        int    // the site, from 1, at which the same is said of the same goroutines or functions; 0 for none
}

// An adviser looks at the sites of one report.
type adviser struct {
	names
	processes int64
	pinned    bool
	module    string
	guard     int64
	cpu       int64 // 0 if it is not known
	rings     map[string]*ring
	of        func(report.Totals) int64
	whole     int64
	grew      map[origin]int64 // goroutines that grew
	shrunk    map[int64]int64  // shrinks by the size before
}

type origin struct{ fn, start report.Place }

func newAdviser(f *report.File, n names) *adviser {
	of := weigh(f)
	a := &adviser{names: n, processes: max(1, int64(len(f.Processes))), pinned: f.Settings.Adaptive == "0", module: f.Module, guard: max(0, f.Settings.Guard), cpu: sum(f).cpu, rings: rings(f.Sites), of: of, whole: of(f.Growth), grew: map[origin]int64{}, shrunk: map[int64]int64{}}
	for _, root := range f.Tree {
		if root != nil && root.Entry != nil {
			a.grew[origin{root.Entry.Func, root.Entry.Go}] += root.Entry.Count
		}
	}
	for _, s := range f.Shrinks {
		a.shrunk[s.From] += s.Count
	}
	return a
}

// advise gives each site the reasons why stacks grow there.
func advise(f *report.File, n names) [][]advice {
	a := newAdviser(f, n)
	said := map[origin]int{}
	list := make([][]advice, len(f.Sites))
	for i := range f.Sites {
		list[i] = a.site(&f.Sites[i])
		for k := range list[i] {
			r := list[i][k].ring
			if r == nil {
				continue
			}
			list[i][k].see = r.site
			if r.site == 0 {
				r.site = i + 1
			}
		}
		if k := len(list[i]) - 1; list[i][k].kind == many {
			e := f.Sites[i].Entries[0]
			o := origin{e.Func, e.Go}
			list[i][k].see = said[o]
			if said[o] == 0 {
				said[o] = i + 1
			}
		}
	}
	return list
}

// slightShare is the share of all growths below which one that happened once is ignored.
const slightShare = 0.05

// manyGoroutines is how many goroutines make a pool worth considering.
const manyGoroutines = 16

// site says why stacks grow there, the main reason first.
func (a *adviser) site(s *report.Site) []advice {
	base := advice{names: a.names, frame: s.Frame, variable: s.Variable, stack: s.Largest, used: s.Used, count: s.Count, processes: a.processes, pinned: a.pinned, guard: a.guard}
	if base.library = named(s.Callee) && !a.own(s); base.library {
		base.origin = a.reachedFrom(s)
	}
	base.slight = s.Count <= a.processes && float64(a.of(s.Totals)) < slightShare*float64(a.whole)
	for _, st := range s.Steps {
		if base.from == 0 || st.From < base.from {
			base.from = st.From
		}
	}
	with := func(k kind) advice { b := base; b.kind = k; return b }

	if ofRuntime(s.Callee) && ofRuntime(s.Caller) && !slices.ContainsFunc(s.Entries, ofProgram) {
		return []advice{with(runtimes)}
	}
	list := []advice{with(deep)}
	main := &list[0]
	switch {
	case itself(s):
		main.kind = recursion
		if s.Caller.In != "" {
			main.through = a.function(s.Caller)
		}
	case a.byFrame(s, main):
		main.kind = frame
	case a.ring(s) != nil:
		main.kind, main.ring = recursion, a.ring(s)
	case s.Count <= a.processes:
		main.kind = once
	}
	if main.kind == deep && len(s.Below) > 0 {
		main.below = a.function(s.Below[0]) + " calls itself"
		if main.ring = a.rings[method(s.Below[0].Func)]; main.ring != nil {
			main.below = main.ring.words(a.names) + " call each other"
		}
	}
	if n := a.settled(s); n > 0 && main.kind != once && (main.kind != recursion || s.Largest < deepStack) {
		b := with(settled)
		b.goroutines = n
		if main.kind == recursion {
			return []advice{b, *main}
		}
		return []advice{b}
	}
	if repeated, shrinks := a.repeated(s); repeated > s.Count/2 && shrinks > 0 {
		b := with(again)
		b.count, b.shrinks = repeated, shrinks
		list = append([]advice{b}, list...)
		if list[1].kind == deep {
			list = list[:1]
		}
	}
	if len(s.Entries) > 0 {
		e := s.Entries[0]
		n := cmp.Or(a.grew[origin{e.Func, e.Go}], e.Count)
		if n >= manyGoroutines && e.Count >= manyGoroutines && e.Count > s.Count/2 {
			b := with(many)
			b.goroutines, b.count, b.all, b.entry = n, e.Count, s.Count, a.function(e.Func)
			b.starter = ofLibrary(e.Go, a.module)
			list = append(list, b)
		}
	}
	return list
}

// ring is what the function and its caller are both part of, nil if there is none.
func (a *adviser) ring(s *report.Site) *ring {
	r := a.rings[method(s.Callee.Func)]
	if r == nil || r != a.rings[method(outer(s.Caller).Func)] {
		return nil
	}
	return r
}

// own reports whether the program, or a module that it uses, makes the call or is called.
func (a *adviser) own(s *report.Site) bool { return own(s, a.module) }

func own(s *report.Site, module string) bool {
	return named(s.Callee) && ofLibrary(s.Callee, module) == "" || named(s.Caller) && ofLibrary(outer(s.Caller), module) == ""
}

// reachedFrom is the innermost call on the stack that the program, or a module that it uses,
// made; "" if none is known.
func (a *adviser) reachedFrom(s *report.Site) string {
	for _, p := range s.Calls {
		if named(p) && ofLibrary(outer(p), a.module) == "" {
			return a.call(p)
		}
	}
	return ""
}

// deepStack is the size at which a recursion matters for its memory alone.
const deepStack = 1 << 20

// Growths that come once in a goroutine are ignored below this share of the CPU time or, if
// that is unknown, below this many bytes, which take about a millisecond.
const (
	settledShare = 0.01
	settledBytes = 1 << 20
)

// settled is the number of goroutines, or a bound on it, if they are few, each grew at most
// once from each size, and that took little time. Otherwise it is 0.
func (a *adviser) settled(s *report.Site) int64 {
	known, goroutines := int64(0), int64(0)
	for _, e := range s.Entries {
		known += e.Count
		n := e.Count
		if grew := a.grew[origin{e.Func, e.Go}]; grew > 0 {
			n = min(n, grew)
		}
		if e.Func.Func == mainGoroutine {
			n = min(n, a.processes)
		}
		goroutines += n
	}
	if known < s.Count || goroutines <= 0 || goroutines >= manyGoroutines || len(s.Steps) == 0 {
		return 0
	}
	for _, st := range s.Steps {
		if st.Count > goroutines {
			return 0
		}
	}
	if a.cpu > 0 {
		if float64(s.Time-interrupted(s)) >= settledShare*float64(a.cpu) {
			return 0
		}
	} else if s.Copied >= settledBytes {
		return 0
	}
	return goroutines
}

// byFrame reports whether most growths were due to the function's own frame, and to what
// stacks: it takes half of the new one or more, or with the guard doesn't fit the one
// before, or is larger than all that was in use.
func (a *adviser) byFrame(s *report.Site, to *advice) bool {
	if s.Frame <= 0 {
		return false
	}
	sum, half, most := int64(0), int64(0), int64(0)
	stack, unfit := int64(0), int64(0)
	for _, st := range s.Steps {
		takesHalf, misfit := s.Frame >= st.To/2, s.Frame > st.From-a.guard
		if takesHalf {
			if half += st.Count; st.Count > most {
				most, stack = st.Count, st.To
			}
		}
		if misfit {
			unfit = max(unfit, st.From)
		}
		if takesHalf || misfit || s.Used > 0 && s.Frame > s.Used {
			sum += st.Count
		}
	}
	if sum == 0 || 2*sum < s.Count {
		return false
	}
	if to.stack = 0; 2*half >= sum {
		to.stack = stack
	}
	to.unfit = unfit
	return true
}

// repeated is the number of growths beyond one for each step and goroutine, of which there
// are none without a shrink in between; shrinks is the number of shrinks to these sizes.
func (a *adviser) repeated(s *report.Site) (repeated, shrinks int64) {
	known, goroutines := int64(0), int64(0)
	for _, e := range s.Entries {
		known += e.Count
		goroutines += a.grew[origin{e.Func, e.Go}]
	}
	if known < s.Count || goroutines == 0 { // not all are listed
		return 0, 0
	}
	seen := map[int64]bool{}
	for _, st := range s.Steps {
		repeated += max(0, st.Count-goroutines)
		if !seen[st.To] { // 2 → 8 KB and 4 → 8 KB
			seen[st.To] = true
			shrinks += a.shrunk[st.To]
		}
	}
	return repeated, shrinks
}

func ofRuntime(p report.Place) bool {
	pkg := packageOf(p.Func)
	return pkg == "runtime" || strings.HasPrefix(pkg, "runtime/internal/") || strings.HasPrefix(pkg, "internal/runtime/")
}

// ofLibrary is the package of the standard library that a go statement is in; "" for
// one of the program. Import paths of the former have no dot in their first element.
func ofLibrary(p report.Place, module string) string {
	pkg := packageOf(p.Func)
	first, _, _ := strings.Cut(pkg, "/")
	if pkg == "main" || strings.Contains(first, ".") || module != "" && (pkg == module || strings.HasPrefix(pkg, module+"/")) {
		return ""
	}
	return pkg
}

// ofProgram reports whether a goroutine runs code of the program, among other code.
func ofProgram(e report.Entry) bool { return !ofRuntime(e.Func) || e.Func.Func == mainGoroutine }

// worth reports whether a change to the program would save anything repeatedly.
func worth(list []advice) bool {
	return len(list) > 0 && list[0].kind != runtimes && list[0].kind != once && list[0].kind != settled && !list[0].slight
}

// repeats reports whether the main reason has been given for another site already.
func repeats(list []advice) bool { return len(list) > 0 && list[0].ring != nil && list[0].see > 0 }
