package codec

import "sync"

// BinaryDecoder is what [DecodeBinary] needs of a generated struct.
type BinaryDecoder interface {
	ThriftDecodeBinary(d *Decoder, i int) int
}

// CompactDecoder is what [DecodeCompact] needs of a generated struct.
type CompactDecoder interface {
	ThriftDecodeCompact(d *Decoder, i int) int
}

// DecodeBinary reads m from the beginning of b in the binary protocol and
// returns the number of bytes that it took.
func DecodeBinary(b []byte, m BinaryDecoder, opt Options) (n int, err error) {
	return decodeBinary(b, m, &opt, false)
}

// DecodeCompact is [DecodeBinary] for the compact protocol.
func DecodeCompact(b []byte, m CompactDecoder, opt Options) (n int, err error) {
	return decodeCompact(b, m, &opt, false)
}

// AllBinary is [DecodeBinary] for input that is m and nothing else.
func AllBinary(m BinaryDecoder, b []byte, opt Options) error {
	_, err := decodeBinary(b, m, &opt, true)
	return err
}

// AllCompact is [AllBinary] for the compact protocol.
func AllCompact(m CompactDecoder, b []byte, opt Options) error {
	_, err := decodeCompact(b, m, &opt, true)
	return err
}

// PlainBinary is [AllBinary] without options, which as an argument are more code than the rest of
// the call.
//
//go:noinline
func PlainBinary(m BinaryDecoder, b []byte) error {
	_, err := decodeBinary(b, m, &plain, true)
	return err
}

// PlainCompact is [PlainBinary] for the compact protocol.
//
//go:noinline
func PlainCompact(m CompactDecoder, b []byte) error {
	_, err := decodeCompact(b, m, &plain, true)
	return err
}

// plain is no options.
var plain Options

// decoders are those that are not in use. A decoder is handed to a method
// behind an interface, so it can't be on the stack.
var decoders = sync.Pool{New: func() any { return new(Decoder) }}

// Options come by value from everybody else, but are copied only once: into
// the decoder, by start. Nobody writes to them.
//
//go:noinline
func decodeBinary(b []byte, m BinaryDecoder, opt *Options, all bool) (n int, err error) {
	d := decoders.Get().(*Decoder)
	d.start(b, opt)
	if len(b) > askFrom {
		d.proven(m, false)
	}
	n = -1
	if d.Enter() {
		n = d.end(m.ThriftDecodeBinary(d, 0))
	}
	if n < 0 && d.again(m, false, opt) {
		d.Enter()
		n = d.end(m.ThriftDecodeBinary(d, 0))
	}
	if n < 0 || all && n != len(b) {
		n, err = 0, d.BinaryError(m, n)
	}
	d.done()
	return n, err
}

// decodeCompact is decodeBinary with calls of the other methods: choosing them
// by an argument would cost every message an indirect call more.
//
//go:noinline
func decodeCompact(b []byte, m CompactDecoder, opt *Options, all bool) (n int, err error) {
	d := decoders.Get().(*Decoder)
	d.start(b, opt)
	if len(b) > askFrom {
		d.proven(m, true)
	}
	n = -1
	if d.Enter() {
		n = d.end(m.ThriftDecodeCompact(d, 0))
	}
	if n < 0 && d.again(m, true, opt) {
		d.Enter()
		n = d.end(m.ThriftDecodeCompact(d, 0))
	}
	if n < 0 || all && n != len(b) {
		n, err = 0, d.CompactError(m, n)
	}
	d.done()
	return n, err
}
