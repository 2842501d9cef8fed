package plan

import "slices"

// Bold is the plan with each function as coro that the rule leaves to cgo for want of evidence,
// or because some of its calls take long: what its guard then finds, and what a comparison shows,
// is evidence too. It returns how many these are. Functions that wait stay with cgo.
func (r *Result) Bold() (*Plan, int) {
	p := *r.Plan
	p.Entries = slices.Clone(r.Plan.Entries)
	changed := 0
	for i, d := range r.Decisions {
		e := &p.Entries[i]
		if e.Mode != Cgo || e.Keep || e.Unbounded || d.Calls == 0 || !d.mayBeCoro || !d.Why.Kind.Bold() {
			continue
		}
		e.Mode, e.Budget, e.Comment = Coro, DefaultBudget, "tried: "+e.Comment
		changed++
	}
	return &p, changed
}

// Without is the plan with functions left to cgo, and how many that changes.
func Without(p *Plan, why string, out func(e Entry) bool) (*Plan, int) {
	q := *p
	q.Entries = slices.Clone(p.Entries)
	changed := 0
	for i := range q.Entries {
		if e := &q.Entries[i]; e.Direct() && !e.Keep && out(*e) {
			e.Mode, e.Closed, e.Comment = Cgo, false, why
			changed++
		}
	}
	return &q, changed
}

// Bold reports whether a function with this reason may be tried as coro.
func (k Kind) Bold() bool {
	switch k {
	case FewCalls, FewForThreads, FewForHooks, CalledBack, SlowQuantile, LongOften, LongOnce:
		return true
	}
	return false
}
