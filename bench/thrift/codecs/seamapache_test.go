package codecs

import (
	"bytes"
	"context"
	"testing"

	"github.com/apache/thrift/lib/go/thrift"

	"github.com/seamgo/seam/bench/thrift/peers/seamkitex"
	seam "github.com/seamgo/seam/thrift"
)

type ourMessage interface {
	seam.Message
	thrift.TStruct
}

// ourOf is a message in our code, with --kitex and --apache.
func ourOf(msg string) ourMessage {
	switch msg {
	case "order":
		return new(seamkitex.Order)
	case "log":
		return new(seamkitex.LogEvent)
	case "blob":
		return new(seamkitex.Blob)
	case "points":
		return new(seamkitex.Tracks)
	case "counters":
		return new(seamkitex.Counters)
	case "history":
		return new(seamkitex.History)
	case "table":
		return new(seamkitex.Table)
	}
	return new(seamkitex.Example)
}

// With seam gen --apache our types are also read and written by Apache's library.
func TestApacheReadsAndWritesOurTypes(t *testing.T) {
	for _, msg := range Messages {
		for name, p := range map[string]protocol{"binary": binary, "compact": compact} {
			t.Run(msg+"/"+name, func(t *testing.T) {
				fresh := func() ourMessage { return ourOf(msg) }
				m := fresh()
				if err := m.DecodeBinary(Reference()[msg]); err != nil {
					t.Fatal(err)
				}
				written, err := apacheWrite(p, m)
				if err != nil {
					t.Fatal(err)
				}
				again := fresh()
				decode := again.DecodeBinary
				if name == "compact" {
					decode = again.DecodeCompact
				}
				if err := decode(written); err != nil {
					t.Fatalf("our decoder of what Apache's library wrote: %v", err)
				}
				read := fresh()
				if err := read.Read(context.Background(), p(&thrift.TMemoryBuffer{Buffer: bytes.NewBuffer(written)})); err != nil {
					t.Fatal(err)
				}
				for _, got := range []seamMessage{again, read} {
					b, err := got.AppendBinary(nil)
					if err != nil {
						t.Fatal(err)
					}
					if err := Equivalent(msg, b, Reference()[msg]); err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
}
