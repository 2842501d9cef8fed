package thrift

import (
	"encoding/binary"
	"fmt"
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

var exceptionTypes = [...]string{
	"unknown application exception", "unknown method", "invalid message type", "wrong method name",
	"bad sequence id", "missing result", "internal error", "protocol error", "invalid transform",
	"invalid protocol", "unsupported client type",
}

// String gives the meaning of the number.
func (t ExceptionType) String() string {
	if t >= 0 && int(t) < len(exceptionTypes) {
		return exceptionTypes[t]
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

// Error gives the message, or the type's meaning if there is none.
func (e *ApplicationException) Error() string {
	if e.Message == "" {
		return e.Type.String()
	}
	return e.Message
}

// MissingResultOf is the error of a function that gave neither a result nor
// an exception. Generated code calls it.
func MissingResultOf(function string) error {
	return &ApplicationException{MissingResult, function + ": neither a result nor an exception"}
}

// append appends the exception as a struct { 1: string message, 2: i32 type }.
func (e *ApplicationException) append(b []byte, p Protocol) []byte {
	if p == Compact {
		b = append(b, 1<<4|toCompact[TypeString])
		b = binary.AppendUvarint(b, uint64(len(e.Message)))
		b = append(b, e.Message...)
		b = append(b, 1<<4|toCompact[TypeI32])
		b = binary.AppendUvarint(b, uint64(uint32(e.Type)<<1^uint32(e.Type>>31)))
		return append(b, 0)
	}
	b = append(b, byte(TypeString), 0, 1)
	b = binary.BigEndian.AppendUint32(b, uint32(len(e.Message)))
	b = append(b, e.Message...)
	b = append(b, byte(TypeI32), 0, 2)
	b = binary.BigEndian.AppendUint32(b, uint32(e.Type))
	return append(b, 0)
}

// parse decodes the exception; fields that it doesn't know are skipped.
func (e *ApplicationException) parse(b []byte, p Protocol, opt *Options) error {
	*e = ApplicationException{}
	var s scanner
	s.configure(opt)
	i, id := 0, int16(0)
	typeBits := byte(0xff)
	if p == Compact {
		typeBits = 15
	}
	for i < len(b) && b[i]&typeBits != 0 {
		var t Type
		if p == Compact {
			t = fromCompact[b[i]&15]
			delta := b[i] >> 4
			i++
			id += int16(delta)
			if delta == 0 {
				v, n := binary.Uvarint(b[i:])
				if n <= 0 {
					return fmt.Errorf("exception of the peer: number of a field is not a varint at byte %d", i)
				}
				i += n
				id = int16(unzigzag(v))
			}
			if t == TypeBool {
				continue // its value was in the header
			}
		} else {
			t = Type(b[i])
			if len(b)-i < 3 {
				break
			}
			id = int16(binary.BigEndian.Uint16(b[i+1:]))
			i += 3
		}
		next, err := s.valueEnd(b, i, t, p == Compact)
		if err != nil {
			return fmt.Errorf("exception of the peer: %w", err)
		}
		// The value is all there, so what follows need not ask again.
		switch value := b[i:next]; {
		case id == 1 && t == TypeString && p == Compact:
			_, n := binary.Uvarint(value)
			e.Message = string(value[n:])
		case id == 1 && t == TypeString:
			e.Message = string(value[4:])
		case id == 2 && t == TypeI32 && p == Compact:
			v, _ := binary.Uvarint(value)
			e.Type = ExceptionType(unzigzag(v))
		case id == 2 && t == TypeI32:
			e.Type = ExceptionType(binary.BigEndian.Uint32(value))
		}
		i = next
	}
	if i >= len(b) || b[i]&typeBits != 0 {
		return fmt.Errorf("exception of the peer: %w", endOfInput(len(b)))
	}
	return nil
}

func unzigzag(v uint64) int32 { return int32(uint32(v)>>1) ^ -int32(v&1) }
