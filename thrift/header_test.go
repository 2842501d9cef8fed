package thrift

import (
	"bytes"
	"encoding/hex"
	"strings"
	"testing"
)

// What Apache's libraries write.
var headers = []struct {
	protocol Protocol
	kind     MessageType
	seq      int32
	bytes    string
}{
	{Binary, CallMessage, 1, "80010001 00000004 70696e67 00000001"},
	{Binary, OnewayMessage, -1, "80010004 00000004 70696e67 ffffffff"},
	{OldBinary, CallMessage, 1, "00000004 70696e67 01 00000001"},
	{OldBinary, ReplyMessage, 258, "00000004 70696e67 02 00000102"},
	{Compact, CallMessage, 1, "8221 01 04 70696e67"},
	{Compact, ExceptionMessage, 300, "8261 ac02 04 70696e67"},
	{Compact, OnewayMessage, -1, "8281 ffffffff0f 04 70696e67"},
}

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestHeadersAreApaches(t *testing.T) {
	for _, c := range headers {
		want := unhex(t, c.bytes)
		if got := AppendMessageHeader(nil, c.protocol, "ping", c.kind, c.seq); !bytes.Equal(got, want) {
			t.Errorf("%v %v: wrote % x, want % x", c.protocol, c.kind, got, want)
		}
		h, n, err := ParseMessageHeader(append(want, "body"...))
		if err != nil || n != len(want) || string(h.Name) != "ping" || h.Type != c.kind || h.Seq != c.seq || h.Protocol != c.protocol {
			t.Errorf("%s: read %+v in %d bytes, %v", c.bytes, h, n, err)
		}
		for i := range want {
			if _, _, err := ParseMessageHeader(want[:i]); err == nil || !strings.Contains(err.Error(), "unexpected end of input") {
				t.Errorf("%s cut at %d: %v", c.bytes, i, err)
			}
		}
	}
}

func TestBadHeadersAreErrors(t *testing.T) {
	for _, c := range []struct{ bytes, want string }{
		{"80020001 00000001 61 00000001", "bad version 0x80020001"},
		{"ffffffff 00000001", "bad version 0xffffffff"},
		{"8222 01 01 61", "bad version 2 of the compact protocol"},
		{"80010001 7fffffff 61", "name has 2147483647 bytes"},
		{"80010001 ffffffff 61", "name has 4294967295 bytes"},
		{"47455420 2f20 4854", `begins with "GET / HT", which is no version`},
		{"8221 ffffffffffffffffff7f 01 61", "sequence number is not a varint of 32 bits"},
		{"8221 ffffffff1f 01 61", "sequence number is not a varint of 32 bits"},
		{"8221 01 ffffffffffffffffffff", "length of the name is not a varint"},
		{"8221 01 ffff7f 61", "name has 2097151 bytes"},
	} {
		if _, _, err := ParseMessageHeader(unhex(t, c.bytes)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.bytes, err, c.want)
		}
	}
}

func TestNamesOfConstants(t *testing.T) {
	for got, want := range map[string]string{
		Binary.String(): "binary", OldBinary.String(): "binary without version", Compact.String(): "compact", Protocol(9).String(): "Protocol(9)",
		CallMessage.String(): "call", ReplyMessage.String(): "reply", ExceptionMessage.String(): "exception", OnewayMessage.String(): "oneway", MessageType(9).String(): "MessageType(9)",
		Framed.String(): "framed", Buffered.String(): "buffered", Framing(9).String(): "Framing(9)",
		ProtocolError.String(): "protocol error", ExceptionType(-1).String(): "ExceptionType(-1)", ExceptionType(11).String(): "ExceptionType(11)",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func FuzzMessageHeader(f *testing.F) {
	for _, c := range headers {
		f.Add(unhex(f, c.bytes))
	}
	f.Add([]byte("GET / HTTP/1.1\r\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		h, n, err := ParseMessageHeader(b)
		if err != nil {
			return
		}
		// A header that was accepted is written again as another that means the same.
		again := AppendMessageHeader(nil, h.Protocol, string(h.Name), h.Type, h.Seq)
		h2, n2, err := ParseMessageHeader(again)
		if err != nil || n2 != len(again) || !bytes.Equal(h2.Name, h.Name) || h2.Seq != h.Seq || h2.Protocol != h.Protocol {
			t.Fatalf("% x: %+v, written again % x: %+v, %v", b[:n], h, again, h2, err)
		}
	})
}
