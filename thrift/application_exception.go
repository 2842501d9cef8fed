package thrift

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/seamgo/seam/thrift/codec"
)

// An ExceptionType says why a call was not answered.
type ExceptionType int32

// The reasons of an [ApplicationException], with Apache's numbers.
const (
	UnknownException      ExceptionType = 0
	UnknownMethod         ExceptionType = 1 // the server has no such function
	InvalidMessageType    ExceptionType = 2 // the server got an answer, or the client a call
	WrongMethodName       ExceptionType = 3 // the answer is another function's
	BadSequenceID         ExceptionType = 4 // the answer is another call's
	MissingResult         ExceptionType = 5 // the function gave neither a result nor an exception
	InternalError         ExceptionType = 6 // the handler failed in a way that the function doesn't declare
	ProtocolError         ExceptionType = 7 // the arguments could not be decoded
	InvalidTransform      ExceptionType = 8
	InvalidProtocol       ExceptionType = 9
	UnsupportedClientType ExceptionType = 10
)

// And with fbthrift's numbers, which Apache's libraries pass on.
const (
	Timeout      ExceptionType = 12 // the call's time was over in the server
	Interruption ExceptionType = 15 // the call was cancelled in the server
)

var exceptionTypes = [...]string{
	"unknown application exception", "unknown method", "invalid message type", "wrong method name",
	"bad sequence id", "missing result", "internal error", "protocol error", "invalid transform",
	"invalid protocol", "unsupported client type",
}

// String returns the meaning of the number.
func (t ExceptionType) String() string {
	switch {
	case t >= 0 && int(t) < len(exceptionTypes):
		return exceptionTypes[t]
	case t == Timeout:
		return "timeout"
	case t == Interruption:
		return "interruption"
	}
	return fmt.Sprintf("ExceptionType(%d)", int32(t))
}

// An ApplicationException is what a server answers when it has no answer; it
// is TApplicationException on the wire. A client gets it as an error; a
// handler may return one to choose the type itself.
type ApplicationException struct {
	Type    ExceptionType
	Message string
}

// Error returns the message, or the type's meaning if there is none.
func (e *ApplicationException) Error() string {
	if e.Message == "" {
		return e.Type.String()
	}
	return e.Message
}

// Is has errors.Is take a [Timeout] for a context.DeadlineExceeded and an [Interruption] for a
// context.Canceled.
func (e *ApplicationException) Is(target error) bool {
	return e.Type == Timeout && target == context.DeadlineExceeded || e.Type == Interruption && target == context.Canceled
}

// typeOf is the type that says most of what a handler has returned.
func typeOf(err error) ExceptionType {
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return Timeout
	case errors.Is(err, context.Canceled):
		return Interruption
	}
	return InternalError
}

// missingResult is the exception for a function that gave neither a result nor
// an exception.
func missingResult(function string) *ApplicationException {
	return &ApplicationException{MissingResult, function + ": neither a result nor an exception"}
}

// The exception is a struct { 1: string message, 2: i32 type }.
const (
	binaryMessage  = uint32(codec.TypeString)<<16 | 1
	binaryType     = uint32(codec.TypeI32)<<16 | 2
	compactMessage = 1<<4 | 8
	compactType    = 2<<4 | 5
)

func (e *ApplicationException) append(b []byte, p Protocol) []byte {
	switch p {
	case JSON:
		return codec.AppendJSONException(b, e.Message, int32(e.Type))
	case Compact:
		b = codec.AppendCompactString(b, compactMessage, e.Message)
		b = codec.AppendCompactI32(b, 1<<4|5, int32(e.Type)) // its number is one more than the last
		return append(b, 0)
	}
	b = codec.AppendBinaryString(b, binaryMessage, e.Message)
	b = append(b, byte(codec.TypeI32), 0, 2)
	b = binary.BigEndian.AppendUint32(b, uint32(e.Type))
	return append(b, 0)
}

// parse decodes the exception; fields that it doesn't know are skipped.
func (e *ApplicationException) parse(b []byte, p Protocol, l Limits) (err error) {
	*e = ApplicationException{}
	switch p {
	case JSON:
		err = codec.DecodeJSONBody(b, (*exceptionBody)(e), Options{Limits: l})
	case Compact:
		_, err = codec.DecodeCompact(b, (*exceptionBody)(e), Options{Limits: l})
	default:
		_, err = codec.DecodeBinary(b, (*exceptionBody)(e), Options{Limits: l})
	}
	if err != nil {
		return fmt.Errorf("exception of the peer: %w", err)
	}
	return nil
}

// An exceptionBody is an [ApplicationException] to decode into.
type exceptionBody struct {
	Type    ExceptionType `thrift:"type,2,default,i32"`
	Message string        `thrift:"message,1,default,string"`
}

func (e *exceptionBody) ThriftDecodeBinary(d *codec.Decoder, i int) int {
	for i >= 0 {
		switch head := d.BinaryField(i); {
		case head < 1<<16:
			return i + 1
		case head == binaryMessage:
			i = d.BinaryString(i+3, &e.Message)
		case head == binaryType:
			e.Type = ExceptionType(d.Load32(i + 3))
			i += 7
		default:
			i = d.SkipBinaryField(i, head)
		}
	}
	return i
}

func (e *exceptionBody) ThriftDecodeCompact(d *codec.Decoder, i int) int {
	for key := 0; i >= 0; {
		switch key, i = d.CompactField(i, key); key {
		case 0:
			return i
		case compactMessage:
			i = d.CompactString(i, &e.Message)
		case compactType:
			i = d.CompactI32(i, (*int32)(&e.Type))
		default:
			i = d.SkipCompactField(i, key)
		}
	}
	return i
}

// Unimplemented is the error of a handler that doesn't have a function: an exception of type
// [UnknownMethod].
func Unimplemented(function string) error {
	return &ApplicationException{UnknownMethod, fmt.Sprintf("function %q is not implemented", function)}
}
