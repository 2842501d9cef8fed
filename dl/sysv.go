package dl

import "fmt"

// sysV places values as the System V ABI for AMD64 does.
func sysV(s *signature) (*shape, error) {
	const intRegs, floatRegs = 6, 8
	h := &shape{}
	ints := uintptr(0)
	if r := s.result; r != nil {
		classes, err := r.typ.classes()
		if err != nil {
			return nil, fmt.Errorf("result %s: %w", r.name, err)
		}
		if classes == nil {
			h.memory, h.address = true, 0
			ints++
		}
		var next [2]uintptr // per class
		for i, c := range classes {
			h.results = append(h.results, place{r.offset + 8*uintptr(i), min(8, r.typ.size-8*uintptr(i)), c, next[c], nil})
			next[c]++
		}
	}
	for _, a := range s.args {
		classes, err := a.typ.classes()
		if err != nil {
			return nil, fmt.Errorf("argument %s: %w", a.name, err)
		}
		var need [2]uintptr
		for _, c := range classes {
			need[c]++
		}
		if classes == nil || ints+need[inInt] > intRegs || h.floats+need[inFloat] > floatRegs {
			h.args = append(h.args, onTheStack(h, a))
			continue
		}
		for i, c := range classes {
			p := place{offset: a.offset + 8*uintptr(i), size: min(8, a.typ.size-8*uintptr(i)), where: c}
			if a.typ.kind != kindStruct {
				p.typ = a.typ
			}
			if c == inInt {
				p.at = ints
				ints++
			} else {
				p.at = h.floats
				h.floats++
			}
			h.args = append(h.args, p)
		}
	}
	h.stack = up(h.stack, 8)
	return h, nil
}

// onTheStack gives a its words on the stack.
func onTheStack(h *shape, a field) place {
	p := place{offset: a.offset, size: a.typ.size, where: onStack, at: h.stack}
	if a.typ.kind != kindStruct {
		p.typ = a.typ
	}
	h.stack += up(a.typ.size, 8)
	return p
}

// classes returns where each eight bytes of t go, or nil if all of it goes to memory.
func (t *ctype) classes() ([]where, error) {
	switch {
	case t.kind == kindFloat:
		return []where{inFloat}, nil
	case t.kind != kindStruct:
		return []where{inInt}, nil
	case t.packed:
		return nil, errPacked
	case t.size > 16:
		return nil, nil
	}
	list := make([]where, (t.size+7)/8)
	for i := range list {
		list[i] = inFloat // also of padding alone
	}
	for _, p := range t.parts {
		if p.typ.kind != kindFloat {
			list[p.offset/8] = inInt
		}
	}
	return list, nil
}
