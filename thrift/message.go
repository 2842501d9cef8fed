package thrift

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
	// ThriftDecodeBinary and ThriftDecodeCompact are for generated code.
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

// DecodeBinary reads m from the beginning of b in the binary protocol and
// gives the number of bytes that it took. What was in m is replaced. An error
// is a [*DecodeError].
func DecodeBinary(b []byte, m BinaryDecoder, opt *Options) (n int, err error) {
	// The call below is through an interface, so d is on the heap.
	d := new(Decoder)
	d.Start(b, opt)
	i := m.ThriftDecodeBinary(d, 0)
	if i < 0 {
		return 0, d.BinaryError(m, i)
	}
	return i, nil
}

// DecodeCompact is [DecodeBinary] for the compact protocol.
func DecodeCompact(b []byte, m CompactDecoder, opt *Options) (n int, err error) {
	d := new(Decoder)
	d.Start(b, opt)
	i := m.ThriftDecodeCompact(d, 0)
	if i < 0 {
		return 0, d.CompactError(m, i)
	}
	return i, nil
}
