package plan

import (
	"fmt"
	"maps"
	"slices"

	"github.com/seamgo/seam/cmd/seam/internal/quantity"
)

// Merge takes over what an earlier plan has: lines with the word keep, what people have
// bounded or parked, coro lines of functions that called Go in the traces, and all lines of
// packages that this plan has not looked at. It returns what else has changed, and which lines
// it has taken over although the traces say otherwise.
func (r *Result) Merge(old *Plan, code []Code) (changes []string) {
	looked, at := map[string]Code{}, map[string]int{}
	for _, c := range code {
		looked[c.Package.ImportPath] = c
	}
	few := map[int][]Entry{} // park lines of packages with so few threads at once
	r.Plan.Threads, r.Plan.ThreadsComment = old.Threads, old.ThreadsComment
	r.Plan.Trim, r.Plan.TrimComment = old.Trim, old.TrimComment
	for i, e := range r.Plan.Entries {
		at[e.Path()] = i
	}
	for _, e := range old.Entries {
		i, exists := at[e.Path()]
		c, known := looked[e.Package]
		switch {
		case !known:
			r.Plan.Entries = append(r.Plan.Entries, e)
		case c.helps(e.Func): // no trace says anything against a line
			if !exists {
				r.Plan.Entries = append(r.Plan.Entries, e)
			} else if now := r.Plan.Entries[i]; e.Keep {
				r.Plan.Entries[i] = e
			} else if e.Mode != now.Mode {
				changes = append(changes, fmt.Sprintf("%s:%d: %s was %s and is now %s: %s", old.Name, e.Line, e.Path(), e.Mode, now.Mode, now.Comment))
			}
		case !exists:
			if e.Keep || e.Mode != Cgo {
				changes = append(changes, fmt.Sprintf("%s:%d: %s is no longer called: its line is left out", old.Name, e.Line, e.Path()))
			}
		case e.Keep, e.Mode == Offload, e.Mode == Park, e.Mode == Coro && r.Decisions[i].calledBack():
			// No trace says how many threads are right or who waits for whom, nor did those of
			// older versions how long C runs between two callbacks.
			if e.Mode == Park && !e.Keep && r.Plan.Entries[i].Mode == Park {
				e.Comment, e.Sig = r.Plan.Entries[i].Comment, r.Plan.Entries[i].Sig
			}
			r.Plan.Entries[i] = e
			d := &r.Decisions[i]
			if d.Mode == Cgo && e.Mode == Leaf && d.Why.Kind.Grave() {
				changes = append(changes, fmt.Sprintf("%s:%d: %s is kept as leaf, although: %s", old.Name, e.Line, e.Path(), d.Comment))
			}
			if e.Mode == Park && d.Mode != Park && !e.Keep {
				if d.notPark != "" {
					changes = append(changes, fmt.Sprintf("%s:%d: %s stays park, although by the trace %s", old.Name, e.Line, e.Path(), d.notPark))
				} else if d.few > 0 {
					few[d.few] = append(few[d.few], e)
				}
			}
			if e.Closed && !d.Closed && d.Mode == Leaf {
				changes = append(changes, fmt.Sprintf("%s:%d: %s is kept as closed, although that is not proven", old.Name, e.Line, e.Path()))
			}
			if d.Mode != e.Mode {
				d.Basis, d.Gain, d.AtOnce, d.Waited = "", Range{}, 0, ""
				if e.Mode == Leaf {
					d.Basis = Kept
				}
			}
			d.Entry = e
		case r.outlasts(e, &r.Decisions[i]):
			d := &r.Decisions[i]
			d.Entry, d.Basis = e, Earlier
			r.Plan.Entries[i] = e
		case e.Mode == Cgo && r.Plan.Entries[i].Mode == Cgo:
			r.Plan.Entries[i].Unbounded = e.Unbounded
		case r.Plan.Entries[i].Mode != e.Mode:
			now := r.Plan.Entries[i]
			changes = append(changes, fmt.Sprintf("%s:%d: %s was %s and is now %s: %s", old.Name, e.Line, e.Path(), e.Mode, now.Mode, now.Comment))
		}
	}
	for _, n := range slices.Sorted(maps.Keys(few)) {
		lines := few[n]
		changes = append(changes, fmt.Sprintf("%s:%d: %s, although the trace has no more than %s at once in its package",
			old.Name, lines[0].Line, stay(lines[0].Path(), len(lines)-1), quantity.Plural(n, "thread")))
	}
	return changes
}

// stay says so of a function and others that are not named.
func stay(name string, others int) string {
	if others == 0 {
		return name + " stays park"
	}
	return fmt.Sprintf("%s and %s stay park", name, quantity.Plural(others, "other"))
}

// calledBack reports whether it was a trace of an older version that saw the function call Go: then it
// says nothing of how long C runs in between.
func (d *Decision) calledBack() bool {
	return d.Why.Kind == CalledBack || d.Why.Kind == CalledBackPanic
}

// outlasts reports whether an earlier line stays because the traces have too little of the
// function to speak against it: one that was judged by more is not made again by less.
func (r *Result) outlasts(e Entry, d *Decision) bool {
	return e.Direct() && d.Mode == Cgo && d.Why.Kind.Want() && !r.strict &&
		(e.Sig == "" || e.Sig == d.Sig) && (e.Mode == Coro || !d.mayCallGo)
}
