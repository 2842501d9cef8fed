package thrift_test

import (
	"context"
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/seamgo/seam/thrift"
	"github.com/seamgo/seam/thrift/internal/kinds"
)

// keeper is a handler that looks at its argument, and remembers it against its promise.
type keeper struct {
	kept []*kinds.Lists
	fail bool
}

func (k *keeper) Process(_ context.Context, c *thrift.Call) {
	args := thrift.NewArgs[kinds.Lists](c)
	if !c.Args(args) {
		return
	}
	k.kept = append(k.kept, args)
	if k.fail {
		panic("handler")
	}
	c.Reply(args)
}

// argsMessage is a call of a function with such arguments.
func argsMessage(t *testing.T, m *kinds.Lists) []byte {
	t.Helper()
	b := thrift.AppendMessageHeader(nil, thrift.Binary, "f", thrift.CallMessage, 1)
	b, err := m.AppendBinary(b)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestReuseArgs(t *testing.T) {
	long := &kinds.Lists{I64s: []int64{1, 2, 3, 4}, Strings: []string{"tea", "milk"}, Points: []*kinds.Point{{X: 1, Y: 2}, {X: 3, Y: 4}}}
	short := &kinds.Lists{I64s: []int64{9}, Points: []*kinds.Point{{X: 5, Y: 6}}}
	large := &kinds.Lists{Strings: []string{strings.Repeat("x", 65<<10)}}
	for _, reuse := range []bool{false, true} {
		k := new(keeper)
		s := &thrift.Server{Processor: k, ReuseArgs: reuse, Logger: slog.New(slog.NewTextHandler(io.Discard, nil))}
		var said []string
		call := func(m *kinds.Lists) {
			t.Helper()
			out, err := s.Handle(t.Context(), argsMessage(t, m), nil)
			if err != nil {
				t.Fatal(err)
			}
			_, n, err := thrift.ParseMessageHeader(out)
			if err != nil || k.fail {
				return
			}
			got := new(kinds.Lists)
			if err := got.DecodeBinary(out[n:]); err != nil || !got.Equal(m) {
				t.Errorf("ReuseArgs %v: got %v, want %v: %v", reuse, got, m, err)
			}
			said = append(said, strings.Join(k.kept[len(k.kept)-1].Strings, " "))
		}
		for range 50 {
			call(long)
			call(short)
		}
		for i, text := range said {
			if want := []string{"tea milk", ""}[i%2]; text != want {
				t.Fatalf("ReuseArgs %v: strings of call %d have become %q", reuse, i, text)
			}
		}
		again := 0
		for i := 1; i < len(k.kept); i++ {
			if k.kept[i] == k.kept[i-1] {
				again++
			}
		}
		// A pool may lose what it is given, with the race detector on purpose.
		if reuse != (again > 0) {
			t.Errorf("ReuseArgs %v: %d of 100 arguments are those of the call before", reuse, again)
		}
		call(large)
		last := k.kept[len(k.kept)-1]
		k.fail = true
		call(short)
		panicked := k.kept[len(k.kept)-1]
		k.fail = false
		for range 50 {
			call(short)
			if now := k.kept[len(k.kept)-1]; now == last || now == panicked {
				t.Fatalf("ReuseArgs %v: the arguments of a large call, or of a handler that panicked, are used again", reuse)
			}
		}
	}
}
