package thrift

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/seamgo/seam/thrift/codec"
)

// A scanner finds the end of a message that has no length in front, while
// its bytes arrive bit by bit.
//
// It takes time in proportion to the bytes, however they arrive. Its place
// in the message is kept between calls: a stack of the structs and
// containers that are open, the type of the value that comes next, and a
// position, behind which it never looks. Each step moves the position by at
// least one byte, or closes a level of the stack, which a step that moved it
// has opened. A step whose bytes are not all there is taken again when more
// arrive; it looks at eleven bytes at most (the header of a compact
// container or field with a long varint), so bytes that trickle in one by
// one cost at most that much each. Strings, and containers of values of a
// fixed size, are one step: the position moves past their end, wherever
// that is, once it is known to be inside of the largest message.
//
// It takes memory only for the stack: 16 bytes for a level, of which there
// are no more than levels.
//
// What it accepts is a superset of what decoders accept: it knows no names
// and no numbers of fields.
type scanner struct {
	pos     int // of the next thing to look at; may lie behind what has arrived
	stack   []level
	pending codec.Type // of the value that lies ahead; TypeStop: none
	structs int        // of stack
	compact bool
	header  bool // the message's header is behind
	json    jsonScan

	max, container, text, depth int
	overLimit                   bool // the error is about one of these
}

// A level is a struct or a container that is open.
type level struct {
	kind       codec.Type // TypeStruct, TypeMap, or TypeList for sets too
	key, value codec.Type
	left       int // values still to come, keys counted
}

// configure sets the limits.
func (s *scanner) configure(l Limits) {
	l = l.WithDefaults()
	s.max, s.container, s.text, s.depth = largest(l), l.Container, l.String, l.Depth
}

// largest is the size of the largest message. Frames have lengths of 31 bits;
// a little less leaves room to say "more than that" in an int of 32.
func largest(l Limits) int { return min(l.WithDefaults().Message, math.MaxInt32-8) }

// levels is how many structs and containers may be open. Decoders don't count
// the containers of fields that they know, whose number the definition
// bounds; so this leaves room for some in each struct.
func (s *scanner) levels() int { return 16 * (s.depth + 1) }

// reset prepares for another message.
func (s *scanner) reset() {
	s.pos, s.stack, s.pending, s.structs, s.header = 0, s.stack[:0], codec.TypeStop, 0, false
	s.json = jsonScan{}
}

// begin prepares for a value that stands by itself, without the header of a message.
func (s *scanner) begin(compact bool, t codec.Type) {
	s.reset()
	s.overLimit = false
	s.header, s.compact, s.pending = true, compact, t
	if t == codec.TypeStruct {
		s.pending = codec.TypeStop
		s.stack = append(s.stack, level{kind: codec.TypeStruct})
		s.structs = 1
	}
}

// message reports whether b, the bytes of a message as far as they have
// arrived, has the message's end in it, and where. It is to be called with
// more bytes of the same message until it has, or there is an error.
func (s *scanner) message(b []byte) (end int, ok bool, err error) {
	if len(b) > 0 && b[0] == jsonStart {
		return s.jsonMessage(b)
	}
	if !s.header {
		var h MessageHeader
		n, err := parseHeader(b, &h)
		if n == 0 || err != nil {
			return 0, false, err
		}
		s.header = true
		s.compact = h.Protocol == Compact
		s.pos = n
		s.stack = append(s.stack[:0], level{kind: codec.TypeStruct})
		s.structs = 1
	}
	ok, err = s.scan(b)
	return s.pos, ok, err
}

// scan goes on as far as it can: to the end of what it is to scan (true), or
// of the bytes.
func (s *scanner) scan(b []byte) (bool, error) {
	for {
		if s.pos > s.max {
			return false, s.tooMuch("message has more than %d bytes, the limit (Limits.Message)", s.max)
		}
		if s.pos > len(b) {
			return false, nil
		}
		if s.pending == codec.TypeStop {
			if len(s.stack) == 0 {
				return true, nil
			}
			top := &s.stack[len(s.stack)-1]
			if top.kind != codec.TypeStruct {
				switch {
				case top.left == 0:
					s.stack = s.stack[:len(s.stack)-1]
					continue
				case top.kind == codec.TypeMap && top.left%2 == 0:
					s.pending = top.key
				default:
					s.pending = top.value
				}
				top.left--
				if len(b) == s.pos {
					return false, nil // no value has no bytes
				}
			} else if ok, err := s.field(b); !ok || err != nil {
				return false, err
			}
			continue
		}
		var ok bool
		var err error
		if s.compact {
			ok, err = s.compactValue(b)
		} else {
			ok, err = s.binaryValue(b)
		}
		if !ok || err != nil {
			return false, err
		}
	}
}

// field steps over the header of a field, or the end of a struct.
func (s *scanner) field(b []byte) (bool, error) {
	i := s.pos
	if i == len(b) {
		return false, nil
	}
	if b[i] == 0 || s.compact && b[i]&15 == 0 { // the rest of a compact one does not count
		s.pos++
		s.stack = s.stack[:len(s.stack)-1]
		s.structs--
		return true, nil
	}
	if !s.compact {
		t := codec.Type(b[i])
		if !t.Exists() {
			return false, s.noType(b[i])
		}
		if len(b)-i < 3 {
			return false, nil
		}
		s.pos, s.pending = i+3, t
		return true, nil
	}
	t := codec.FromCompact(b[i] & 15)
	if t == codec.TypeStop {
		return false, s.noType(b[i] & 15)
	}
	i++
	if b[i-1]>>4 == 0 {
		_, n, err := s.varint(b, i)
		if n == 0 || err != nil {
			return false, err
		}
		i += n
	}
	s.pos = i
	if t != codec.TypeBool { // whose value was in the header
		s.pending = t
	}
	return true, nil
}

func (s *scanner) tooMuch(format string, args ...any) error {
	s.overLimit = true
	return fmt.Errorf(format, args...)
}

func (s *scanner) noType(t byte) error {
	return fmt.Errorf("0x%02x is not a type at byte %d", t, s.pos)
}

// binaryValue steps over the pending value, or into it.
func (s *scanner) binaryValue(b []byte) (bool, error) {
	i, t := s.pos, s.pending
	if n := t.Size(); n != 0 {
		s.pos, s.pending = i+n, codec.TypeStop
		return true, nil
	}
	switch t {
	case codec.TypeString:
		if len(b)-i < 4 {
			return false, nil
		}
		return s.skipText(i+4, uint64(binary.BigEndian.Uint32(b[i:])))
	case codec.TypeStruct:
		return s.open(i, level{kind: codec.TypeStruct})
	case codec.TypeMap:
		if len(b)-i < 6 {
			return false, nil
		}
		return s.openContainer(i+6, codec.TypeMap, codec.Type(b[i]), codec.Type(b[i+1]), uint64(binary.BigEndian.Uint32(b[i+2:])))
	case codec.TypeList, codec.TypeSet:
		if len(b)-i < 5 {
			return false, nil
		}
		return s.openContainer(i+5, codec.TypeList, codec.TypeStop, codec.Type(b[i]), uint64(binary.BigEndian.Uint32(b[i+1:])))
	}
	return false, s.noType(byte(t))
}

// compactValue steps over the pending value, or into it.
func (s *scanner) compactValue(b []byte) (bool, error) {
	i, t := s.pos, s.pending
	switch t {
	case codec.TypeBool, codec.TypeI8, codec.TypeDouble, codec.TypeUUID:
		s.pos, s.pending = i+t.Size(), codec.TypeStop
		return true, nil
	case codec.TypeI16, codec.TypeI32, codec.TypeI64:
		_, n, err := s.varint(b, i)
		if n == 0 || err != nil {
			return false, err
		}
		s.pos, s.pending = i+n, codec.TypeStop
		return true, nil
	case codec.TypeString:
		size, n, err := s.varint(b, i)
		if n == 0 || err != nil {
			return false, err
		}
		return s.skipText(i+n, size)
	case codec.TypeStruct:
		return s.open(i, level{kind: codec.TypeStruct})
	case codec.TypeMap:
		size, n, err := s.varint(b, i)
		if n == 0 || err != nil {
			return false, err
		}
		i += n
		if size == 0 {
			s.pos, s.pending = i, codec.TypeStop
			return true, nil
		}
		if i == len(b) {
			return false, nil
		}
		return s.openContainer(i+1, codec.TypeMap, codec.FromCompact(b[i]>>4), codec.FromCompact(b[i]&15), size)
	case codec.TypeList, codec.TypeSet:
		if i == len(b) {
			return false, nil
		}
		elem, size := codec.FromCompact(b[i]&15), uint64(b[i]>>4)
		i++
		if size == 15 {
			var n int
			var err error
			size, n, err = s.varint(b, i)
			if n == 0 || err != nil {
				return false, err
			}
			i += n
		}
		return s.openContainer(i, codec.TypeList, codec.TypeStop, elem, size)
	}
	return false, s.noType(byte(t))
}

// varint reads a varint at i; it takes no bytes if it is not all there.
func (s *scanner) varint(b []byte, i int) (v uint64, n int, err error) {
	v, n = binary.Uvarint(b[i:])
	if n < 0 || n == 0 && len(b)-i >= binary.MaxVarintLen64 {
		return 0, 0, fmt.Errorf("varint is too long at byte %d", i)
	}
	return v, n, nil
}

// skipText moves past a string of size bytes that begins at i.
func (s *scanner) skipText(i int, size uint64) (bool, error) {
	switch {
	case size > uint64(s.max): // compared first, so that sums don't overflow
		return false, s.tooMuch("string of %d bytes at byte %d, in a message of at most %d (Limits.Message)", size, s.pos, s.max)
	case size > uint64(s.text):
		return false, s.tooMuch("string of %d bytes at byte %d, the limit is %d (Limits.String)", size, s.pos, s.text)
	}
	s.pos, s.pending = int(min(uint64(i)+size, uint64(s.max)+1)), codec.TypeStop
	return true, nil
}

// openContainer opens a container whose n elements or pairs begin at i.
func (s *scanner) openContainer(i int, kind, key, value codec.Type, n uint64) (bool, error) {
	if n == 0 {
		s.pos, s.pending = i, codec.TypeStop // empty ones may have any type
		return true, nil
	}
	if !value.Exists() || kind == codec.TypeMap && !key.Exists() {
		return false, fmt.Errorf("container of what is not a type at byte %d", s.pos)
	}
	// An element has a byte at least.
	if n > uint64(s.max) {
		return false, s.tooMuch("container of %d elements at byte %d, in a message of at most %d bytes (Limits.Message)", n, s.pos, s.max)
	}
	if n > uint64(s.container) {
		return false, s.tooMuch("container of %d elements at byte %d, the limit is %d (Limits.Container)", n, s.pos, s.container)
	}
	each := s.fixedSize(value)
	if kind == codec.TypeMap {
		if k := s.fixedSize(key); each != 0 && k != 0 {
			each += k
		} else {
			each = 0
		}
		if each == 0 {
			n *= 2
		}
	}
	if each != 0 {
		s.pos, s.pending = int(min(uint64(i)+n*uint64(each), uint64(s.max)+1)), codec.TypeStop
		return true, nil
	}
	return s.open(i, level{kind: kind, key: key, value: value, left: int(n)})
}

// fixedSize is the size of a type's values as elements, 0 if they differ.
func (s *scanner) fixedSize(t codec.Type) int {
	if s.compact && (t == codec.TypeI16 || t == codec.TypeI32 || t == codec.TypeI64) {
		return 0
	}
	return t.Size()
}

// open goes one level down, to what begins at i.
func (s *scanner) open(i int, l level) (bool, error) {
	if l.kind == codec.TypeStruct {
		// The message's own struct, the first, is not counted.
		if s.structs++; s.structs > s.depth+1 {
			return false, s.tooMuch("structs are nested more than %d deep at byte %d (Limits.Depth)", s.depth, s.pos)
		}
	}
	if len(s.stack) >= s.levels() {
		return false, s.tooMuch("containers are nested more than %d deep at byte %d (Limits.Depth)", s.levels(), s.pos)
	}
	s.stack = append(s.stack, l)
	s.pos, s.pending = i, codec.TypeStop
	return true, nil
}
