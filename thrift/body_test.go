package thrift

import (
	"bytes"
	"errors"
	"testing"
)

// Views of an answer stay what they are when the next answer arrives.
func TestViewsAreOfACopy(t *testing.T) {
	b := request(Buffered, Binary, ReplyMessage, "f", "text", 1)
	_, n, err := ParseMessageHeader(b)
	if err != nil {
		t.Fatal(err)
	}
	var v viewer
	if err := Binary.decodeMessage(b[n:], &v, &Options{Views: true}); err != nil {
		t.Fatal(err)
	}
	clear(b)
	if string(v.all[7:11]) != "text" {
		t.Errorf("the view has changed with the buffer: %q", v.all)
	}
}

func TestMessagesOfOneProtocolOnly(t *testing.T) {
	type binaryOnly struct {
		NoCompact
		NoBinary // in place of the methods of generated code
	}
	var m binaryOnly
	for p, want := range map[Protocol]error{Binary: errNoBinary, OldBinary: errNoBinary, Compact: errNoCompact} {
		if _, err := p.appendMessage(nil, &m); err != want {
			t.Errorf("%v: writing: %v", p, err)
		}
		if err := p.decodeMessage([]byte{0}, &m, nil); err != want {
			t.Errorf("%v: reading: %v", p, err)
		}
	}
}

// viewer keeps what it was given.
type viewer struct {
	note
	all []byte
}

func (v *viewer) ThriftDecodeBinary(d *Decoder, _ int) int {
	v.all = d.buf
	return len(d.buf)
}

func TestEmptySkipsWhatIsThere(t *testing.T) {
	for _, c := range bodies {
		p := Binary
		if c.compact {
			p = Compact
		}
		b := unhex(t, c.bytes)
		read := func(b []byte) error { return p.decodeMessage(b, new(Empty), nil) }
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
	for _, p := range protocols {
		if b, err := p.appendMessage(nil, new(Empty)); err != nil || string(b) != "\x00" {
			t.Errorf("%v: % x, %v", p, b, err)
		}
	}
}

func TestUTF8IsCheckedWhereTheCodeSaysSo(t *testing.T) {
	type checked struct {
		CheckUTF8
		utf8Asker
	}
	for _, opt := range []*Options{nil, {}, {UTF8: true}, {Limits: Limits{Depth: 3}}} {
		var m checked
		err := Binary.decodeMessage([]byte{0}, &m, opt)
		if err != nil || !m.asked || opt != nil && m.depth != or(opt.Limits.Depth, DefaultDepth)-1 {
			t.Errorf("%+v: asked %v, depth %d, %v", opt, m.asked, m.depth, err)
		}
	}
}

// utf8Asker finds out whether strings are checked.
type utf8Asker struct {
	note
	asked bool
	depth int
}

func (m *utf8Asker) ThriftDecodeBinary(d *Decoder, _ int) int {
	m.asked, m.depth = d.utf8, d.depth
	return len(d.buf)
}

// A function without arguments takes any struct, as deeply nested as others.
func TestEmptyCountsDepthLikeOthers(t *testing.T) {
	if _, err := DecodeBinary([]byte{0}, new(Empty), &Options{Limits: Limits{Depth: 1}}); err != nil {
		t.Error("one struct at depth 1:", err)
	}
	nested := func(n int) []byte {
		b := bytes.Repeat([]byte{byte(TypeStruct), 0, 1}, n-1)
		return append(b, make([]byte, n)...)
	}
	if _, err := DecodeBinary(nested(DefaultDepth), new(Empty), nil); err != nil {
		t.Errorf("%d structs: %v", DefaultDepth, err)
	}
	if _, err := DecodeBinary(nested(DefaultDepth+1), new(Empty), nil); !errors.Is(err, ErrDepth) {
		t.Errorf("%d structs: %v, want ErrDepth", DefaultDepth+1, err)
	}
}
