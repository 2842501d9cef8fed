package codec

import "sync"

// Masks are applied to messages on the wire: an encoder's bytes lose the fields that the mask
// leaves out, and so do a decoder's before it sees them.

// A maskFilter copies a message without what a mask leaves out. What it makes of bytes that
// decoders accept they accept too, and it accepts no others, but for the depth of unknown
// fields, which is the stack's.
type maskFilter struct {
	d       Decoder // passes over values
	compact bool
	black   bool
	out     []byte

	trace bool
	parts []maskPart
}

// A maskPart says that what is at out was copied from in.
type maskPart struct{ out, in int }

// How deep values may be nested: a decoder has its own limit for what is left, and an encoder
// has written what its own limit allows.
const (
	maskReads  = 10_000
	maskWrites = 1 << 17
)

// filter appends what is left of the struct at the beginning of b, and returns its end in b, or
// a negative number if it can't be read.
func (m *Mask) filter(f *maskFilter, b []byte, depth int) int {
	f.d = Decoder{buf: b, depth: depth}
	f.black = m.black
	return f.structure(0, &m.root)
}

// what says what becomes of a value: it is copied, left out, or looked into.
type maskVerdict int

const (
	maskCopy maskVerdict = iota
	maskDrop
	maskEnter
)

func (f *maskFilter) verdict(n *maskNode) maskVerdict {
	switch {
	case n == nil && f.black, n != nil && n.all && !f.black:
		return maskCopy
	case n == nil, n.all:
		return maskDrop
	}
	return maskEnter
}

// from notes where the bytes that are appended next come from.
func (f *maskFilter) from(in int) {
	if f.trace {
		f.parts = append(f.parts, maskPart{len(f.out), in})
	}
}

func (f *maskFilter) skip(i int, t Type) int {
	if f.compact {
		return f.d.skipCompact(f.d.buf, i, t)
	}
	return f.d.skipBinary(f.d.buf, i, t)
}

// structure copies the struct at i.
func (f *maskFilter) structure(i int, n *maskNode) int {
	if n.all && !f.black { // only the root: others are copied by the caller
		return f.whole(i, TypeStruct)
	}
	if f.d.depth--; f.d.depth < 0 {
		return ^i
	}
	if f.compact {
		i = f.compactFields(i, n)
	} else {
		i = f.binaryFields(i, n)
	}
	f.d.depth++
	return i
}

// field says what becomes of a field of a struct: what is required is never left out, and
// neither is the field of a union.
func (f *maskFilter) field(n *maskNode, id int16) (*maskNode, maskVerdict) {
	child := n.at(int64(id))
	v := f.verdict(child)
	if n.all { // a black list with the whole message
		v = maskDrop
	}
	if v == maskDrop {
		if x := n.typ.fields.field(id); x != nil && (x.required || n.typ.fields.union) {
			v = maskCopy
		}
	}
	return child, v
}

func (f *maskFilter) binaryFields(i int, n *maskNode) int {
	b := f.d.buf
	for {
		h := binaryField(b, i)
		if h < 1<<16 {
			f.from(i)
			f.out = append(f.out, 0)
			return i + 1
		}
		if h >= noField {
			return ^i
		}
		at, t := i, Type(h>>16)
		child, v := f.field(n, int16(h))
		if v == maskEnter && t == child.typ.wire {
			f.from(i)
			f.out = append(f.out, b[i:i+3]...)
			i = f.value(i+3, child)
		} else if i = f.skip(i+3, t); i >= 0 && v != maskDrop {
			f.from(at)
			f.out = append(f.out, b[at:i]...)
		}
		if i < 0 {
			return i
		}
	}
}

func (f *maskFilter) compactFields(i int, n *maskNode) int {
	b := f.d.buf
	before := 0
	for key := 0; ; {
		at := i
		key, i = compactField(b, i, key)
		if i < 0 {
			return i
		}
		if key&15 == 0 {
			f.from(at)
			f.out = append(f.out, 0)
			return i
		}
		id, t := key>>4, fromCompact[key&15]
		child, v := f.field(n, int16(id))
		mark, kept := len(f.out), before
		f.from(at)
		f.out = AppendCompactField(f.out, before, id, byte(key&15))
		before = id
		switch from := i; {
		case t == TypeBool: // is in the head
		case v == maskEnter && t == child.typ.wire:
			i = f.value(i, child)
		default:
			if i = f.skip(i, t); i >= 0 && v != maskDrop {
				f.from(from)
				f.out = append(f.out, b[from:i]...)
			}
		}
		if i < 0 {
			return i
		}
		if v == maskDrop {
			f.out, before = f.out[:mark], kept
		}
	}
}

// value copies a part of the value at i, which is of the node's type.
func (f *maskFilter) value(i int, n *maskNode) int {
	if n.typ.wire == TypeStruct {
		return f.structure(i, n)
	}
	if f.d.depth--; f.d.depth < 0 {
		return ^i
	}
	if n.typ.wire == TypeMap {
		i = f.pairs(i, n)
	} else {
		i = f.elements(i, n)
	}
	f.d.depth++
	return i
}

// elements copies some elements of the list or set at i. Its head is written when their number
// is known, over one with that of all, which is never shorter.
func (f *maskFilter) elements(i int, n *maskNode) int {
	at := i
	var elem Type
	var count int
	if f.compact {
		elem, count, i = compactListHead(f.d.buf, i)
	} else {
		elem, count, i = (&binaryReader{f.d.buf}).list(i)
	}
	if i < 0 {
		return i
	}
	if elem != n.typ.elem.wire || count <= 0 {
		return f.whole(at, n.typ.wire)
	}
	mark := len(f.out)
	f.from(at)
	f.out = append(f.out, f.d.buf[at:i]...)
	begin, kept := len(f.out), 0
	for k := range count {
		child := n.at(int64(k))
		v := f.verdict(child)
		if i = f.element(i, elem, child, v); i < 0 {
			return i
		}
		if v != maskDrop {
			kept++
		}
	}
	if kept != count {
		if f.compact {
			f.head(mark, begin, AppendCompactList(nil, 0, elem, kept))
		} else {
			f.head(mark, begin, AppendBinaryList(nil, 0, elem, kept))
		}
	}
	return i
}

// element copies an element, or a key or value of a map.
func (f *maskFilter) element(i int, t Type, child *maskNode, v maskVerdict) int {
	if v == maskEnter {
		return f.value(i, child)
	}
	at := i
	if i = f.skip(i, t); i >= 0 && v != maskDrop {
		f.from(at)
		f.out = append(f.out, f.d.buf[at:i]...)
	}
	return i
}

// whole copies a value as it is.
func (f *maskFilter) whole(i int, t Type) int {
	at := i
	if i = f.skip(i, t); i >= 0 {
		f.from(at)
		f.out = append(f.out, f.d.buf[at:i]...)
	}
	return i
}

// head replaces the head of a container, which is from mark to begin.
func (f *maskFilter) head(mark, begin int, head []byte) {
	n := copy(f.out[mark:], head)
	if gap := begin - mark - n; gap > 0 {
		f.out = append(f.out[:mark+n], f.out[begin:]...)
		for k := len(f.parts) - 1; k >= 0 && f.parts[k].out >= begin; k-- {
			f.parts[k].out -= gap
		}
	}
}

// pairs copies some pairs of the map at i.
func (f *maskFilter) pairs(i int, n *maskNode) int {
	at := i
	var key, elem Type
	var count int
	if f.compact {
		key, elem, count, i = compactMapHead(f.d.buf, i)
	} else {
		key, elem, count, i = (&binaryReader{f.d.buf}).pairs(i)
	}
	if i < 0 {
		return i
	}
	if key != n.typ.key.wire || elem != n.typ.elem.wire || count <= 0 {
		return f.whole(at, TypeMap)
	}
	mark := len(f.out)
	f.from(at)
	f.out = append(f.out, f.d.buf[at:i]...)
	begin, kept := len(f.out), 0
	for range count {
		from := i
		if i = f.skip(i, key); i < 0 {
			return i
		}
		child := f.pair(n, key, from, i)
		v := f.verdict(child)
		if v != maskDrop {
			kept++
			f.from(from)
			f.out = append(f.out, f.d.buf[from:i]...)
		}
		if i = f.element(i, elem, child, v); i < 0 {
			return i
		}
	}
	if kept != count {
		if f.compact {
			f.head(mark, begin, AppendCompactMap(nil, 0, key, elem, kept))
		} else {
			f.head(mark, begin, AppendBinaryMap(nil, 0, key, elem, kept))
		}
	}
	return i
}

// pair is the node for the key that is from one position to another.
func (f *maskFilter) pair(n *maskNode, t Type, from, to int) *maskNode {
	b := f.d.buf
	var id int64
	switch {
	case t == TypeString && f.compact:
		_, from = compactLength(b, from)
		return n.atKey(b[from:to])
	case t == TypeString:
		return n.atKey(b[from+4 : to])
	case t == TypeI8:
		id = int64(int8(b[from]))
	case t != TypeI16 && t != TypeI32 && t != TypeI64:
		return n.any
	case f.compact:
		u, _ := fastUvarint(b, from)
		id = zigzag(u)
		switch t {
		case TypeI16:
			id = int64(int16(id))
		case TypeI32:
			id = int64(int32(id))
		}
	case t == TypeI16:
		id = int64(load16(b, from))
	case t == TypeI32:
		id = int64(load32(b, from))
	default:
		id = load64(b, from)
	}
	return n.at(id)
}

var maskFilters = sync.Pool{New: func() any { return new(maskFilter) }}

func (f *maskFilter) done() {
	if cap(f.out) > 1<<16 {
		f.out = nil
	}
	f.d.buf = nil
	maskFilters.Put(f)
}

// KeepBinary takes what the mask leaves out from the message that begins at from and ends b,
// which was just written. A nil b stays nil: it stands for an error.
func (m *Mask) KeepBinary(b []byte, from int) []byte { return m.keep(b, from, false) }

// KeepCompact is KeepBinary for the compact protocol.
func (m *Mask) KeepCompact(b []byte, from int) []byte { return m.keep(b, from, true) }

func (m *Mask) keep(b []byte, from int, compact bool) []byte {
	if b == nil || m == nil {
		return b
	}
	f := maskFilters.Get().(*maskFilter)
	defer f.done()
	*f = maskFilter{out: f.out[:0], compact: compact}
	if m.filter(f, b[from:], maskWrites) < 0 {
		return nil
	}
	return append(b[:from], f.out...)
}

// DecodeBinary is [DecodeBinary] of what the mask leaves of the message.
func (m *Mask) DecodeBinary(b []byte, to BinaryDecoder, opt Options) (n int, err error) {
	return m.decode(b, opt, false, func(b []byte) (int, error) { return DecodeBinary(b, to, opt) })
}

// DecodeCompact is DecodeBinary for the compact protocol.
func (m *Mask) DecodeCompact(b []byte, to CompactDecoder, opt Options) (n int, err error) {
	return m.decode(b, opt, true, func(b []byte) (int, error) { return DecodeCompact(b, to, opt) })
}

func (m *Mask) decode(b []byte, opt Options, compact bool, decode func([]byte) (int, error)) (n int, err error) {
	if len(b) > opt.Limits.WithDefaults().Message {
		return decode(b) // has the error for that
	}
	f := new(maskFilter)
	if !opt.Views { // nothing points into what is decoded
		f = maskFilters.Get().(*maskFilter)
		defer f.done()
	}
	*f = maskFilter{out: f.out[:0], compact: compact}
	if n = m.filter(f, b, maskReads); n < 0 {
		if _, err = decode(b); err == nil { // nested so deeply that nobody else cares
			err = &DecodeError{Path: m.name, Offset: ^n, Err: ErrDepth, Detail: "fields are nested too deeply for a mask"}
		}
		return 0, err
	}
	if _, err = decode(f.out); err != nil {
		if e, ok := err.(*DecodeError); ok {
			e.Offset = m.origin(b, compact, e.Offset)
		}
		return 0, err
	}
	return n, nil
}

// origin is where in the message something is that is at a place of what was left of it.
func (m *Mask) origin(b []byte, compact bool, at int) int {
	f := maskFilter{compact: compact, trace: true}
	m.filter(&f, b, maskReads)
	for k := len(f.parts) - 1; k >= 0; k-- {
		if p := f.parts[k]; p.out <= at {
			return min(p.in+at-p.out, len(b))
		}
	}
	return 0
}
