package main

import "testing"

func TestForcedLines(t *testing.T) {
	for _, c := range []struct{ line, leaf, coro, park string }{
		{"cgo  m.f sig=01234567 # p99.9 4 µs\n", "leaf  m.f sig=01234567 # p99.9 4 µs\n", "coro  m.f sig=01234567\n", "park  m.f sig=01234567\n"},
		{"leaf m.f budget=20us closed # proven: 1 call\n", "leaf m.f budget=20us closed # proven: 1 call\n", "coro m.f budget=20us\n", "park m.f\n"},
		{"cgo  m.sort # takes a C function pointer, which may call Go\n", "cgo  m.sort # takes a C function pointer, which may call Go\n", "coro  m.sort\n", "park  m.sort\n"},
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
