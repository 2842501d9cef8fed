package codec

import "errors"

// A Body is what follows the header of a message: the struct of a function's
// arguments or of its result.
type Body interface {
	AppendBinary(b []byte) ([]byte, error)
	AppendCompact(b []byte) ([]byte, error)
	ThriftDecodeBinary(d *Decoder, i int) int
	ThriftDecodeCompact(d *Decoder, i int) int
}

// DecodeBody decodes the body of a message, which must be all of b, in the
// compact protocol or in the binary one. Clients and servers call it.
func DecodeBody(b []byte, compact bool, m Body, opt Options) error {
	if opt.Views {
		// b is a buffer that will be used again, so the views are of a copy.
		b = append([]byte(nil), b...)
	}
	if _, check := m.(interface{ checkUTF8() }); check {
		opt.UTF8 = true
	}
	if compact {
		err := AllCompact(m, b, opt)
		if _, none := m.(interface{ noCompact() }); none && err != nil {
			return errNoCompact
		}
		return err
	}
	err := AllBinary(m, b, opt)
	if _, none := m.(interface{ noBinary() }); none && err != nil {
		return errNoBinary
	}
	return err
}

var (
	errNoBinary  = errors.New("thrift: the code was generated without the binary protocol")
	errNoCompact = errors.New("thrift: the code was generated without the compact protocol")
)

// NoBinary is embedded in the arguments and results of services that are
// generated for the compact protocol only, in place of the methods that they
// lack.
type NoBinary struct{}

func (NoBinary) noBinary() {}

// AppendBinary fails.
func (NoBinary) AppendBinary(b []byte) ([]byte, error) { return b, errNoBinary }

// ThriftDecodeBinary fails.
func (NoBinary) ThriftDecodeBinary(_ *Decoder, i int) int { return ^i }

// NoCompact is NoBinary for services that are generated for the binary
// protocol only.
type NoCompact struct{}

func (NoCompact) noCompact() {}

// AppendCompact fails.
func (NoCompact) AppendCompact(b []byte) ([]byte, error) { return b, errNoCompact }

// ThriftDecodeCompact fails.
func (NoCompact) ThriftDecodeCompact(_ *Decoder, i int) int { return ^i }

// CheckUTF8 is embedded in the arguments and results of services that are
// generated to refuse strings that are not UTF-8.
type CheckUTF8 struct{}

func (CheckUTF8) checkUTF8() {}

// Empty is the message of functions without arguments, or without a result.
// Fields that a peer sends are skipped.
type Empty struct{}

// AppendBinary appends a struct without fields.
func (*Empty) AppendBinary(b []byte) ([]byte, error) { return append(b, 0), nil }

// AppendCompact appends a struct without fields.
func (*Empty) AppendCompact(b []byte) ([]byte, error) { return append(b, 0), nil }

// ThriftDecodeBinary steps over a struct.
func (*Empty) ThriftDecodeBinary(d *Decoder, i int) int {
	return d.skipBinaryNested(d.buf, i, TypeStruct)
}

// ThriftDecodeCompact steps over a struct.
func (*Empty) ThriftDecodeCompact(d *Decoder, i int) int {
	return d.skipCompactNested(d.buf, i, TypeStruct)
}
