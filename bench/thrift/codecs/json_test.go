package codecs

import (
	"testing"

	"github.com/apache/thrift/lib/go/thrift"

	seam "github.com/seamgo/seam/thrift"
)

// What we write as JSON is what Apache's library reads, and the other way round.
func TestJSONIsApaches(t *testing.T) {
	json := func(t thrift.TTransport) thrift.TProtocol { return thrift.NewTJSONProtocol(t) }
	for _, msg := range Messages {
		t.Run(msg, func(t *testing.T) {
			our := ourOf(msg)
			if err := our.DecodeBinary(Reference()[msg]); err != nil {
				t.Fatal(err)
			}
			written, err := seam.AppendJSON(nil, our)
			if err != nil {
				t.Fatal(err)
			}
			their, err := apacheMessages[msg].read(json, written)
			if err != nil {
				t.Fatalf("Apache's decoder: %v", err)
			}
			b, err := apacheWrite(binary, their)
			if err != nil {
				t.Fatal(err)
			}
			if err := Equivalent(msg, b, Reference()[msg]); err != nil {
				t.Errorf("what Apache's library has read: %v", err)
			}

			back, err := apacheWrite(json, their)
			if err != nil {
				t.Fatal(err)
			}
			again := ourOf(msg)
			if err := seam.DecodeJSON(back, again, seam.Options{}); err != nil {
				t.Fatalf("our decoder of what Apache's library wrote: %v\n%.300s", err, back)
			}
			if b, err = again.AppendBinary(nil); err != nil {
				t.Fatal(err)
			}
			if err := Equivalent(msg, b, Reference()[msg]); err != nil {
				t.Errorf("what we have read: %v", err)
			}
		})
	}
}
