package csource

import "slices"

// solve turns bodies into facts: what a function hands on, the next one decides about.
func solve(bodies []*body, known *Facts) {
	funcs := known.Funcs
	for _, b := range bodies {
		f := funcs[b.name]
		if f == nil {
			f = &Func{Name: b.name}
			funcs[b.name] = f
		}
		f.Defined, f.Calls = true, b.calls
		f.Loops, f.Assembly, f.Indirect, f.OffStack = b.back, b.asm, b.times[""] > 0, b.offStack
		f.Changes = f.Changes || b.outer
		for _, v := range b.uses {
			f.Uses = add(f.Uses, v)
		}
		for _, v := range b.sets {
			f.Sets = add(f.Sets, v)
		}
		for _, c := range b.calls {
			if b.times[c] > 1 && !slices.Contains(f.Twice, c) {
				f.Twice = append(f.Twice, c)
			}
		}
		for len(f.Params) < len(b.params) {
			f.Params = append(f.Params, Param{})
		}
		if b.cxx {
			f.letsOut = make([]bool, max(len(f.letsOut), len(b.params)))
		}
		for _, c := range b.loops {
			if c[0] != '?' && c[0] != '*' && !slices.Contains(f.InLoops, c) {
				f.InLoops = append(f.InLoops, c)
			}
		}
	}
	for _, b := range bodies {
		for _, name := range b.names {
			if f := funcs[b.name]; funcs[name] != nil && !slices.Contains(f.Takes, name) {
				f.Takes = append(f.Takes, name)
			}
		}
	}
	callers := map[string][]*body{}
	for _, b := range bodies {
		for _, c := range b.calls {
			callers[c] = append(callers[c], b)
		}
	}
	waiting := slices.Clone(bodies)
	queued := map[*body]bool{}
	for _, b := range bodies {
		queued[b] = true
	}
	for len(waiting) > 0 {
		b := waiting[0]
		waiting = waiting[1:]
		queued[b] = false
		if !b.update(funcs[b.name], known) {
			continue
		}
		for _, c := range callers[b.name] {
			if !queued[c] {
				queued[c] = true
				waiting = append(waiting, c)
			}
		}
	}
}

// update adds what is known by now to f, and reports whether any of it is new. Nothing is
// taken back, so it comes to an end, also where two files have a static function of a name.
func (b *body) update(f *Func, known *Facts) (changed bool) {
	for i, p := range b.params {
		if fate := b.fate(p, known).or(f.Params[i].Fate); fate != f.Params[i].Fate {
			f.Params[i].Fate, changed = fate, true
		}
		if b.cxx && !f.letsOut[i] && b.letsOut([]string{p}, b.holders(p, known), known) {
			f.letsOut[i], changed = true, true
		}
	}
	if !f.New && b.returnsNew(known) {
		f.New, changed = true, true
	}
	if !f.Static && b.returnsStatic(known) {
		f.Static, changed = true, true
	}
	if f.Throws == "" {
		if f.Throws = b.throwing(known); f.Throws != "" {
			changed = true
		}
	}
	return changed
}

func (f Fate) or(g Fate) Fate {
	return Fate{f.Frees || g.Frees, f.Keeps || g.Keeps, f.Static || g.Static, f.Member || g.Member, f.Returns || g.Returns, f.Writes || g.Writes, f.Looped || g.Looped, f.Clears || g.Clears, f.Fills || g.Fills, f.Stows || g.Stows, f.Text || g.Text, f.Unknown || g.Unknown}
}

// fate is what becomes of a parameter, by what is known about others so far.
func (b *body) fate(param string, known *Facts) (f Fate) {
	holders := b.holders(param, known)
	f.Unknown = b.cxx && b.isOut(holders, known)
	for v := range holders {
		f.Keeps = f.Keeps || b.stored[v]
		f.Static = f.Static || b.static[v]
		f.Member = f.Member || b.member[v]
		f.Returns = f.Returns || b.result[v]
		f.Writes = f.Writes || b.writes[v]
		f.Looped = f.Looped || slices.Contains(b.loops, "*"+v)
		f.Clears = f.Clears || b.clears(v, known)
		f.Fills = f.Fills || b.fills(v, known)
		f.Stows = f.Stows || b.stows(v, known)
		for _, h := range b.given[v] {
			if h.callee == "" {
				f.Unknown = true
				continue
			}
			to := known.Fate(h.callee, h.arg)
			f.Frees = f.Frees || to.Frees || to.Unknown && h.frees
			f.Keeps = f.Keeps || to.Keeps
			f.Static = f.Static || to.Static && known.stores(h.callee)
			f.Writes = f.Writes || to.Writes
			f.Looped = f.Looped || to.Looped
			f.Text = f.Text || to.Text
			f.Clears = f.Clears || to.Clears && !h.reference
			f.Fills = f.Fills || to.Fills && !h.reference
			f.Stows = f.Stows || to.Stows && !h.reference
			f.Unknown = f.Unknown || to.Unknown
		}
	}
	return f
}

// clears reports whether what a variable leads to is read, as a pointer, and that is freed.
func (b *body) clears(v string, known *Facts) bool {
	for _, got := range b.loaded[v] {
		for w := range b.holders(got, known) {
			for _, h := range b.given[w] {
				if h.callee != "" && known.Fate(h.callee, h.arg).Frees {
					return true
				}
			}
		}
	}
	return false
}

// stows reports whether what a variable leads to is read, as a pointer, and that is stored.
func (b *body) stows(v string, known *Facts) bool {
	for _, got := range b.loaded[v] {
		for w := range b.holders(got, known) {
			if b.stored[w] {
				return true
			}
			for _, h := range b.given[w] {
				if h.callee != "" && known.Fate(h.callee, h.arg).Keeps {
					return true
				}
			}
		}
	}
	return false
}

// fills reports whether new memory is stored where a variable leads to.
func (b *body) fills(v string, known *Facts) bool {
	for _, from := range b.stores[v] {
		for _, c := range b.calls {
			if f := known.Func(c); (slices.Contains(Allocators, c) || f != nil && f.New) && b.holders("="+c, known)[from] {
				return true
			}
		}
	}
	return false
}

// stores reports whether a function is small enough for what it stores to be its purpose: in
// a large one a static variable may hold the pointer for the time of the call.
func (f *Facts) stores(name string) bool {
	fn := f.Func(name)
	return fn != nil && len(fn.Calls) <= 3
}

// holders are the variables that may hold a value: those that it moves to.
func (b *body) holders(value string, known *Facts) map[string]bool {
	holds := map[string]bool{value: true}
	waiting := []string{value}
	add := func(v string) {
		if v != "" && !holds[v] {
			holds[v] = true
			waiting = append(waiting, v)
		}
	}
	for len(waiting) > 0 {
		v := waiting[len(waiting)-1]
		waiting = waiting[:len(waiting)-1]
		for _, to := range b.moves[v] {
			add(to)
		}
		for _, h := range b.given[v] {
			if h.callee != "" && known.Fate(h.callee, h.arg).Returns {
				add(h.result)
			}
		}
	}
	return holds
}

// returnsStatic reports whether the address of a static variable or of a constant may be returned, of
// the function's own or of one that it calls.
func (b *body) returnsStatic(known *Facts) bool {
	for v := range b.holders(static, known) {
		if b.result[v] {
			return true
		}
	}
	for _, c := range b.calls {
		if f := known.Func(c); f == nil || !f.Static {
			continue
		}
		for v := range b.holders("="+c, known) {
			if b.result[v] {
				return true
			}
		}
	}
	return false
}

func (b *body) returnsNew(known *Facts) bool {
	for _, c := range b.calls {
		f := known.Func(c)
		if !slices.Contains(Allocators, c) && (f == nil || !f.New) {
			continue
		}
		for v := range b.holders("="+c, known) {
			if b.result[v] {
				return true
			}
		}
	}
	return false
}
