package thrift

import "errors"

// A Body is what follows the header of a message: a struct of the arguments
// or the result of a function. Every [Message] is one. Generated code has its
// own for each function.
type Body interface {
	AppendBinary(b []byte) ([]byte, error)
	AppendCompact(b []byte) ([]byte, error)
	ThriftDecodeBinary(d *Decoder, i int) int
	ThriftDecodeCompact(d *Decoder, i int) int
}

// appendMessage appends the body of a message.
func (p Protocol) appendMessage(b []byte, m Body) ([]byte, error) {
	if p == Compact {
		return m.AppendCompact(b)
	}
	return m.AppendBinary(b)
}

// decodeMessage decodes the body of a message, which must be all of b.
func (p Protocol) decodeMessage(b []byte, m Body, opt *Options) (err error) {
	if opt != nil && opt.Views {
		// Views of a buffer that is used again would change under their
		// owner's eyes, so they are of a copy.
		b = append([]byte(nil), b...)
	}
	if _, check := m.(interface{ checkUTF8() }); check {
		opt = opt.withUTF8()
	}
	if p == Compact {
		err = AllCompact(m, b, opt)
		if _, none := m.(interface{ noCompact() }); none && err != nil {
			return errNoCompact
		}
		return err
	}
	err = AllBinary(m, b, opt)
	if _, none := m.(interface{ noBinary() }); none && err != nil {
		return errNoBinary
	}
	return err
}

var (
	errNoBinary  = errors.New("the code was generated without the binary protocol")
	errNoCompact = errors.New("the code was generated without the compact protocol")
)

// NoBinary is embedded in the arguments and results of services that are
// generated for the compact protocol only, in place of the methods that they lack.
type NoBinary struct{}

func (NoBinary) noBinary() {}

// AppendBinary fails.
func (NoBinary) AppendBinary(b []byte) ([]byte, error) { return b, errNoBinary }

// ThriftDecodeBinary fails.
func (NoBinary) ThriftDecodeBinary(_ *Decoder, i int) int { return ^i }

// NoCompact is embedded in the arguments and results of services that are
// generated for the binary protocol only, in place of the methods that they lack.
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

var onlyUTF8 = Options{UTF8: true}

func (o *Options) withUTF8() *Options {
	switch {
	case o == nil:
		return &onlyUTF8
	case o.UTF8:
		return o
	}
	more := *o
	more.UTF8 = true
	return &more
}

// Empty is the message of functions without arguments, or with nothing to
// give back. Fields that a peer sends are skipped.
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
