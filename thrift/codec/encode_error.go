package codec

import (
	"errors"
	"math"
	"reflect"
	"strconv"
	"strings"
)

// What can be wrong with a message that is to be written, besides
// [ErrUnion]. An [*EncodeError] wraps them.
var (
	ErrNil     = errors.New("thrift: struct is nil")
	ErrTooLong = errors.New("thrift: message has 2 GB or more")
)

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
	err := unwritable(s, v)
	if err == nil {
		err = &EncodeError{Err: ErrTooLong}
	}
	err.Path = s.name + err.Path
	return b, err
}

// unwritable looks for what is wrong with a struct; v is a pointer to it.
func unwritable(s *structShape, v reflect.Value) *EncodeError {
	if v.IsNil() {
		return &EncodeError{Err: ErrNil}
	}
	v = v.Elem()
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
		if err := unwritableValue(f.typ, field); err != nil {
			err.Path = "." + f.name + err.Path
			return err
		}
	}
	return nil
}

func unwritableValue(s *shape, v reflect.Value) *EncodeError {
	at := func(k int, err *EncodeError) *EncodeError {
		err.Path = "[" + strconv.Itoa(k) + "]" + err.Path
		return err
	}
	switch {
	case s.wire == TypeStruct:
		return unwritable(s.fields, v)
	case s.wire == TypeList || s.wire == TypeSet:
		for k := range v.Len() {
			if err := unwritableValue(s.elem, v.Index(k)); err != nil {
				return at(k, err)
			}
		}
	case s.wire == TypeMap && v.Kind() == reflect.Map:
		for e := v.MapRange(); e.Next(); {
			if err := unwritableValue(s.elem, e.Value()); err != nil {
				err.Path = keyStep(e.Key().Interface()) + err.Path
				return err
			}
		}
	case s.wire == TypeMap:
		for k := range v.Len() {
			pair := v.Index(k)
			if err := unwritableValue(s.key, pair.Field(0)); err != nil {
				err.Path = ".key" + err.Path
				return at(k, err)
			}
			if err := unwritableValue(s.elem, pair.Field(1)); err != nil {
				err.Path = ".value" + err.Path
				return at(k, err)
			}
		}
	}
	return nil
}
