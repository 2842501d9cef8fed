package codec

import (
	"context"
	"errors"
	"strings"
	"testing"
)

// fixed appends what it is.
type appender struct {
	text string
	err  error
}

func (a *appender) AppendBinary(b []byte) ([]byte, error) { return append(b, a.text...), a.err }

func TestFastWrite(t *testing.T) {
	buf := []byte("0123456789")
	if n := FastWrite(buf[:8], &appender{text: "abc"}); n != 3 || string(buf) != "abc3456789" {
		t.Errorf("wrote %d bytes: %q", n, buf)
	}
	for want, a := range map[string]*appender{
		"can't be written: thrift: union": {err: ErrUnion},
		"has room for 2":                  {text: "abc"},
	} {
		func() {
			defer func() {
				if err, ok := recover().(error); !ok || !strings.Contains(err.Error(), want) {
					t.Errorf("panics with %v, want %q", err, want)
				}
			}()
			FastWrite(buf[:2], a)
		}()
	}
	if string(buf) != "ab"+"c3456789" {
		t.Errorf("wrote over the end: %q", buf)
	}
}

func TestDeeper(t *testing.T) {
	ctx, err := context.Background(), error(nil)
	for n := range DefaultDepth {
		if ctx, err = Deeper(ctx); err != nil {
			t.Fatalf("depth %d: %v", n+1, err)
		}
	}
	if _, err := Deeper(ctx); !errors.Is(err, ErrDepth) {
		t.Errorf("got %v", err)
	}
}

func TestEnumText(t *testing.T) {
	for text, want := range map[string]string{"7": "7", "-1": "-1", "": "error", "x": "error", "2147483648": "error"} {
		n, err := ParseEnum("E", text)
		got := string(MarshalEnum(EnumNumber("E", n), n))
		if err != nil {
			got = "error"
		}
		if got != want {
			t.Errorf("%q becomes %s, want %s", text, got, want)
		}
	}
}
