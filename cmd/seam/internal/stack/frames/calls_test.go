package frames

import (
	"os"
	"slices"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/stack/symbols"
)

//go:noinline
func ringA(n int) int {
	if n == 0 {
		return ringOut(n)
	}
	return ringB(n-1) + 1
}

//go:noinline
func ringB(n int) int { return ringC(n) + 1 }

//go:noinline
func ringC(n int) int { return ringA(n) + 1 }

//go:noinline
func ringOut(n int) int { return n }

// A test binary is a program whose functions are known.
func TestWay(t *testing.T) {
	if ringA(3) != 9 {
		t.Fatal("the functions don't call each other")
	}
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin, err := symbols.Open(path)
	if err != nil {
		t.Skip(err) // not ELF
	}
	const pkg = "github.com/seamgo/seam/cmd/seam/internal/stack/frames."
	entry := func(name string) uint64 {
		i := slices.IndexFunc(bin.Funcs, func(f symbols.Func) bool { return f.Name == pkg+name })
		if i < 0 {
			t.Fatalf("no function %s", name)
		}
		return bin.Funcs[i].Entry
	}
	calls := OpenCalls(path)
	for _, c := range []struct {
		from, to string
		want     []string
	}{
		{"ringA", "ringC", []string{"ringA", "ringB", "ringC"}},
		{"ringC", "ringA", []string{"ringC", "ringA"}},
		{"ringA", "ringOut", []string{"ringA", "ringOut"}},
		{"ringOut", "ringA", nil},
		{"ringA", "ringA", nil},
	} {
		var got []string
		for _, f := range calls.Way(entry(c.from), entry(c.to)+1) {
			got = append(got, f.Name[len(pkg):])
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("from %s to %s: %q, want %q", c.from, c.to, got, c.want)
		}
	}
	if OpenCalls(t.TempDir()).Way(1, 2) != nil || calls.Way(1, 2) != nil {
		t.Error("a way in nothing")
	}
}
