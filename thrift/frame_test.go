package thrift

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/seamgo/seam/thrift/codec"
)

// Bodies of messages that have everything in them that a scanner must step
// over, in hexadecimal, by protocol.
var bodies = []struct {
	compact bool
	bytes   string
}{
	{false, "00"},
	{false, "020001 01 030002 05 040003 0102030405060708 060004 0001 080005 00000001 0a0006 0000000000000001 00"},
	{false, "0b0001 00000003 616263 100002 000102030405060708090a0b0c0d0e0f 0c0003 080001 00000001 00 00"},
	{false, "0f0001 08 00000002 00000001 00000002 0e0002 0b 00000002 00000000 00000001 61 00"},
	{false, "0d0001 0b0c 00000001 00000001 61 020001 00 00 0d0002 0808 00000001 00000001 00000002 0d0003 0000 00000000 00"},
	{false, "0f0001 0f 00000002 0c 00000001 00 00 00000000 0d0002 080b 00000001 00000001 00000000 00"},
	{true, "00"},
	{true, "11 12 13 05 14 01 15 ac02 16 ffffffffffffffffff01 17 0102030405060708 00"},
	{true, "18 03 616263 1d 000102030405060708090a0b0c0d0e0f 1c 15 02 00 00"},
	{true, "19 25 02 ac02 1a 28 00 01 61 19 f3 10 000102030405060708090a0b0c0d0e0f 00"},
	{true, "1b 01 8c 01 61 11 00 0b 08 00 1b 02 33 01 02 03 04 00"},
	{true, "19 29 1c 00 08 1b 01 58 02 00 19 21 01 02 00"},
	{true, "05 ffff03 02 08 8001 01 61 00"},
}

// whole are messages without a frame.
func whole(t testing.TB) (messages [][]byte) {
	for _, c := range bodies {
		body := unhex(t, c.bytes)
		if c.compact {
			messages = append(messages, append(AppendMessageHeader(nil, Compact, "f", CallMessage, 7), body...))
			continue
		}
		for _, p := range []Protocol{Binary, OldBinary} {
			messages = append(messages, append(AppendMessageHeader(nil, p, "f", CallMessage, 7), body...))
		}
	}
	return messages
}

// scanBytes returns the end that a scanner finds when it gets n bytes at a time.
func scanBytes(b []byte, n int, l Limits) (end int, ok bool, err error) {
	var s scanner
	s.configure(l)
	for have := 0; ; have = min(have+n, len(b)) {
		// A copy, so that looking behind the end is found.
		end, ok, err = s.message(append(make([]byte, 0, have), b[:have]...))
		if ok || err != nil || have == len(b) {
			return end, ok, err
		}
	}
}

func TestScannerFindsTheEndOfAMessage(t *testing.T) {
	for _, m := range whole(t) {
		more := append(bytes.Clone(m), "next message"...)
		for _, n := range []int{1, 3, len(more)} {
			end, ok, err := scanBytes(more, n, Limits{})
			if !ok || err != nil || end != len(m) {
				t.Errorf("% x, %d at a time: end %d, %v, %v; want %d", m, n, end, ok, err, len(m))
			}
		}
		for i := range m {
			if _, ok, err := scanBytes(m[:i], i+1, Limits{}); ok || err != nil {
				t.Errorf("% x cut at %d: %v, %v; want more bytes", m, i, ok, err)
			}
		}
	}
}

func TestScannerRefuses(t *testing.T) {
	deep := func(n int) string { return strings.Repeat("0c0001", n) + strings.Repeat("00", n+1) }
	limits := Limits{Message: 1000, String: 100, Container: 10, Depth: 5}
	for _, c := range []struct {
		compact bool
		body    string
		want    string // "": accepted
	}{
		{false, "010001", "0x01 is not a type at byte 13"},
		{false, "ff0001", "0xff is not a type"},
		{false, "0f0001 05 00000001", "what is not a type"},
		{false, "0d0001 0800 00000001", "what is not a type"},
		{false, "0b0001 00000064", ""},
		{false, "0b0001 00000065", "string of 101 bytes"},
		{false, "0b0001 ffffffff", "string of 4294967295 bytes"},
		{false, "0f0001 08 0000000a", ""},
		{false, "0f0001 08 0000000b", "container of 11 elements"},
		{false, "0f0001 08 80000000", "container of 2147483648 elements"},
		{false, "0d0001 0b0b ffffffff", "container of 4294967295 elements"},
		{false, deep(5), ""},
		{false, deep(6), "nested more than 5 deep"},
		{true, "1e", "0x0e is not a type"},
		{true, "01 ffffffffffffffffffff", "varint is too long"},
		{true, "16 ffffffffffffffffffff", "varint is too long"},
		{true, "18 e5 00", "string of 101 bytes"},
		{true, "18 ffffffffffffffffff01", "string of 18446744073709551615 bytes"},
		{true, "19 fc ffffffffffffffffff01", "container of 18446744073709551615 elements"},
		{true, "1b 0b 88", "container of 11 elements"},
		{true, "19 1e", "what is not a type"},
	} {
		p := Binary
		if c.compact {
			p = Compact
		}
		b := append(AppendMessageHeader(nil, p, "f", CallMessage, 7), unhex(t, c.body)...)
		for _, n := range []int{1, len(b)} {
			_, _, err := scanBytes(b, n, limits)
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%s, %d at a time: %v, want %q", c.body, n, err, c.want)
			}
		}
	}
	// Many short fields and no end.
	b := append(AppendMessageHeader(nil, Binary, "f", CallMessage, 7), bytes.Repeat([]byte{2, 0, 1, 1}, 300)...)
	if _, _, err := scanBytes(b, 7, limits); err == nil || !strings.Contains(err.Error(), "more than 1000 bytes") {
		t.Errorf("endless message: %v", err)
	}
	// Lists of lists: a level takes memory, so there are not many.
	b = append(AppendMessageHeader(nil, Binary, "f", CallMessage, 7), listField...)
	b = append(b, bytes.Repeat([]byte{byte(codec.TypeList), 0, 0, 0, 1}, 150)...)
	if _, _, err := scanBytes(b, 7, limits); err == nil || !strings.Contains(err.Error(), "containers are nested more than 96 deep") {
		t.Errorf("lists of lists: %v", err)
	}
}

// Functions without arguments take any.
func TestEmptySkipsWhatIsThere(t *testing.T) {
	for _, c := range bodies {
		b := unhex(t, c.bytes)
		read := func(b []byte) error { return codec.DecodeBody(b, c.compact, new(codec.Empty), Options{}) }
		if err := read(b); err != nil {
			t.Errorf("%s: %v", c.bytes, err)
		}
		if err := read(append(bytes.Clone(b), 0)); !errors.Is(err, ErrTrailing) {
			t.Errorf("%s and a byte more: %v", c.bytes, err)
		}
		if err := read(b[:len(b)-1]); !errors.Is(err, ErrTruncated) {
			t.Errorf("%s cut: %v", c.bytes, err)
		}
	}
}

// listField is the header of a field that is a list.
var listField = []byte{byte(codec.TypeList), 0, 1}

// A scanner that began again whenever bytes arrive would take 10¹² steps here.
func TestScannerIsLinearWhenBytesTrickleIn(t *testing.T) {
	const n = 1_000_000
	b := AppendMessageHeader(nil, Compact, "f", CallMessage, 7)
	b = append(b, 1<<4|codec.TypeList.Compact(), 0xf0|codec.TypeI32.Compact())
	b = binary.AppendUvarint(b, n)
	b = append(b, make([]byte, n)...)
	b = append(b, 0)
	var s scanner
	s.configure(Limits{})
	for have := range b {
		if _, ok, err := s.message(b[:have]); ok || err != nil {
			t.Fatalf("%d bytes: %v, %v", have, ok, err)
		}
	}
	if end, ok, err := s.message(b); !ok || err != nil || end != len(b) {
		t.Fatalf("end %d, %v, %v; want %d", end, ok, err, len(b))
	}
}

// deliver puts bytes into an inbox, n at a time, and returns copies of the
// messages that come out.
func deliver(m *inbox, b []byte, n int) (messages [][]byte, err error) {
	for {
		msg, err := m.message()
		if err != nil {
			return messages, err
		}
		if msg != nil {
			messages = append(messages, bytes.Clone(msg))
			m.release()
			continue
		}
		if len(b) == 0 {
			return messages, nil
		}
		k := copy(m.room(), b[:min(n, len(b))])
		m.filled(k)
		b = b[k:]
	}
}

func TestInboxCutsMessages(t *testing.T) {
	for _, framing := range framings {
		var stream []byte
		var want [][]byte
		for _, size := range []int{1, 0, 5000, 3, 4096 - 50, 100_000, 1, 2} {
			b := request(framing, Binary, CallMessage, "f", strings.Repeat("x", size), 7)
			stream = append(stream, b...)
			want = append(want, b[inFront[framing]:])
		}
		for _, n := range []int{1, 7, 4096, len(stream)} {
			for _, detect := range []bool{false, true} {
				var m inbox
				m.configure(framing, Limits{})
				if m.detect = detect; detect {
					m.framing = (framing + 1) % 3 // must be found out
				}
				got, err := deliver(&m, stream, n)
				if err != nil || len(got) != len(want) {
					t.Fatalf("%v, %d at a time: %d messages, %v; want %d", framing, n, len(got), err, len(want))
				}
				for i := range want {
					if !bytes.Equal(got[i], want[i]) {
						t.Errorf("%v, %d at a time: message %d differs", framing, n, i)
					}
				}
				if m.waiting() || m.framing != framing || len(m.buf) > keptBuffer {
					t.Errorf("%v, %d at a time: waiting %v, framing %v, keeps %d bytes", framing, n, m.waiting(), m.framing, len(m.buf))
				}
				if m.ended() != io.EOF {
					t.Errorf("end between messages: %v", m.ended())
				}
			}
		}
	}
}

func TestFramingIsDetected(t *testing.T) {
	for _, c := range []struct {
		bytes string
		want  Framing
		known bool
	}{
		{"80", Buffered, true},
		{"82", Buffered, true},
		{"00 00 00 20", 0, false},
		{"00 00 00 20 80", Framed, true},
		{"00 00 00 20 82", Framed, true},
		{"00 00 00 20 00", Framed, true},   // a header of old in a frame
		{"05 00 00 00 80", Framed, true},   // 80 MB
		{"00 00 00 04 70", Buffered, true}, // "p"
	} {
		var m inbox
		m.configure(1-c.want, Limits{})
		known, err := m.detectFraming(unhex(t, c.bytes))
		if known != c.known || err != nil || known && m.framing != c.want {
			t.Errorf("%s: %v %v, %v; want %v %v", c.bytes, m.framing, known, err, c.want, c.known)
		}
	}
}

func TestBadFrames(t *testing.T) {
	for _, c := range []struct{ bytes, want string }{
		{"00000000", "length 0"},
		{"ffffffff 0000", "length -1 is negative"},
		{"80010001 00000001", "is the peer's transport unframed?"},
		{"7fffffff", "length 2147483647, the limit of a message is 104857600"},
	} {
		var m inbox
		m.configure(Framed, Limits{})
		if _, err := deliver(&m, unhex(t, c.bytes), 1); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.bytes, err, c.want)
		}
		if len(m.buf) > firstBuffer {
			t.Errorf("%s: %d bytes were allocated", c.bytes, len(m.buf))
		}
	}
}

func TestALengthIsNotBelieved(t *testing.T) {
	limits := Limits{Message: math.MaxInt} // as much as a frame can claim
	for _, c := range []struct {
		framing Framing
		bytes   string
	}{
		{Framed, "7ffffff0"},
		{Buffered, "80010001 00000001 66 00000007 0b0001 7fffff00"},
	} {
		var m inbox
		m.configure(c.framing, limits)
		head := unhex(t, c.bytes)
		if _, err := deliver(&m, head, 1); err != nil || len(m.buf) > firstBuffer {
			t.Errorf("%v: the length alone has allocated %d bytes, %v", c.framing, len(m.buf), err)
		}
		if _, err := deliver(&m, make([]byte, 1<<20), 1000); err != nil || len(m.buf) > 2*(1<<20+len(head)) {
			t.Errorf("%v: 1 MB has allocated %d bytes, %v", c.framing, len(m.buf), err)
		}
		if !errors.Is(m.ended(), io.ErrUnexpectedEOF) {
			t.Errorf("%v: end inside of a message: %v", c.framing, m.ended())
		}
	}
}

func TestAFrameNeedsHeadroom(t *testing.T) {
	if _, err := frame(Framed, make([]byte, 3)); err == nil {
		t.Error("no error for a message without headroom")
	}
}

// Whatever arrives, it does not matter in which pieces, and buffers are no
// larger than it warrants.
func FuzzInbox(f *testing.F) {
	for _, m := range whole(f) {
		f.Add(append(bytes.Clone(m), m...), false, uint64(1))
		framed := binary.BigEndian.AppendUint32(nil, uint32(len(m)))
		f.Add(append(append(framed, m...), framed...), true, uint64(2))
	}
	f.Add([]byte("GET / HTTP/1.1\r\n"), true, uint64(3))
	limits := Limits{Message: 1 << 20, Depth: 8}
	f.Fuzz(func(t *testing.T, b []byte, detect bool, seed uint64) {
		run := func(next func() int) (messages [][]byte, err error) {
			var m inbox
			m.configure(Buffered, limits)
			m.detect = detect
			for rest := b; err == nil && len(rest) > 0; {
				n := min(next(), len(rest))
				var more [][]byte
				more, err = deliver(&m, rest[:n], n)
				messages = append(messages, more...)
				rest = rest[n:]
				if len(m.buf) > max(2*len(b), firstBuffer) {
					t.Fatalf("%d bytes in, buffer of %d", len(b), len(m.buf))
				}
			}
			return messages, err
		}
		want, wantErr := run(func() int { return len(b) })
		random := rand.New(rand.NewPCG(seed, 0))
		got, err := run(func() int { return 1 + random.IntN(5) })
		if len(got) != len(want) || (err == nil) != (wantErr == nil) || err != nil && err.Error() != wantErr.Error() && !strings.Contains(err.Error(), "begins with") && !strings.Contains(err.Error(), "first bytes") {
			t.Fatalf("% x: whole %d messages, %v; in pieces %d, %v", b, len(want), wantErr, len(got), err)
		}
		for i := range want {
			if !bytes.Equal(got[i], want[i]) {
				t.Fatalf("% x: message %d differs", b, i)
			}
		}
	})
}

// The search for the end of a message and the decoders' skipping of fields
// must agree about where values end, or a message without a frame would be
// cut at the wrong place. What decoders refuse may have an end all the same.
func FuzzScannerAgreesWithDecoders(f *testing.F) {
	for _, c := range bodies {
		f.Add(unhex(f, c.bytes), c.compact)
	}
	f.Fuzz(func(t *testing.T, body []byte, compact bool) {
		p := Binary
		want, wantErr := codec.DecodeBinary(body, new(codec.Empty), Options{})
		if compact {
			p = Compact
			want, wantErr = codec.DecodeCompact(body, new(codec.Empty), Options{})
		}
		header := AppendMessageHeader(nil, p, "f", CallMessage, 7)
		end, ok, err := scanBytes(append(header, body...), len(header)+len(body), Limits{})
		if wantErr == nil && (!ok || end != len(header)+want) {
			t.Fatalf("decoded to %d, scanned to %d, %v, %v", want, end-len(header), ok, err)
		}
	})
}
