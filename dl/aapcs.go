package dl

import (
	"errors"
	"fmt"
)

var errPacked = errors.New("a packed struct can't be passed by value")

// aapcs64 places values as the Procedure Call Standard for the Arm 64-bit Architecture does,
// as Linux uses it.
func aapcs64(s *signature) (*shape, error) {
	const regs = 8
	h := &shape{}
	ints := uintptr(0)
	if r := s.result; r != nil {
		if r.typ.packed {
			return nil, fmt.Errorf("result %s: %w", r.name, errPacked)
		}
		elem, n := r.typ.homogeneous()
		switch {
		case n > 0:
			for i := range n {
				h.results = append(h.results, place{r.offset + i*elem, elem, inFloat, i, nil})
			}
		case r.typ.size > 16:
			h.memory, h.address = true, resultAddress
		default:
			for i := uintptr(0); i*8 < r.typ.size; i++ {
				h.results = append(h.results, place{r.offset + 8*i, min(8, r.typ.size-8*i), inInt, i, nil})
			}
		}
	}
	for _, a := range s.args {
		if a.typ.packed {
			return nil, fmt.Errorf("argument %s: %w", a.name, errPacked)
		}
		elem, n := a.typ.homogeneous()
		words := (a.typ.size + 7) / 8
		switch {
		case n > 0 && h.floats+n <= regs:
			for i := range n {
				h.args = append(h.args, place{a.offset + i*elem, elem, inFloat, h.floats + i, nil})
			}
			h.floats += n
		case n > 0:
			h.floats = regs
			h.args = append(h.args, onTheStack(h, a))
		case a.typ.size > 16: // a pointer to a copy
			p := place{a.offset, a.typ.size, byAddress, ints, nil}
			if ints < regs {
				ints++
			} else {
				p.where, p.at = byStack, h.stack
				h.stack += 8
			}
			h.args = append(h.args, p)
		case ints+words <= regs:
			for i := range words {
				p := place{offset: a.offset + 8*i, size: min(8, a.typ.size-8*i), where: inInt, at: ints + i}
				if a.typ.kind != kindStruct {
					p.typ = a.typ
				}
				h.args = append(h.args, p)
			}
			ints += words
		default:
			ints = regs
			h.args = append(h.args, onTheStack(h, a))
		}
	}
	h.stack = up(h.stack, 8)
	return h, nil
}

// homogeneous returns the size and number of the elements if t consists of one to four floats
// of one type, and 0 if it doesn't.
func (t *ctype) homogeneous() (elem, n uintptr) {
	if t.kind == kindFloat {
		return t.size, 1
	}
	if t.kind != kindStruct || len(t.parts) == 0 {
		return 0, 0
	}
	elem = t.parts[0].typ.size
	for _, p := range t.parts {
		if p.typ.kind != kindFloat || p.typ.size != elem {
			return 0, 0
		}
	}
	if n = t.size / elem; n > 4 || n*elem != t.size {
		return 0, 0
	}
	return elem, n
}
