package main

import (
	"bytes"
	"errors"
	"flag"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/seamgo/seam/bench/internal/command"
	"github.com/seamgo/seam/bench/internal/paired"
)

func TestParse(t *testing.T) {
	for _, c := range []struct {
		args string
		err  string // a part of the error; "": none
	}{
		{"", ""},
		{"-rounds 3 h3 sqlite@latest", ""},
		{"-plan committed -strict zstd", ""},
		{"-pkg ./x -bench Foo", ""},
		{"lmdb", "no module lmdb: want sqlite, h3, sitter, zstd"},
		{"h3@", "no version after the @"},
		{"-pkg ./x h3", "choose one"},
		{"-rounds 0", "must be above zero"},
		{"-benchtime 0s", "must be above zero"},
		{"-nonsense", command.ErrUsage.Error()},
		{"-h", flag.ErrHelp.Error()},
	} {
		_, err := parse(strings.Fields(c.args), io.Discard)
		switch {
		case c.err == "" && err != nil:
			t.Errorf("%s: %v", c.args, err)
		case c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)):
			t.Errorf("%s: got error %v, want one with %q", c.args, err, c.err)
		}
	}
	if code, err := run(t.Context(), []string{"lmdb"}, io.Discard, io.Discard); code != command.Usage || err == nil || errors.Is(err, command.ErrUsage) {
		t.Errorf("a wrong module ends with code %d, %v, want %d and a message", code, err, command.Usage)
	}
}

func TestExactly(t *testing.T) {
	name := "BenchmarkWeld/mod=h3/op=Resolution(x)"
	for i, part := range strings.Split(exactly(name), "/") {
		if level := strings.Split(name, "/")[i]; !regexp.MustCompile(part).MatchString(level) || regexp.MustCompile(part).MatchString(level+"2") {
			t.Errorf("%s does not match %s alone", part, level)
		}
	}
}

func TestGoals(t *testing.T) {
	for _, c := range []struct {
		goal   goal
		s      paired.Speedup
		allocs float64
		want   bool
	}{
		{goal{ratio: 4}, paired.Speedup{Ratio: 4, Lo: 3, Hi: 5}, 7, true},
		{goal{ratio: 4}, paired.Speedup{Ratio: 3.99, Lo: 3, Hi: 5}, 0, false},
		{goal{noAllocs: true}, paired.Speedup{Ratio: 9}, 1, false},
		{goal{noAllocs: true}, paired.Speedup{Ratio: 0.5}, 0, true},
		{goal{notWorse: true}, paired.Speedup{Ratio: 0.98, Lo: 0.95, Hi: 1.01}, 0, true},
		{goal{notWorse: true}, paired.Speedup{Ratio: 0.98, Lo: 0.97, Hi: 0.99}, 0, false},
	} {
		if got := c.goal.reached(c.s, c.allocs); got != c.want {
			t.Errorf("%v with %v and %v allocations: %v, want %v", c.goal, c.s, c.allocs, got, c.want)
		}
	}
}

func TestWords(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{change(2, 0), "2 → 0"}, {change(3, 3), "3"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

// oneProcess is what a test binary prints with -test.count 3.
const oneProcess = `goos: linux
cpu: some processor
pkg: example.com/p
BenchmarkWeld/mod=h3/op=Resolution 	 100	 30.00 ns/op	 16.00 MB/s	 8 B/op	 1 allocs/op
BenchmarkWeld/mod=h3/op=Resolution 	 100	 10.00 ns/op	 48.00 MB/s	 8 B/op	 1 allocs/op
BenchmarkWeld/mod=h3/op=Resolution 	 100	 20.00 ns/op	 24.00 MB/s	 8 B/op	 1 allocs/op
PASS
`

// What is written must be what was measured: medians, in Go's units.
func TestFile(t *testing.T) {
	results, err := read([]byte(oneProcess))
	if err != nil || len(results) != 3 {
		t.Fatalf("%d results (%v), want 3", len(results), err)
	}
	s, err := summarise(results)
	if err != nil {
		t.Fatal(err)
	}
	fast := s
	fast.values = append(fast.values[:0:0], s.values...)
	fast.values[0].Value /= 4
	b := &benchmark{name: string(results[0].Name), rounds: [][2][2]sample{{{s, s}, {fast, fast}}}}
	m := &measurement{options: options{rounds: 1}, benchmarks: []*benchmark{b}, facts: []string{"cpu: some processor"}}
	var out bytes.Buffer
	if err := m.writeBenchfmt(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"\ncpu: some processor\n",
		"\nBenchmarkWeld/mod=h3/op=Resolution/via=cgo 300 20 ns/op 24 MB/s 8 B/op 1 allocs/op\n",
		"\nBenchmarkWeld/mod=h3/op=Resolution/via=weld 300 5 ns/op 24 MB/s 8 B/op 1 allocs/op\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no line %q in\n%s", want, out.String())
		}
	}
	again, err := read(out.Bytes())
	if err != nil || len(again) != 4 {
		t.Errorf("%d results are read back (%v), want 4", len(again), err)
	}

	out.Reset()
	missed, err := m.report(&out)
	if err != nil || missed != 0 || !strings.Contains(out.String(), "4.00×") || !strings.Contains(out.String(), "reached") {
		t.Errorf("%d goals missed (%v), want none in\n%s", missed, err, out.String())
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(oneProcess))
	f.Fuzz(func(t *testing.T, out []byte) {
		results, err := read(out)
		if err == nil && len(results) > 0 {
			summarise(results) // must not crash
		}
	})
}
