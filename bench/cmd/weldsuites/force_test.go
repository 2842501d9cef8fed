package main

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestForcedLines(t *testing.T) {
	for _, c := range []struct{ line, leaf, coro, park string }{
		{"cgo  m.f sig=01234567 # p99.9 4 µs\n", "leaf  m.f sig=01234567 # p99.9 4 µs\n", "coro  m.f sig=01234567\n", "park  m.f sig=01234567\n"},
		{"leaf m.f budget=20us closed # proven: 1 call\n", "leaf m.f budget=20us closed # proven: 1 call\n", "coro m.f budget=20us\n", "park m.f\n"},
		{"cgo  m.sort # takes a C function pointer, which may call Go\n", "leaf  m.sort # takes a C function pointer, which may call Go\n", "coro  m.sort\n", "park  m.sort\n"},
		{"leaf m._CMalloc budget=20us\n", "leaf m._CMalloc budget=20us\n", "leaf m._CMalloc budget=20us\n", "leaf m._CMalloc budget=20us\n"},
		{"cgo m.odd # can't be welded: odd\n", "cgo m.odd # can't be welded: odd\n", "cgo m.odd # can't be welded: odd\n", "cgo m.odd # can't be welded: odd\n"},
		{"# a comment\n", "# a comment\n", "# a comment\n", "# a comment\n"},
	} {
		if got := leafLine(c.line); got != c.leaf {
			t.Errorf("%q becomes %q, want %q", c.line, got, c.leaf)
		}
		if got := coroLine(c.line); got != c.coro {
			t.Errorf("%q becomes %q, want %q", c.line, got, c.coro)
		}
		if got := parkLine(c.line); got != c.park {
			t.Errorf("%q becomes %q, want %q", c.line, got, c.park)
		}
	}
}

func TestRefusedLinesStay(t *testing.T) {
	plan := filepath.Join(t.TempDir(), "x.plan")
	text := "# seam.plan 1\ncgo  m.exec # too few calls\nleaf m.f\n"
	for _, c := range []struct {
		said string
		err  error
		want string
	}{
		{"", nil, "# seam.plan 1\nleaf  m.exec # too few calls\nleaf m.f\n"},
		{`{"Output":"seam: package m: ../x.plan:2: m.exec: it takes a C function pointer, through which it can call Go"}`, errors.New("exit status 2"), text},
		{"no such package", errors.New("exit status 1"), ""},
	} {
		if err := os.WriteFile(plan, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		err := force(plan, leafLine, func() ([]byte, error) { return []byte(c.said), c.err })
		if c.want == "" {
			if err != c.err {
				t.Errorf("%q: %v", c.said, err)
			}
			continue
		}
		if got, _ := os.ReadFile(plan); err != nil || string(got) != c.want {
			t.Errorf("%q: %v, %q", c.said, err, got)
		}
	}
}
