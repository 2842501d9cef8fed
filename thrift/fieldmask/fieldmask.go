// Package fieldmask writes and reads parts of Thrift messages: the fields that paths name, or
// all others.
//
// A path begins with $, which stands for the message.
//
//	$.name          a field, by its name in the Thrift file or by its number; .* is all fields
//	$.list[1,3]     elements of a list or set by number; [*] is all
//	$.map{"a","b"}  values of a map by key, text or a number; {*} is all
//
// Steps follow each other: $.orders[*].items{7}.price. A path that ends at a struct or a
// container means all of it. Required fields are there whatever a mask says, and so is the
// field of a union.
//
// This is what users of thriftgo and Kitex know as fieldmask.
package fieldmask

import (
	"fmt"
	"reflect"

	"github.com/seamgo/seam/thrift/codec"
)

// A Mask is a set of paths into a struct T of generated code. It is not changed once it was
// made, so goroutines may share it. With a nil mask everything is written and read.
type Mask[T any] struct{ m *codec.Mask }

// Options say what a mask means.
type Options struct {
	// BlackList leaves out what the paths name, and nothing else.
	BlackList bool
}

// New makes the mask that leaves in what the paths name. Without any path that is everything, as
// with thriftgo's. Errors say which path is wrong, and where. Paths may come from strangers: a
// mask has at most 10,000 places.
func New[T any](paths ...string) (*Mask[T], error) { return NewOptions[T](Options{}, paths...) }

// NewOptions is New with options.
func NewOptions[T any](opt Options, paths ...string) (*Mask[T], error) {
	m, err := codec.NewMask(reflect.TypeFor[T](), opt.BlackList, paths)
	if err != nil {
		return nil, err
	}
	return &Mask[T]{m}, nil
}

// Must panics if there is an error, for masks that are made when a program starts.
func Must[T any](m *Mask[T], err error) *Mask[T] {
	if err != nil {
		panic(err)
	}
	return m
}

// Paths returns the paths that the mask was made of, and its options: what another program needs
// to make the same.
func (m *Mask[T]) Paths() ([]string, Options) {
	if m == nil {
		return nil, Options{}
	}
	paths, black := m.m.Paths()
	return paths, Options{BlackList: black}
}

func (m *Mask[T]) mask() *codec.Mask {
	if m == nil {
		return nil
	}
	return m.m
}

// AppendBinary appends what the mask leaves of the message in the binary protocol. Code that was
// generated with --field-mask does so by itself once Set_FieldMask was called.
func (m *Mask[T]) AppendBinary(b []byte, p *T) ([]byte, error) {
	w, ok := any(p).(codec.BinaryMessage)
	if !ok {
		return b, m.none("binary")
	}
	out, err := w.AppendBinary(b)
	if err != nil {
		return b, err
	}
	return m.kept(m.mask().KeepBinary(out, len(b)), b)
}

// AppendCompact is AppendBinary for the compact protocol.
func (m *Mask[T]) AppendCompact(b []byte, p *T) ([]byte, error) {
	w, ok := any(p).(interface {
		AppendCompact(b []byte) ([]byte, error)
	})
	if !ok {
		return b, m.none("compact")
	}
	out, err := w.AppendCompact(b)
	if err != nil {
		return b, err
	}
	return m.kept(m.mask().KeepCompact(out, len(b)), b)
}

func (m *Mask[T]) kept(out, b []byte) ([]byte, error) {
	if out == nil {
		return b, fmt.Errorf("fieldmask: %v is nested too deeply for a mask", reflect.TypeFor[T]())
	}
	return out, nil
}

func (m *Mask[T]) none(protocol string) error {
	return fmt.Errorf("fieldmask: %v was generated without the %s protocol", reflect.TypeFor[T](), protocol)
}

// DecodeBinary reads what the mask leaves of the message at the beginning of b, as
// thrift.DecodeBinary does, and returns the number of bytes of the whole message.
func (m *Mask[T]) DecodeBinary(b []byte, p *T, opt codec.Options) (n int, err error) {
	d, ok := any(p).(codec.BinaryDecoder)
	switch {
	case !ok:
		return 0, m.none("binary")
	case m == nil:
		return codec.DecodeBinary(b, d, opt)
	}
	return m.m.DecodeBinary(b, d, opt)
}

// DecodeCompact is DecodeBinary for the compact protocol.
func (m *Mask[T]) DecodeCompact(b []byte, p *T, opt codec.Options) (n int, err error) {
	d, ok := any(p).(codec.CompactDecoder)
	switch {
	case !ok:
		return 0, m.none("compact")
	case m == nil:
		return codec.DecodeCompact(b, d, opt)
	}
	return m.m.DecodeCompact(b, d, opt)
}

// KeepBinary is for generated code: it takes what the mask leaves out from the message that
// begins at from and ends b.
func (m *Mask[T]) KeepBinary(b []byte, from int) []byte { return m.mask().KeepBinary(b, from) }

// KeepCompact is KeepBinary for the compact protocol.
func (m *Mask[T]) KeepCompact(b []byte, from int) []byte { return m.mask().KeepCompact(b, from) }
