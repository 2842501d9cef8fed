package codec

import (
	"errors"
	"math"
	"reflect"
	"strconv"
	"strings"
	"unsafe"
)

// What can be wrong with a message that is to be written, besides
// [ErrUnion] and [ErrDepth]. An [*EncodeError] wraps them.
var (
	ErrNil     = errors.New("thrift: struct is nil")
	ErrCycle   = errors.New("thrift: struct contains itself")
	ErrTooLong = errors.New("thrift: message has 2 GB or more")
)

// MaxDepth is how deep structs of recursive types may be nested to be written.
// It is far more than readers accept by default, and ends the writing of one
// that contains itself.
const MaxDepth = 10_000

// An EncodeError says which part of a message can't be written.
type EncodeError struct {
	Path string // from the outermost struct: Order.items[3]
	Err  error
}

func (e *EncodeError) Error() string {
	return e.Path + ": " + strings.TrimPrefix(e.Err.Error(), "thrift: ")
}

// Unwrap returns the kind of the error.
func (e *EncodeError) Unwrap() error { return e.Err }

// AppendBinary appends a message in the binary protocol. The Append methods of generated code
// call it: it is less code than a call of their own and one of [Appended].
func AppendBinary(m interface{ ThriftAppendBinary(b []byte) []byte }, b []byte) ([]byte, error) {
	return Appended(m, b, m.ThriftAppendBinary(b))
}

// AppendCompact appends a message in the compact protocol.
func AppendCompact(m interface{ ThriftAppendCompact(b []byte) []byte }, b []byte) ([]byte, error) {
	return Appended(m, b, m.ThriftAppendCompact(b))
}

// Appended is the result of the Append methods of generated code: out, or
// the reason why it is nil or too long for the 32 bits that the wire has for
// a length. b is what the message m was appended to.
//
//go:noinline
func Appended(m any, b, out []byte) ([]byte, error) {
	if out != nil && len(out)-len(b) <= math.MaxInt32 {
		return out, nil
	}
	v := reflect.ValueOf(m)
	s := shapeOf(v.Type().Elem())
	err := path{}.unwritable(s, v)
	if err == nil {
		err = &EncodeError{Err: ErrTooLong}
	}
	err.Path = s.name + err.Path
	return b, err
}

// within puts a step in front of the path, unless it has thousands.
func (e *EncodeError) within(step string) *EncodeError {
	if e.Err != ErrDepth {
		e.Path = step + e.Path
	}
	return e
}

// A path has the structs that lead to a value.
type path map[unsafe.Pointer]bool

// unwritable looks for what is wrong with a struct; v is a pointer to it.
func (p path) unwritable(s *structShape, v reflect.Value) *EncodeError {
	if v.IsNil() {
		return &EncodeError{Err: ErrNil}
	}
	at := v.UnsafePointer()
	v = v.Elem()
	if v.Type().Size() > 0 { // else others may have its address
		switch {
		case p[at]:
			return &EncodeError{Err: ErrCycle}
		case len(p) >= MaxDepth:
			return &EncodeError{Err: ErrDepth}
		}
		p[at] = true
		defer delete(p, at)
	}
	if s.union {
		set := 0
		for _, f := range s.fields {
			if !v.Field(f.index).IsNil() {
				set++
			}
		}
		if unknown := v.FieldByName("UnknownFields"); unknown.IsValid() && unknown.Len() > 0 {
			set++
		}
		if set != 1 {
			return &EncodeError{Err: ErrUnion}
		}
	}
	for _, f := range s.fields {
		field := v.Field(f.index)
		if f.typ.wire == TypeStruct && !f.required && field.IsNil() {
			continue
		}
		if err := p.value(f.typ, field); err != nil {
			return err.within("." + f.name)
		}
	}
	return nil
}

func (p path) value(s *shape, v reflect.Value) *EncodeError {
	at := func(k int, err *EncodeError) *EncodeError { return err.within("[" + strconv.Itoa(k) + "]") }
	switch {
	case s.wire == TypeStruct && v.Kind() == reflect.Struct: // in a container itself
		if !v.CanAddr() { // in a map
			c := reflect.New(v.Type())
			c.Elem().Set(v)
			return p.unwritable(s.fields, c)
		}
		return p.unwritable(s.fields, v.Addr())
	case s.wire == TypeStruct:
		return p.unwritable(s.fields, v)
	case s.wire == TypeList || s.wire == TypeSet:
		for k := range v.Len() {
			if err := p.value(s.elem, v.Index(k)); err != nil {
				return at(k, err)
			}
		}
	case s.wire == TypeMap && v.Kind() == reflect.Map:
		for e := v.MapRange(); e.Next(); {
			if err := p.value(s.elem, e.Value()); err != nil {
				return err.within(keyStep(e.Key().Interface()))
			}
		}
	case s.wire == TypeMap:
		for k := range v.Len() {
			pair := v.Index(k)
			if err := p.value(s.key, pair.Field(0)); err != nil {
				return at(k, err.within(".key"))
			}
			if err := p.value(s.elem, pair.Field(1)); err != nil {
				return at(k, err.within(".value"))
			}
		}
	}
	return nil
}
