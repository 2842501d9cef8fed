package dl

//lint:file-ignore U1000 the assembly uses what seems unused

import "fmt"

// A place is where an ABI puts a word of an argument or result.
type place struct {
	offset uintptr // in the arguments' struct
	size   uintptr // bytes, up to 8 in a register
	where  where
	at     uintptr // the register's number, or bytes from the bottom of the stack
	typ    *ctype  // how it is widened; nil for a piece of a struct
}

type where uint8

const (
	inInt     where = iota // an integer register, or on arm64 number resultAddress
	inFloat                // a vector register
	onStack                // bytes that the call passes on the stack
	byAddress              // a copy, whose address goes to the integer register at
	byStack                // a copy, whose address goes to the stack at
)

// resultAddress is the number of arm64's register X8 in the image.
const resultAddress = 8

// A shape is where an ABI puts a signature's values.
type shape struct {
	args    []place
	results []place
	memory  bool    // the result is in memory, whose address the caller passes
	address uintptr // the integer register with that address
	floats  uintptr // vector registers used
	stack   uintptr // bytes on the stack
}

// maxFrame bounds what a call puts on the system stack by itself.
const maxFrame = 64 << 10

// An image is the argument and result registers as C's stack holds them. Assembly knows it.
type image struct {
	ints   [9]uint64 // arm64's X8 is the last
	errno  uint64
	floats [8]uint64
}

const imageSize = 8 * (9 + 1 + 8)

// Kinds of op.
const (
	opCopy = iota // n bytes
	opWord
	opInt32
	opUint32
	opInt16
	opUint16
	opInt8
	opUint8
	opAddress // of src on the stack
)

// An op moves a value between the arguments' struct and C's stack.
type op struct{ kind, n, src, dst uint32 }

// A plan is what assembly does for a call that has no quick entry.
type plan struct {
	frame    uintptr // bytes on C's stack
	image    uintptr // where the image is there
	args     *op
	nargs    uintptr
	results  *op
	nresults uintptr
	floats   uintptr // how many vector registers have arguments
	errno    uintptr // the address of __errno_location, or 0

	// Functions whose arguments are words, in registers and one after the other, and whose result
	// follows them, need none of this.
	words  int // how many, or -1
	result int // its kind
}

// Kinds of results that need no plan.
const (
	noResult = iota
	wordResult
	int32Result
	float64Result
	resultKinds
)

// words returns the words of a plan of functions of this shape, and the kind of their result.
func (s *signature) words(h *shape) (n, result int) {
	for i, a := range h.args {
		if a.where != inInt || a.at != uintptr(i) || a.offset != uintptr(i)*8 || a.size != 8 {
			return -1, 0
		}
	}
	n = len(h.args)
	switch r := s.result; {
	case h.memory || s.errno != nil:
		return -1, 0
	case r == nil:
		return n, noResult
	case r.offset != uintptr(n)*8: // its place is known by the number of words
		return -1, 0
	case r.typ.isInteger() && r.typ.size == 8:
		return n, wordResult
	case r.typ.isInteger() && r.typ.size == 4:
		return n, int32Result
	case r.typ.kind == kindFloat && r.typ.size == 8:
		return n, float64Result
	}
	return -1, 0
}

func up(n, to uintptr) uintptr { return (n + to - 1) &^ (to - 1) }

// newPlan returns the plan of a call of this shape.
func newPlan(s *signature, h *shape, errno uintptr) (*plan, error) {
	p := &plan{image: up(h.stack, 16), floats: h.floats, errno: errno}
	room := p.image + imageSize // copies and the result follow
	register := func(a place) uint32 {
		switch a.where {
		case inInt, byAddress:
			return uint32(p.image + 8*a.at)
		case inFloat:
			return uint32(p.image + 8*10 + 8*a.at)
		}
		return uint32(a.at)
	}
	var args, results []op
	for _, a := range h.args {
		o := op{opCopy, uint32(a.size), uint32(a.offset), register(a)}
		switch {
		case a.where == byAddress || a.where == byStack:
			o.dst = uint32(room)
			args = append(args, o, op{opAddress, 0, uint32(room), register(a)})
			room += up(a.size, 16)
			continue
		case a.size == 8:
			o.kind = opWord
		case a.typ != nil && a.typ.kind != kindFloat:
			o.kind = map[uintptr]uint32{4: opInt32, 2: opInt16, 1: opInt8}[a.size]
			if a.typ.kind == kindUint {
				o.kind++
			}
		}
		args = append(args, o)
	}
	if h.memory {
		args = append(args, op{opAddress, 0, uint32(room), uint32(p.image + 8*h.address)})
		results = append(results, op{opCopy, uint32(s.result.typ.size), uint32(room), uint32(s.result.offset)})
		room += up(s.result.typ.size, 16)
	}
	for _, r := range h.results {
		results = append(results, op{opCopy, uint32(r.size), register(r), uint32(r.offset)})
	}
	if s.errno != nil {
		results = append(results, op{opCopy, 4, uint32(p.image + 8*9), uint32(s.errno.offset)})
	}
	if p.frame = up(room, 16); p.frame > maxFrame {
		return nil, fmt.Errorf("%d bytes of arguments by value are too much for C's stack (%d at most)", p.frame, maxFrame)
	}
	p.words, p.result = s.words(h)
	p.nargs, p.nresults = uintptr(len(args)), uintptr(len(results))
	if len(args) > 0 {
		p.args = &args[0]
	}
	if len(results) > 0 {
		p.results = &results[0]
	}
	return p, nil
}
