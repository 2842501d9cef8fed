package codecs

import (
	"flag"
	"runtime"
	"testing"
)

var heap = flag.Int("heap", 0, "MB that are live while BenchmarkCodec runs")

// BenchmarkCodec times every library. cmd/thriftbench compares them fairly: in
// processes that take turns.
func BenchmarkCodec(b *testing.B) {
	defer runtime.KeepAlive(LiveHeap(*heap))
	subjects, err := All()
	if err != nil {
		b.Fatal(err)
	}
	for _, s := range subjects {
		b.Run(s.Name()[len("Codec/"):], func(b *testing.B) {
			b.SetBytes(int64(s.Size))
			b.ReportAllocs()
			if err := s.Run(1); err != nil { // grows buffers
				b.Fatal(err)
			}
			b.ResetTimer()
			if err := s.Run(b.N); err != nil {
				b.Fatal(err)
			}
		})
	}
}

// What every library writes, and writes again of what it has read, is the message.
func TestAllSayTheSame(t *testing.T) {
	subjects, err := All()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range subjects {
		t.Run(s.Name(), func(t *testing.T) {
			if err := s.Run(2); err != nil {
				t.Error(err)
			}
			if s.Check == nil {
				return
			}
			got, err := s.Check()
			if err != nil {
				t.Fatal(err)
			}
			if err := Equivalent(s.Msg, got, Reference()[s.Msg]); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestSizes(t *testing.T) {
	w := Reference()
	for msg, want := range map[string]int{"ex64": 6130, "ex4096": 264178} {
		if got := len(w[msg]); got != want {
			t.Errorf("%s has %d bytes, want %d", msg, got, want)
		}
	}
	if n := len(w["order"]); n < 1100 || n > 1300 {
		t.Errorf("order has %d bytes, want some 1200", n)
	}
}

// A difference that Equivalent does not see would let every other test pass.
func TestEquivalentSeesDifferences(t *testing.T) {
	w := Reference()
	o := Order()
	o.Items[7].Discount = ptr(0.5)
	if err := Equivalent("order", fastWrite(o), w["order"]); err == nil {
		t.Error("a discount more is no difference")
	}
	e := Example(64)
	e.Data3[15] = map[int64]int8{1: 1}
	if err := Equivalent("ex64", fastWrite(e), w["ex64"]); err == nil {
		t.Error("another map is no difference")
	}
	if err := Equivalent("order", w["order"][:100], w["order"]); err == nil {
		t.Error("half a message is no difference")
	}
}
