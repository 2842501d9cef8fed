package thrift

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"time"
)

// In front of a message in the framing [TTHeader], as Kitex has it:
//
//	length      4 bytes: of all that follows
//	magic       2 bytes: 10 00
//	flags       2 bytes
//	sequence    4 bytes
//	size        2 bytes: of the rest of the header, in words of 4 bytes
//	protocol    1 byte
//	transforms  1 byte: how many, and a byte for each
//	info        sections, padded with zeros to whole words:
//	            01, a count of 2 bytes, as many pairs of a string and a string
//	            10, a count of 2 bytes, as many pairs of a number of 2 bytes and a string
//	            11, a string: the access token
//
// Strings have their length in 2 bytes.
const (
	ttFixed = 14 // bytes that the size doesn't count
	ttMagic = 0x1000

	// Flags. The sender of flagAnyOrder takes answers in any order.
	flagAnyOrder = 0x01
	ttStreaming  = 0x02
	flagAsks     = 0x20 // ours: there is no call in the message, see Conn.ask
	flagFarewell = 0x40 // ours: the sender knows the farewell of a server that goes away, and such questions

	ttBinary    = 0
	ttCompact   = 2 // as in Apache's THeader
	ttCompactV2 = 3
	ttStruct    = 0x10 // of a stream: a struct in the binary protocol, without a header of its own

	ttPadding = 0x00
	ttStrings = 0x01
	ttNumbers = 0x10
	ttToken   = 0x11

	// mostInfo is the most that may be sent: a header's size has 2 bytes. Some bytes are
	// left for the protocol, the time for a call and padding.
	mostInfo = 4*math.MaxUint16 - 64

	// tokenKey is the name by which programs know the access token: Kitex's.
	tokenKey = "RPC_TRANSIT_gdpr-token"
)

// A ttHeader is what is known from the header of a message, in the framing [THeader] too.
type ttHeader struct {
	seq      int32
	protocol byte
	anyOrder bool   // the peer takes answers in any order
	farewell bool   // the peer knows the farewell
	asks     bool   // there is no call in it
	zlib     bool   // the message is compressed
	stream   bool   // it is a frame of a stream, whose number is seq
	info     []byte // the sections, checked; of a message that was parsed, a part of its bytes

	deadline time.Time // of a call, to be written
	unpack   unpacker  // of what is read
}

// begins reports whether b begins with a header, and takes its sequence number. With a wrong
// number in front of it nobody knows what b is, and where the next message begins.
func (h *ttHeader) begins(b []byte, f Framing) bool {
	magic := uint16(ttMagic)
	if f == THeader {
		magic = thMagic
	}
	if len(b) < ttFixed || binary.BigEndian.Uint16(b[4:]) != magic {
		return false
	}
	h.seq = int32(binary.BigEndian.Uint32(b[8:]))
	h.stream = f == TTHeader && binary.BigEndian.Uint16(b[6:])&ttStreaming != 0
	return true
}

// flags are those of a header that is written.
func (h *ttHeader) flags() byte {
	f := byte(0)
	if h.anyOrder {
		f |= flagAnyOrder
	}
	if h.farewell {
		f |= flagFarewell
	}
	if h.asks {
		f |= flagAsks
	}
	if h.stream {
		f |= ttStreaming
	}
	return f
}

func (h *ttHeader) setFlags(flags uint16) {
	h.anyOrder, h.farewell, h.asks = flags&flagAnyOrder != 0, flags&flagFarewell != 0, flags&flagAsks != 0
}

// parse cuts b, a message with all that is in front of it, and returns the message. That of a
// stream's frame may be empty.
func (h *ttHeader) parse(b []byte) (msg []byte, err error) {
	if len(b) < ttFixed {
		return nil, fmt.Errorf("bad TTHeader: %d bytes, it has %d at least", len(b), ttFixed)
	}
	magic, flags := binary.BigEndian.Uint16(b[4:]), binary.BigEndian.Uint16(b[6:])
	size := 4 * int(binary.BigEndian.Uint16(b[12:]))
	switch {
	case magic != ttMagic:
		return nil, fmt.Errorf("bad TTHeader: magic %#04x, want %#04x", magic, ttMagic)
	case size < 2 || size > len(b)-ttFixed:
		return nil, fmt.Errorf("bad TTHeader: it has %d bytes, in a message of %d", ttFixed+size, len(b))
	}
	h.seq = int32(binary.BigEndian.Uint32(b[8:]))
	h.setFlags(flags)
	h.stream = flags&ttStreaming != 0
	rest := b[ttFixed : ttFixed+size]
	switch h.protocol = rest[0]; {
	case h.stream && h.protocol != ttStruct:
		return nil, fmt.Errorf("bad TTHeader: a stream of protocol %#02x, want %#02x: structs in the binary protocol", h.protocol, ttStruct)
	case h.stream:
	case h.protocol == ttBinary, h.protocol == ttCompact, h.protocol == ttCompactV2: // the message itself says which
	default:
		return nil, fmt.Errorf("bad TTHeader: protocol %d, which is not Thrift's", h.protocol)
	}
	if n := rest[1]; n != 0 {
		return nil, fmt.Errorf("bad TTHeader: the message has %d transforms, which are not supported", n)
	}
	h.info = nil
	if err := eachPair(rest[2:], func(pair) bool {
		h.info = rest[2:] // it is not padding alone
		return true
	}); err != nil {
		return nil, err
	}
	if h.stream {
		return b[ttFixed+size : len(b) : len(b)], nil
	}
	return ttMessage(b[ttFixed+size : len(b) : len(b)])
}

// ttMessage returns the message behind a header, which may be in a frame of its own.
func ttMessage(b []byte) ([]byte, error) {
	if len(b) == 0 {
		return nil, errors.New("bad TTHeader: no message follows")
	}
	if b[0] >= 0x80 || len(b) < 5 || detectFrame(b[4]) != Framed {
		return b, nil
	}
	if n := binary.BigEndian.Uint32(b); uint64(n) != uint64(len(b)-4) {
		return nil, fmt.Errorf("bad frame: length %d behind a TTHeader, %d bytes follow", n, len(b)-4)
	}
	return b[4:], nil
}

// A pair is a piece of a header's info: numbered, or with a string for a key.
type pair struct {
	numbered bool
	number   uint16
	key      []byte
	value    []byte
}

// eachPair goes over the pairs in a header's info until yield is false. It makes no error
// of info that was checked.
func eachPair(info []byte, yield func(pair) bool) error {
	b := info
	word := func() (n int, ok bool) {
		if len(b) < 2 {
			return 0, false
		}
		n = int(binary.BigEndian.Uint16(b))
		b = b[2:]
		return n, true
	}
	text := func() (s []byte, ok bool) {
		n, ok := word()
		if !ok || n > len(b) {
			return nil, false
		}
		s, b = b[:n], b[n:]
		return s, true
	}
	for len(b) > 0 {
		kind, n, ok := b[0], 1, true
		b = b[1:]
		switch kind {
		case ttPadding:
			continue
		case ttStrings, ttNumbers:
			n, ok = word()
		case ttToken:
		default:
			return fmt.Errorf("bad TTHeader: section of kind %#02x", kind)
		}
		for ; ok && n > 0; n-- {
			var p pair
			switch kind {
			case ttStrings:
				p.key, ok = text()
			case ttNumbers:
				var number int
				number, ok = word()
				p.numbered, p.number = true, uint16(number)
			case ttToken:
				p.key = []byte(tokenKey)
			}
			if ok {
				p.value, ok = text()
			}
			if ok && !yield(p) {
				return nil
			}
		}
		if !ok {
			return fmt.Errorf("bad TTHeader: a section of kind %#02x ends behind the header", kind)
		}
	}
	return nil
}

// appendTTHeader appends a header. Its length is the caller's to fill in, when the message
// stands behind it.
func appendTTHeader(b []byte, h ttHeader) []byte {
	start := len(b)
	b = append(b, 0, 0, 0, 0, ttMagic>>8, ttMagic&0xff, 0, h.flags())
	b = binary.BigEndian.AppendUint32(b, uint32(h.seq))
	b = append(b, 0, 0, h.protocol, 0)
	b = append(b, h.info...)
	if !h.deadline.IsZero() {
		b = appendTimeout(b, h.deadline)
	}
	for (len(b)-start-ttFixed)%4 != 0 {
		b = append(b, ttPadding)
	}
	binary.BigEndian.PutUint16(b[start+12:], uint16((len(b)-start-ttFixed)/4))
	return b
}

// ttFrame returns in buf the bytes to send for a message with headroom in front.
func ttFrame(buf, msg []byte, h ttHeader) ([]byte, error) {
	buf = appendTTHeader(buf[:0], h)
	buf = append(buf, msg[Headroom:]...)
	if n := len(buf) - 4; n > math.MaxInt32 {
		return buf, fmt.Errorf("message of %d bytes is too long for a frame (at most %d)", n, math.MaxInt32)
	}
	binary.BigEndian.PutUint32(buf, uint32(len(buf)-4))
	return buf, nil
}

// ttProtocol is the number of a protocol in a header. Peers know none for old headers of
// the binary protocol.
func ttProtocol(p Protocol) byte {
	if p == Compact {
		return ttCompact
	}
	return ttBinary
}
