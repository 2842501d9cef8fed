package csource

import "strings"

// C++ hands pointers on by reference and in objects: v.push_back(p) passes the address of p.
// What is read from there is followed only as far as it takes to see that it goes nowhere;
// if it does go somewhere, the fate of the pointer is unknown.

// read is a value that is taken out of a variable's members, or of what it points to.
type read struct {
	part   bool      // of a member: v.m, not *v or v->m
	to     string    // the variable that takes it, or "" for memory
	handed *handover // the call that takes it instead
}

// takes notes that an operand is read.
func (b *body) takes(operand string, r read) {
	v := b.base(operand)
	if !b.cxx || v == "" || !b.local(v) || strings.HasPrefix(operand, "{") {
		return
	}
	r.part = !strings.HasPrefix(operand, "*") && !strings.Contains(operand, "->")
	b.reads[v] = append(b.reads[v], r)
}

// isReference reports whether an operand is the address of a variable or of a member of it.
func isReference(operand string) bool {
	return strings.HasPrefix(operand, "&") && !strings.Contains(operand, "->") && !strings.Contains(operand, "*")
}

// isOut reports whether a pointer that the variables hold gets away by reference or in an object.
func (b *body) isOut(holders map[string]bool, known *Facts) bool {
	var refs []string
	for v := range holders {
		refs = append(refs, b.refs[v]...)
		for _, r := range b.reads[v] {
			if !r.part {
				continue
			}
			if r.handed != nil && known.lets(r.handed) || r.handed == nil && r.to == "" {
				return true
			}
			refs = append(refs, r.to)
		}
		for _, h := range b.given[v] {
			if !h.reference {
				continue
			}
			if known.lets(&h) {
				return true
			}
			if known.Fate(h.callee, h.arg).Returns {
				refs = append(refs, h.result)
			}
		}
	}
	return b.letsOut(refs, nil, known)
}

// letsOut reports whether something that is read through refs is stored, freed, handed to what
// may do so, or returned; refs themselves may be returned from the variables in back.
func (b *body) letsOut(refs []string, back map[string]bool, known *Facts) bool {
	seen := map[string]bool{"": true}
	for len(refs) > 0 {
		v := refs[len(refs)-1]
		refs = refs[:len(refs)-1]
		if seen[v] {
			continue
		}
		seen[v] = true
		if b.stored[v] || b.result[v] && !back[v] {
			return true
		}
		refs = append(refs, b.moves[v]...)
		for _, h := range b.given[v] {
			if known.lets(&h) {
				return true
			}
			if known.Fate(h.callee, h.arg).Returns {
				refs = append(refs, h.result)
			}
		}
		for _, r := range b.reads[v] {
			if r.handed != nil && known.lets(r.handed) || r.handed == nil && r.to == "" {
				return true
			}
			refs = append(refs, r.to)
		}
	}
	return false
}

// lets reports whether a function may let out a reference that it is given, or what is read
// through it.
func (f *Facts) lets(h *handover) bool {
	if h.callee == "" {
		return true
	}
	fate := f.Fate(h.callee, h.arg)
	if fate.Keeps || fate.Static || fate.Member || fate.Frees || fate.Unknown {
		return true
	}
	if _, ok := external(h.callee, h.arg); ok {
		copies := h.callee == "memcpy" || h.callee == "memmove" || h.callee == "mempcpy"
		return copies && h.arg == 1
	}
	fn := f.Func(h.callee)
	return fn == nil || h.arg >= len(fn.letsOut) || fn.letsOut[h.arg]
}
