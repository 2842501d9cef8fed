package thrift

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

// A Framing is how the end of a message is known.
type Framing uint8

// The framings.
const (
	// Framed messages begin with their length in four bytes, as Apache's
	// TFramedTransport writes them. It is the better choice: most servers expect
	// it, and the end of a message need not be searched for.
	Framed Framing = iota
	// Buffered messages follow each other with nothing in between, as Apache's
	// TBufferedTransport and its bare sockets write them.
	Buffered
	// TTHeader messages have a header in front with their length, a sequence number,
	// [Info], and the time that a call may take: Kitex's TTHeader.
	TTHeader
	// THeader messages have the header of Apache's THeaderTransport and Facebook's in front: with
	// their length, a sequence number, the protocol, [Info], and compressed on request.
	THeader
)

// String returns the name of the framing.
func (f Framing) String() string {
	switch f {
	case Framed:
		return "framed"
	case Buffered:
		return "buffered"
	case TTHeader:
		return "TTHeader"
	case THeader:
		return "THeader"
	}
	return fmt.Sprintf("Framing(%d)", uint8(f))
}

const (
	// Headroom is the number of bytes left free in front of a message that is
	// written, for what the transport puts there.
	Headroom = 4

	// firstBuffer is what an idle connection keeps, keptBuffer the most that
	// it keeps after a large message.
	firstBuffer = 4 << 10
	keptBuffer  = 64 << 10

	// mostSkipped, or 16 times the limit, is how long a message may be that is stepped over because
	// it is longer than the limit. Beyond, the connection is ended.
	mostSkipped = 256 << 20
)

var errNoHeadroom = errors.New("message has no headroom: it must begin at byte thrift.Headroom of the slice")

// frame returns the bytes to send for a message with headroom in front, in a framing
// that needs no more than that.
func frame(f Framing, b []byte) ([]byte, error) {
	n := len(b) - Headroom
	switch {
	case n < 0:
		return nil, errNoHeadroom
	case f == Buffered:
		return b[Headroom:], nil
	case n > math.MaxInt32:
		return nil, fmt.Errorf("message of %d bytes is too long for a frame (at most %d)", n, math.MaxInt32)
	}
	binary.BigEndian.PutUint32(b, uint32(n))
	return b, nil
}

// An inbox cuts the bytes that arrive on a connection into messages. It does
// no input itself: room gives the place for more bytes, filled says that
// they are there, and message gives the next message as soon as it is whole.
//
// The buffer at most doubles when it is full, so it is never larger than
// twice the bytes that have arrived, whatever a length in front claims; and
// no byte is copied more than twice on the average.
type inbox struct {
	buf        []byte // all of it; buf[start:end] has arrived and not been given away
	start, end int
	given      int // length of the message that was given last, with its frame

	framing Framing
	detect  bool // framing is not known yet: a server's side
	want    int  // bytes of the next message with its frame, if known; 0
	scan    scanner
	head    ttHeader // of the message that was given last
	skip    int      // bytes to come of a message that is too long
	streams bool     // frames of streams are expected
}

// A malformedError is about a message without a frame whose end can't be
// found because of what is in it.
type malformedError struct {
	err   error
	limit bool // it may be well-formed, but costs too much
}

func (e *malformedError) Error() string { return e.err.Error() }
func (e *malformedError) Unwrap() error { return e.err }

// A messageError is about one message, of which the end is known: those behind it can be read.
// The inbox steps over what has not arrived of it.
type messageError struct {
	err    error
	seq    int32
	stream bool   // it is a frame of the stream with that number
	name   []byte // of the function, if it is known
	header MessageHeader
}

func (e *messageError) Error() string { return e.err.Error() }
func (e *messageError) Unwrap() error { return e.err }

func (m *inbox) configure(f Framing, l Limits) {
	m.framing = f
	m.scan.configure(l)
}

// message returns the next message if it has arrived whole, without its frame;
// nil if not. It is valid until release. An error is final. One of type
// *malformedError comes with what has arrived of the message.
func (m *inbox) message() ([]byte, error) {
	if m.skipping() {
		return nil, nil
	}
	b := m.buf[m.start:m.end]
	if m.detect && len(b) > 0 {
		known, err := m.detectFraming(b)
		if !known || err != nil {
			return nil, err
		}
		m.detect = false
	}
	if m.framing == Buffered {
		if len(b) == 0 {
			return nil, nil
		}
		n, ok, err := m.scan.message(b)
		switch {
		case err != nil && m.scan.header:
			return b, &malformedError{err, m.scan.overLimit}
		case !ok || err != nil:
			return nil, err
		}
		m.given = n
		return b[:n:n], nil
	}
	if m.want == 0 {
		if len(b) < 4 {
			return nil, nil
		}
		n := binary.BigEndian.Uint32(b)
		switch {
		case int32(n) < 0:
			return nil, fmt.Errorf("bad frame: length %d is negative; is the peer's transport unframed? (first bytes %q)", int32(n), b[:min(len(b), 8)])
		case n == 0:
			return nil, errors.New("bad frame: length 0")
		case int(n) > m.scan.max:
			return nil, m.tooLong(int(n))
		}
		m.want = 4 + int(n)
	}
	if len(b) < m.want {
		return nil, nil
	}
	m.given = m.want
	switch m.framing {
	case TTHeader, THeader:
		msg, err := m.parse(b[:m.want:m.want])
		if err != nil && m.head.begins(b[:m.want], m.framing) {
			err = &messageError{err: err, seq: m.head.seq, stream: m.head.stream, header: MessageHeader{Protocol: headerProtocol(b)}}
			m.release()
		}
		return msg, err
	}
	return b[4:m.want:m.want], nil
}

// headerProtocol is the protocol that a header names.
func headerProtocol(b []byte) Protocol {
	if p := b[ttFixed:]; len(p) > 0 && (p[0] == ttCompact || p[0] == ttCompactV2) {
		return Compact
	}
	return Binary
}

// parse cuts a message with a header.
func (m *inbox) parse(b []byte) ([]byte, error) {
	if m.framing == THeader {
		return m.head.parseTHeader(b, m.scan.max)
	}
	msg, err := m.head.parse(b)
	if err == nil && m.head.stream && !m.streams {
		return nil, errors.New("bad TTHeader: it is one of a stream, and none was opened")
	}
	return msg, err
}

// tooLong is the error of a message whose length in front is above the limit. As soon as it is
// known whose message it is, it is about that alone; nil until then. What doesn't look like one
// is no message at all.
func (m *inbox) tooLong(n int) error {
	b := m.buf[m.start:m.end]
	err := fmt.Errorf("bad frame: length %d, the limit of a message is %d (Limits.Message); first bytes %q", n, m.scan.max, b[:min(len(b), 8)])
	if n > max(mostSkipped, 16*min(m.scan.max, math.MaxInt32)) {
		return err
	}
	e := &messageError{err: err}
	at := 4 // of the message
	if m.framing.hasHeader() {
		if len(b) < ttFixed {
			return nil
		}
		if !m.head.begins(b, m.framing) {
			return err
		}
		if len(b) == ttFixed {
			return nil
		}
		e.seq, e.stream, e.header.Protocol = m.head.seq, m.head.stream, headerProtocol(b)
		at = ttFixed + 4*int(binary.BigEndian.Uint16(b[12:]))
		if m.framing == THeader || e.stream { // what follows may be compressed, or has no name
			at = -1
		}
	}
	if at >= 0 {
		if at >= len(b) {
			return nil
		}
		size, wrong := parseHeader(b[at:], &e.header)
		switch {
		case wrong != nil && m.framing == Framed:
			return err
		case wrong == nil && size == 0:
			return nil
		case wrong == nil:
			e.name = bytes.Clone(e.header.Name)
			if m.framing == Framed {
				e.seq = e.header.Seq
			}
		}
	}
	m.skip = 4 + n
	m.skipping()
	return e
}

// skipping steps over what has arrived of a message that is too long, and reports whether there
// is more to come.
func (m *inbox) skipping() bool {
	n := min(m.skip, m.end-m.start)
	if n > 0 {
		m.skip -= n
		m.start += n
		if m.start == m.end {
			m.start, m.end = 0, 0
		}
	}
	return m.skip > 0
}

// detectFraming finds out from the first five or six bytes how a peer that has
// just connected frames its messages.
//
//	80 01 ..          no frames, binary protocol
//	82 ..             no frames, compact protocol
//	[1 or [ and space no frames, JSON protocol; no length, which would be 1.5 GB
//	LL LL LL LL 10 00 TTHeader
//	LL LL LL LL 0F FF THeader
//	LL LL LL LL XX    XX = 80, 82, [: the first byte of a message in a frame of length L
//	                  XX = 00: an old header in a frame, whose first byte is that of a length
//	                  any other XX: an old header without a frame; XX is the first letter of a
//	                  name of length L
func (m *inbox) detectFraming(b []byte) (known bool, err error) {
	switch {
	case b[0] >= 0x80:
		m.framing = Buffered // or no Thrift at all, as the header will say
		return true, nil
	case b[0] == jsonStart && len(b) < 2:
		return false, nil
	case b[0] == jsonStart && bytes.IndexByte([]byte("1 \t\r\n"), b[1]) >= 0:
		m.framing = Buffered
		return true, nil
	case len(b) < 5:
		return false, nil
	}
	if b[4] == ttMagic>>8 || b[4] == thMagic>>8 {
		if len(b) < 6 {
			return false, nil
		}
		switch binary.BigEndian.Uint16(b[4:]) {
		case ttMagic:
			m.framing = TTHeader
			return true, nil
		case thMagic:
			m.framing = THeader
			return true, nil
		}
	}
	m.framing = detectFrame(b[4])
	return true, nil
}

// detectFrame tells a frame from an old header by the byte behind the length.
func detectFrame(x byte) Framing {
	if x == 0x80 || x == compactID || x == jsonStart || x == 0 {
		return Framed
	}
	return Buffered
}

// hasHeader reports whether info goes beside messages.
func (f Framing) hasHeader() bool { return f == TTHeader || f == THeader }

// speaks is the error of a framing whose header has no number for a protocol.
func (f Framing) speaks(p Protocol) error {
	if f.hasHeader() && p == JSON {
		return fmt.Errorf("thrift: %v has no JSON protocol: choose Framed or Buffered", f)
	}
	return nil
}

// headerFrame returns in buf the bytes to send for a message with headroom in front.
func headerFrame(f Framing, buf, msg []byte, h ttHeader) ([]byte, error) {
	if f == THeader {
		return tHeaderFrame(buf, msg, h)
	}
	return ttFrame(buf, msg, h)
}

// info is what came beside the message that was given last.
func (m *inbox) info() sections { return sections{m.head.info, m.framing} }

// waiting reports whether a message has begun to arrive.
func (m *inbox) waiting() bool { return m.end > m.start || m.skip > 0 }

// release gives up the message that was given last.
func (m *inbox) release() {
	m.start += m.given
	m.given, m.want = 0, 0
	m.scan.reset()
	if m.start == m.end {
		m.start, m.end = 0, 0
		if len(m.buf) > keptBuffer {
			m.buf = nil
		}
	}
}

// room returns at least one byte of room for what arrives. It must not be
// called between message and release, once message has given one.
func (m *inbox) room() []byte {
	if m.end == len(m.buf) {
		m.makeRoom()
	}
	return m.buf[m.end:]
}

func (m *inbox) makeRoom() {
	n := m.end - m.start
	size := len(m.buf)
	if n > size/2 || size == 0 {
		// It can be no less than what a known length asks for, and need be no
		// more, unless other messages follow.
		size = max(2*size, firstBuffer)
		if m.want > n && m.want < size {
			size = max(m.want, firstBuffer)
		}
		size = max(size, n+1)
		larger := make([]byte, size)
		copy(larger, m.buf[m.start:m.end])
		m.buf = larger
	} else {
		copy(m.buf, m.buf[m.start:m.end])
	}
	m.start, m.end = 0, n
}

// filled says that n bytes have arrived in what room gave.
func (m *inbox) filled(n int) { m.end += n }

// keep returns a buffer for writing back, unless it has become too large to
// keep it with an idle connection.
func keep(b []byte) []byte {
	if cap(b) > keptBuffer {
		return nil
	}
	return b[:0]
}

// ended returns the error for a peer that has ended the connection.
func (m *inbox) ended() error {
	if m.waiting() {
		return fmt.Errorf("connection ended inside of a message, after %d bytes of it: %w", m.end-m.start, io.ErrUnexpectedEOF)
	}
	return io.EOF
}
