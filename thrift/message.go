package thrift

import "github.com/seamgo/seam/thrift/codec"

// A Message is a struct, union or exception of generated code.
type Message interface {
	// AppendBinary and AppendCompact append the message to b. They fail if a
	// union doesn't have exactly one field set, or a struct that has to be there
	// is nil; the result is then undefined.
	AppendBinary(b []byte) ([]byte, error)
	AppendCompact(b []byte) ([]byte, error)
	// DecodeBinary and DecodeCompact read the message from b, which holds it
	// and nothing else. After an error the message holds part of the input.
	DecodeBinary(b []byte) error
	DecodeCompact(b []byte) error
	// The rest of the methods is for generated code. It has them for its own
	// messages too, the arguments and results of functions.
	Body
}

// A Body is what follows the header of a message: the struct of a function's
// arguments or of its result, as generated code has it. Every [Message] is one.
type Body = codec.Body

func (p Protocol) appendBody(b []byte, m Body) ([]byte, error) {
	switch p {
	case Compact:
		return m.AppendCompact(b)
	case JSON:
		return codec.AppendJSONBody(b, m)
	}
	return m.AppendBinary(b)
}

// decodeBody decodes what follows the header of a message.
func (p Protocol) decodeBody(b []byte, m Body, opt Options) error {
	if p == JSON {
		return codec.DecodeJSONBody(b, m, opt)
	}
	return codec.DecodeBody(b, p == Compact, m, opt)
}

// DecodeBinary reads m from the beginning of b in the binary protocol and
// returns the number of bytes that it took. What was in m is replaced. An
// error is a [*DecodeError].
//
// Every [Message] that is generated with the binary protocol can be read.
func DecodeBinary(b []byte, m codec.BinaryDecoder, opt Options) (n int, err error) {
	return codec.DecodeBinary(b, m, opt)
}

// DecodeCompact is [DecodeBinary] for the compact protocol.
func DecodeCompact(b []byte, m codec.CompactDecoder, opt Options) (n int, err error) {
	return codec.DecodeCompact(b, m, opt)
}

// Options say how to decode; the zero value stands for the defaults.
//
//	Limits Limits // what a message may cost
//	Views  bool   // strings and bytes point into the input instead of copying it
//	UTF8   bool   // a string that is not UTF-8 is an error
type Options = codec.Options

// Limits bound what one message may cost, no matter who sent it. A field that is 0
// stands for its default.
//
//	Message   int // bytes of the message; default 100 MB
//	Container int // elements of a list, set or map; default no limit
//	String    int // bytes of a string or binary; default no limit
//	Depth     int // structs within structs; default 64
//	Amplify   int // memory, as a multiple of the message's size; default 4, or what its type proves
type Limits = codec.Limits

// The defaults of [Limits].
const (
	DefaultMessage = codec.DefaultMessage
	DefaultDepth   = codec.DefaultDepth
	DefaultAmplify = codec.DefaultAmplify
)

// A DecodeError says what is wrong with a message, and where.
//
//	Path   string // from the outermost struct: Order.items[3].name
//	Offset int    // in the input, in bytes
//	Err    error  // one of ErrTruncated to ErrTrailing
//	Detail string // more about Err, or ""
type DecodeError = codec.DecodeError

// What can be wrong with a message. A [*DecodeError] wraps one of them.
var (
	ErrTruncated = codec.ErrTruncated // unexpected end of input
	ErrLength    = codec.ErrLength    // length that the input can't hold
	ErrType      = codec.ErrType      // wrong type of elements
	ErrMalformed = codec.ErrMalformed // bytes that mean nothing
	ErrRequired  = codec.ErrRequired  // required field is missing
	ErrUnion     = codec.ErrUnion     // union needs exactly one field
	ErrUTF8      = codec.ErrUTF8      // string is not UTF-8
	ErrDepth     = codec.ErrDepth     // nested too deeply
	ErrLimit     = codec.ErrLimit     // over one of the Limits
	ErrTrailing  = codec.ErrTrailing  // more bytes than the message
)

// An EncodeError says which part of a message can't be written.
//
//	Path string // from the outermost struct: Order.items[3]
//	Err  error  // ErrNil, ErrCycle, ErrTooLong, ErrUnion or ErrDepth
type EncodeError = codec.EncodeError

// What can be wrong with a message that is to be written, besides
// [ErrUnion] and [ErrDepth]. An [*EncodeError] wraps them.
var (
	ErrNil     = codec.ErrNil     // struct is nil
	ErrCycle   = codec.ErrCycle   // struct contains itself
	ErrTooLong = codec.ErrTooLong // message has 2 GB or more
)
