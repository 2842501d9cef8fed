package thrift

import "sync"

// A Message is a struct, union or exception of generated code.
type Message interface {
	// AppendBinary and AppendCompact append the message to b. They fail if a
	// union has not exactly one field set, or a struct is missing where there
	// has to be one; what b is then is undefined.
	AppendBinary(b []byte) ([]byte, error)
	AppendCompact(b []byte) ([]byte, error)
	// DecodeBinary and DecodeCompact read the message from b, which holds it
	// and nothing else. After an error the message has some of the input.
	DecodeBinary(b []byte) error
	DecodeCompact(b []byte) error
	// ThriftDecodeBinary and ThriftDecodeCompact are for generated code: d is
	// only theirs until they return.
	ThriftDecodeBinary(d *Decoder, i int) int
	ThriftDecodeCompact(d *Decoder, i int) int
}

// BinaryDecoder is the part of a [Message] that [DecodeBinary] needs.
type BinaryDecoder interface {
	ThriftDecodeBinary(d *Decoder, i int) int
}

// CompactDecoder is the part of a [Message] that [DecodeCompact] needs.
type CompactDecoder interface {
	ThriftDecodeCompact(d *Decoder, i int) int
}

// decoders are those that are not in use. A decoder is handed to a method
// behind an interface, so it can't be on the stack.
var decoders = sync.Pool{New: func() any { return new(Decoder) }}

// DecodeBinary reads m from the beginning of b in the binary protocol and
// gives the number of bytes that it took. What was in m is replaced. An error
// is a [*DecodeError].
func DecodeBinary(b []byte, m BinaryDecoder, opt *Options) (n int, err error) {
	d := decoders.Get().(*Decoder)
	d.Start(b, opt)
	n = -1
	if d.Enter() {
		n = d.end(m.ThriftDecodeBinary(d, 0))
	}
	if n < 0 {
		n, err = 0, d.BinaryError(m, n)
	}
	d.done()
	return n, err
}

// DecodeCompact is [DecodeBinary] for the compact protocol.
func DecodeCompact(b []byte, m CompactDecoder, opt *Options) (n int, err error) {
	d := decoders.Get().(*Decoder)
	d.Start(b, opt)
	n = -1
	if d.Enter() {
		n = d.end(m.ThriftDecodeCompact(d, 0))
	}
	if n < 0 {
		n, err = 0, d.CompactError(m, n)
	}
	d.done()
	return n, err
}

// AllBinary is [DecodeBinary] for input that is m and nothing else. It is for
// generated code.
func AllBinary(m BinaryDecoder, b []byte, opt *Options) (err error) {
	d := decoders.Get().(*Decoder)
	d.Start(b, opt)
	n := -1
	if d.Enter() {
		n = d.end(m.ThriftDecodeBinary(d, 0))
	}
	if n != len(b) {
		err = d.BinaryError(m, n)
	}
	d.done()
	return err
}

// AllCompact is AllBinary for the compact protocol.
func AllCompact(m CompactDecoder, b []byte, opt *Options) (err error) {
	d := decoders.Get().(*Decoder)
	d.Start(b, opt)
	n := -1
	if d.Enter() {
		n = d.end(m.ThriftDecodeCompact(d, 0))
	}
	if n != len(b) {
		err = d.CompactError(m, n)
	}
	d.done()
	return err
}
