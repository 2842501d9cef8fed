package thrift

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/seamgo/seam/thrift/codec"
)

// A Protocol is how a message is written.
type Protocol uint8

// The protocols. They are told apart by their first byte, so a reader of a
// message need not be told.
const (
	Binary    Protocol = iota // the binary protocol, with the version in the message's header ("strict")
	OldBinary                 // the binary protocol with the older header, which has no version
	Compact                   // the compact protocol
	JSON                      // Apache's JSON protocol (TJSONProtocol), which is slow: for browsers and for people
)

// String returns the name of the protocol.
func (p Protocol) String() string {
	switch p {
	case Binary:
		return "binary"
	case OldBinary:
		return "binary without version"
	case Compact:
		return "compact"
	case JSON:
		return "JSON"
	}
	return fmt.Sprintf("Protocol(%d)", uint8(p))
}

// A MessageType says what a message is.
type MessageType uint8

// The types of messages, with their numbers on the wire.
const (
	CallMessage      MessageType = 1 // a call that is answered
	ReplyMessage     MessageType = 2 // the answer: the function's result or an exception that it declares
	ExceptionMessage MessageType = 3 // the answer when there is none: an [ApplicationException]
	OnewayMessage    MessageType = 4 // a call that is not answered
)

// String returns the name of the type.
func (t MessageType) String() string {
	switch t {
	case CallMessage:
		return "call"
	case ReplyMessage:
		return "reply"
	case ExceptionMessage:
		return "exception"
	case OnewayMessage:
		return "oneway"
	}
	return fmt.Sprintf("MessageType(%d)", uint8(t))
}

// A MessageHeader stands in front of every message.
type MessageHeader struct {
	Name     []byte // of the function; a part of the bytes that were parsed, unless JSON has it escaped
	Type     MessageType
	Seq      int32 // the caller's number, which the answer repeats
	Protocol Protocol
}

const (
	strictVersion  = 0x8001_0000
	compactID      = 0x82
	compactVersion = 1
	jsonStart      = '['

	// maxName bounds the names of functions: nobody's are longer, and a
	// stranger's length must not be believed.
	maxName = 4096
)

// AppendMessageHeader appends the header of a message to b. What follows it
// is the struct of the arguments or of the result, and with [JSON] a closing bracket.
func AppendMessageHeader(b []byte, p Protocol, name string, t MessageType, seq int32) []byte {
	switch p {
	case Compact:
		b = append(b, compactID, compactVersion|byte(t)<<5)
		b = binary.AppendUvarint(b, uint64(uint32(seq)))
		b = binary.AppendUvarint(b, uint64(len(name)))
		return append(b, name...)
	case JSON:
		return codec.AppendJSONHead(b, name, byte(t), seq)
	case OldBinary:
		b = binary.BigEndian.AppendUint32(b, uint32(len(name)))
		b = append(b, name...)
		b = append(b, byte(t))
	default:
		b = binary.BigEndian.AppendUint32(b, strictVersion|uint32(t))
		b = binary.BigEndian.AppendUint32(b, uint32(len(name)))
		b = append(b, name...)
	}
	return binary.BigEndian.AppendUint32(b, uint32(seq))
}

// ParseMessageHeader reads the header at the start of b, in whichever
// protocol it is, and returns the number of bytes that it takes.
func ParseMessageHeader(b []byte) (h MessageHeader, n int, err error) {
	n, err = parseHeader(b, &h)
	switch {
	case err != nil:
		return MessageHeader{}, 0, err
	case n == 0:
		return MessageHeader{}, 0, fmt.Errorf("header of message: unexpected end of input at byte %d", len(b))
	}
	return h, n, nil
}

// parseHeader returns 0 bytes where b ends before the header does.
func parseHeader(b []byte, h *MessageHeader) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	switch b[0] {
	case compactID:
		return parseCompactHeader(b, h)
	case jsonStart:
		return parseJSONHeader(b, h)
	}
	if len(b) < 4 {
		return 0, nil
	}
	word := binary.BigEndian.Uint32(b)
	i := 4
	h.Protocol = OldBinary
	length := word
	if int32(word) < 0 {
		if word&0xffff_0000 != strictVersion {
			return 0, fmt.Errorf("header of message: bad version %#08x (want %#08x of the binary protocol, 0x%02x.. of the compact one, [1 of JSON)", word, uint32(strictVersion), compactID)
		}
		h.Protocol = Binary
		h.Type = MessageType(word)
		if len(b) < 8 {
			return 0, nil
		}
		length = binary.BigEndian.Uint32(b[4:])
		i = 8
	}
	if length > maxName {
		if h.Protocol == OldBinary {
			// An old header begins with anything, so say what it may be.
			return 0, fmt.Errorf("header of message: begins with %q, which is no version; a header without one would have a name of %d bytes (at most %d)", b[:min(len(b), 8)], length, maxName)
		}
		return 0, nameTooLong(uint64(length))
	}
	if len(b)-i < int(length) {
		return 0, nil
	}
	h.Name = b[i : i+int(length) : i+int(length)]
	i += int(length)
	if h.Protocol == OldBinary {
		if len(b) == i {
			return 0, nil
		}
		h.Type = MessageType(b[i])
		i++
	}
	if len(b)-i < 4 {
		return 0, nil
	}
	h.Seq = int32(binary.BigEndian.Uint32(b[i:]))
	return i + 4, nil
}

func parseCompactHeader(b []byte, h *MessageHeader) (int, error) {
	if len(b) < 2 {
		return 0, nil
	}
	if v := b[1] & 0x1f; v != compactVersion {
		return 0, fmt.Errorf("header of message: bad version %d of the compact protocol (want %d)", v, compactVersion)
	}
	h.Protocol = Compact
	h.Type = MessageType(b[1] >> 5)
	i := 2
	seq, n := binary.Uvarint(b[i:])
	switch {
	case n == 0 && len(b)-i < binary.MaxVarintLen64:
		return 0, nil
	case n <= 0 || seq > math.MaxUint32:
		return 0, fmt.Errorf("header of message: sequence number is not a varint of 32 bits at byte %d", i)
	}
	h.Seq = int32(uint32(seq))
	i += n
	length, n := binary.Uvarint(b[i:])
	switch {
	case n == 0 && len(b)-i < binary.MaxVarintLen64:
		return 0, nil
	case n <= 0:
		return 0, fmt.Errorf("header of message: length of the name is not a varint at byte %d", i)
	case length > maxName:
		return 0, nameTooLong(length)
	}
	i += n
	if len(b)-i < int(length) {
		return 0, nil
	}
	h.Name = b[i : i+int(length) : i+int(length)]
	return i + int(length), nil
}

func parseJSONHeader(b []byte, h *MessageHeader) (int, error) {
	name, kind, seq, n, err := codec.JSONHead(b)
	switch {
	case err != nil:
		return 0, fmt.Errorf("header of message: %w", err)
	case len(name) > maxName:
		return 0, nameTooLong(uint64(len(name)))
	}
	h.Name, h.Type, h.Seq, h.Protocol = name, MessageType(kind), seq, JSON
	return n, nil
}

func nameTooLong(length uint64) error {
	return fmt.Errorf("header of message: the function's name has %d bytes (at most %d)", length, maxName)
}
