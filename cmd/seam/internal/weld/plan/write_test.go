package plan

import (
	"bytes"
	"flag"
	"os"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write the golden files")

// golden compares text with a file of testdata.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := "testdata/" + name
	if *update {
		if err := os.WriteFile(file, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs (go test -update writes it):\n%s", file, got)
	}
}

func TestFormat(t *testing.T) {
	p := &Plan{Threads: 64, ThreadsComment: "the server's limit", Entries: []Entry{
		{Mode: Cgo, Package: "b.org/m", Func: "waits", Sig: "00000001", Allow: DefaultAllow, Comment: "never called in the trace"},
		{Mode: Leaf, Package: "b.org/m", Func: "zero", Sig: "00000002", Allow: 0},
		{Mode: Leaf, Package: "b.org/m", Func: "a_function", Sig: "00000003", Budget: 50 * time.Microsecond, Allow: 0.05, Keep: true, Comment: "mine:\nlonger"},
		{Mode: Leaf, Package: "a.org/m", Func: "f", Budget: DefaultBudget, Allow: DefaultAllow},
		{Mode: Cgo, Package: "a.org/m", Func: "g", Budget: time.Millisecond, Allow: DefaultAllow, Keep: true},
		{Mode: Offload, Threads: 16, Group: "db", Package: "a.org/m", Func: "query", Sig: "00000004", Allow: DefaultAllow},
		{Mode: Coro, Package: "a.org/m", Func: "walk", Allow: DefaultAllow},
		{Mode: Cgo, Package: "a.org/m", Func: "wake", Allow: DefaultAllow, Unbounded: true},
	}}
	var b bytes.Buffer
	if err := p.Format(&b, "made by a test", "of\tthis"); err != nil {
		t.Fatal(err)
	}
	golden(t, "format.plan", b.Bytes())
}

func TestHash(t *testing.T) {
	hash := func(src string) string {
		p, err := Parse("p", []byte(src))
		if err != nil {
			t.Fatal(err)
		}
		return p.Hash("a")
	}
	const base = "leaf a.f sig=00112233\nleaf a.g\n"
	for _, c := range []struct {
		name, src string
		same      bool
	}{
		{"comment", "leaf a.f sig=00112233 # text\nleaf a.g\n", true},
		{"order", "leaf a.g\nleaf a.f sig=00112233\n", true},
		{"defaults written", "leaf a.f sig=00112233 budget=20us allow=1%\nleaf a.g\n", true},
		{"keep", "leaf a.f sig=00112233 keep\nleaf a.g\n", true},
		{"closed", "leaf a.f sig=00112233 closed\nleaf a.g\n", false},
		{"another package", "leaf a.f sig=00112233\nleaf a.g\nleaf b.f\n", true},
		{"a function by cgo", "leaf a.f sig=00112233\nleaf a.g\ncgo a.h\n", false},
		{"mode", "cgo a.f sig=00112233\nleaf a.g\n", false},
		{"budget", "leaf a.f sig=00112233 budget=21us\nleaf a.g\n", false},
		{"allow", "leaf a.f sig=00112233 allow=2%\nleaf a.g\n", false},
		{"signature", "leaf a.f sig=00112234\nleaf a.g\n", false},
		{"threads", base + "threads: 8\n", false},
		{"trim, which is in no package", base + "trim: 1s\n", true},
		{"offload", "offload:8 a.f sig=00112233\nleaf a.g\n", false},
		{"coro", "coro a.f sig=00112233\nleaf a.g\n", false},
		{"unbounded by nothing", base + "cgo b.h unbounded\n", true},
		{"one more", base + "leaf a.h\n", false},
	} {
		if same := hash(c.src) == hash(base); same != c.same {
			t.Errorf("%s: same hash %v, want %v", c.name, same, c.same)
		}
	}
}
