//seam:test race 386 pointers

package thrift

import (
	"bytes"
	"strings"
	"testing"
)

func TestExceptionsAreApaches(t *testing.T) {
	for _, c := range []struct {
		protocol Protocol
		e        ApplicationException
		bytes    string
	}{
		{Binary, ApplicationException{UnknownMethod, "no x"}, "0b0001 00000004 6e6f2078 080002 00000001 00"},
		{OldBinary, ApplicationException{ProtocolError, ""}, "0b0001 00000000 080002 00000007 00"},
		{Compact, ApplicationException{InternalError, "no x"}, "18 04 6e6f2078 15 0c 00"},
		{Compact, ApplicationException{-2, "no x"}, "18 04 6e6f2078 15 03 00"},
	} {
		want := unhex(t, c.bytes)
		if got := c.e.append(nil, c.protocol); !bytes.Equal(got, want) {
			t.Errorf("%v %+v: wrote % x, want % x", c.protocol, c.e, got, want)
		}
		var got ApplicationException
		if err := got.parse(want, c.protocol, Limits{}); err != nil || got != c.e {
			t.Errorf("%s: read %+v, %v", c.bytes, got, err)
		}
		for i := range want {
			if err := got.parse(want[:i], c.protocol, Limits{}); err == nil {
				t.Errorf("%s cut at %d: no error", c.bytes, i)
			}
		}
	}
}

func TestUnknownFieldsOfExceptionsAreSkipped(t *testing.T) {
	want := ApplicationException{MissingResult, "m"}
	for _, c := range []struct {
		protocol Protocol
		bytes    string
	}{
		// A bool, a list<string>, a struct, and fields 1 and 2 of other types.
		{Binary, "020007 01 0f0008 0b 00000001 00000000 0c0009 00 080001 00000003 0b0002 00000000 0b0001 00000001 6d 080002 00000005 00"},
		// The same; the field numbers go back by a varint.
		{Compact, "71 19 18 00 1c 00 05 02 06 08 04 00 08 02 01 6d 15 0a 00"},
		{Compact, "08 02 01 6d 05 04 0a 00"},
	} {
		var got ApplicationException
		if err := got.parse(unhex(t, c.bytes), c.protocol, Limits{}); err != nil || got != want {
			t.Errorf("%v: read %+v, %v", c.protocol, got, err)
		}
	}
}

func TestAnExceptionWithoutTextSaysItsType(t *testing.T) {
	e := &ApplicationException{Type: BadSequenceID}
	if e.Error() != "bad sequence id" {
		t.Errorf("got %q", e.Error())
	}
	if err := missingResult("f"); !strings.HasPrefix(err.Error(), "f: ") {
		t.Errorf("got %q", err)
	}
}

func FuzzApplicationException(f *testing.F) {
	for _, p := range []Protocol{Binary, Compact} {
		f.Add((&ApplicationException{ProtocolError, "text"}).append(nil, p), p == Compact)
	}
	f.Fuzz(func(t *testing.T, b []byte, compact bool) {
		p := Binary
		if compact {
			p = Compact
		}
		var e, again ApplicationException
		if e.parse(b, p, Limits{}) != nil {
			return
		}
		if err := again.parse(e.append(nil, p), p, Limits{}); err != nil || again != e {
			t.Fatalf("% x: %+v, again %+v, %v", b, e, again, err)
		}
	})
}
