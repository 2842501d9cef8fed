package codec

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

// asker notes how it is decoded.
type asker struct {
	NoBinary
	NoCompact
	all   []byte
	utf8  bool
	depth int
}

func (a *asker) ThriftDecodeBinary(d *Decoder, _ int) int {
	a.all, a.utf8, a.depth = d.buf, d.utf8, d.depth
	return len(d.buf)
}

// Views of an answer stay what they are when the next answer arrives.
func TestViewsAreOfACopy(t *testing.T) {
	b := []byte("text")
	var a asker
	if err := DecodeBody(b, false, &a, Options{Views: true}); err != nil {
		t.Fatal(err)
	}
	clear(b)
	if string(a.all) != "text" {
		t.Errorf("the view has changed with the buffer: %q", a.all)
	}
}

func TestMessagesOfOneProtocolOnly(t *testing.T) {
	var m struct {
		NoCompact
		NoBinary // in place of the methods of generated code
	}
	if _, err := m.AppendBinary(nil); err != errNoBinary {
		t.Errorf("writing: %v", err)
	}
	if _, err := m.AppendCompact(nil); err != errNoCompact {
		t.Errorf("writing: %v", err)
	}
	for compact, want := range map[bool]error{false: errNoBinary, true: errNoCompact} {
		if err := DecodeBody([]byte{0}, compact, &m, Options{}); err != want {
			t.Errorf("compact %v: reading: %v", compact, err)
		}
	}
}

func TestEmptyIsOneByte(t *testing.T) {
	if b, err := new(Empty).AppendBinary(nil); err != nil || string(b) != "\x00" {
		t.Errorf("% x, %v", b, err)
	}
	if b, err := new(Empty).AppendCompact(nil); err != nil || string(b) != "\x00" {
		t.Errorf("% x, %v", b, err)
	}
}

func TestUTF8IsCheckedWhereTheCodeSaysSo(t *testing.T) {
	type checked struct {
		CheckUTF8
		asker
	}
	for _, opt := range []Options{{}, {UTF8: true}, {Limits: Limits{Depth: 3}}} {
		var m checked
		err := DecodeBody([]byte{0}, false, &m, opt)
		if err != nil || !m.utf8 || m.depth != or(opt.Limits.Depth, DefaultDepth)-1 {
			t.Errorf("%+v: asked %v, depth %d, %v", opt, m.utf8, m.depth, err)
		}
	}
	var plain asker
	if err := DecodeBody([]byte{0}, false, &plain, Options{}); err != nil || plain.utf8 {
		t.Errorf("without: asked %v, %v", plain.utf8, err)
	}
}

// A function without arguments takes any struct, as deeply nested as others.
func TestEmptyCountsDepthLikeOthers(t *testing.T) {
	if _, err := DecodeBinary([]byte{0}, new(Empty), Options{Limits: Limits{Depth: 1}}); err != nil {
		t.Error("one struct at depth 1:", err)
	}
	nested := func(n int) []byte {
		return append(bytes.Repeat([]byte{byte(TypeStruct), 0, 1}, n-1), make([]byte, n)...)
	}
	if _, err := DecodeBinary(nested(DefaultDepth), new(Empty), Options{}); err != nil {
		t.Errorf("%d structs: %v", DefaultDepth, err)
	}
	if _, err := DecodeBinary(nested(DefaultDepth+1), new(Empty), Options{}); !errors.Is(err, ErrDepth) {
		t.Errorf("%d structs: %v, want ErrDepth", DefaultDepth+1, err)
	}
}

// The sentinels say whose they are; the errors around them begin with the path.
func TestErrorsSayWhereFirst(t *testing.T) {
	for _, err := range []error{ErrTruncated, ErrTrailing, ErrNil, ErrTooLong} {
		if !strings.HasPrefix(err.Error(), "thrift: ") {
			t.Errorf("%q does not begin with the package", err)
		}
	}
	if err := (&DecodeError{Path: "A.b", Offset: 7, Err: ErrRequired}); err.Error() != "A.b: required field is missing at byte 7" {
		t.Errorf("%q", err)
	}
	if err := (&EncodeError{Path: "A.b", Err: ErrNil}); err.Error() != "A.b: struct is nil" {
		t.Errorf("%q", err)
	}
}
