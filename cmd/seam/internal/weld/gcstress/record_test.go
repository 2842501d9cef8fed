package gcstress

import (
	"bytes"
	"errors"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/weld/recording"
	"github.com/seamgo/seam/cmd/seam/internal/weld/recording/recordingtest"
)

// Stacks as Go writes them.
var (
	using   = []string{"m._Cfunc_tree_len", "_cgo_gotypes.go", "12", "m.(*Tree).Len", "/m/tree.go", "30"}
	freeing = []string{"m._Cfunc_tree_free", "_cgo_gotypes.go", "15", "m.(*Tree).free", "", "28", "runtime.runFinalizers", "/go/mfinal.go", "7"}
)

func record(texts ...string) []byte {
	w := recordingtest.New(format, 7, header{Head: recording.Header{Start: 1000}, Collected: 12})
	w.Chunk(chunkFreed, recording.Text{}, texts...)
	return w.Data
}

func freed() []string {
	texts := append([]string{"tree_len", "tree_free"}, using...)
	return append(append(texts, ""), freeing...)
}

func TestRecord(t *testing.T) {
	r, err := ParseRecord(record(freed()...))
	if err != nil {
		t.Fatal(err)
	}
	if r.Collected != 12 || len(r.Freed) != 1 {
		t.Fatalf("%+v", r)
	}
	f := r.Freed[0]
	if f.Using != "tree_len" || f.Freeing != "tree_free" {
		t.Errorf("%+v", f)
	}
	if want := (recording.Frame{Func: "m.(*Tree).Len", File: "/m/tree.go", Line: 30}); len(f.UsingStack) != 1 || f.UsingStack[0] != want {
		t.Errorf("using: %+v", f.UsingStack)
	}
	if want := (recording.Frame{Func: "m.(*Tree).free", Line: 28}); len(f.FreeingStack) != 2 || f.FreeingStack[0] != want {
		t.Errorf("freeing: %+v", f.FreeingStack)
	}
}

// What is half there is left out, and nothing is made up.
func TestDamagedRecord(t *testing.T) {
	for _, texts := range [][]string{nil, {"tree_len"}, {"tree_len", "tree_free"}, append([]string{"tree_len", "tree_free"}, using...)} {
		if r, err := ParseRecord(record(texts...)); err != nil || len(r.Freed) != 0 {
			t.Errorf("%q: %+v, %v", texts, r, err)
		}
	}
	if _, err := ParseRecord([]byte("SEAMLEAK")); !errors.Is(err, ErrNotRecord) {
		t.Error(err)
	}
}

func FuzzRecord(f *testing.F) {
	f.Add(record(freed()...))
	f.Add(record())
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := ParseRecord(bytes.Clone(data))
		if err == nil && len(r.Freed) > len(data)/8 {
			t.Errorf("%d from %d bytes", len(r.Freed), len(data))
		}
	})
}
