//seam:test race

package measured

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/pprof/profile"
)

// write makes a profile of stacks, the innermost function first, each with its samples.
func write(t *testing.T, kind string, stacks map[string]int64) string {
	t.Helper()
	p := &profile.Profile{SampleType: []*profile.ValueType{{Type: "samples", Unit: "count"}, {Type: kind, Unit: "nanoseconds"}}}
	for stack, n := range stacks {
		s := &profile.Sample{Value: []int64{1, n}}
		for i, name := range strings.Fields(stack) {
			id := uint64(len(p.Location) + 1)
			f := &profile.Function{ID: id, Name: name, Filename: "/src/db.go"}
			l := &profile.Location{ID: id, Line: []profile.Line{{Function: f, Line: int64(10 + i)}}}
			p.Function, p.Location, s.Location = append(p.Function, f), append(p.Location, l), append(s.Location, l)
		}
		p.Sample = append(p.Sample, s)
	}
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "pprof")
	if err := os.WriteFile(name, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestAddProfile(t *testing.T) {
	t.Parallel()
	f := &Facts{}
	if err := f.AddProfile(write(t, "cpu", map[string]int64{
		"runtime.cgocall a/db._Cfunc_get a/db.Get main.main": 30,
		"a/db.Get main.main": 50, "main.main": 20,
	})); err != nil {
		t.Fatal(err)
	}
	if want := (map[Site]float64{{"a/db", "get", "db.go", 12}: 0.3}); !maps.Equal(f.Share, want) {
		t.Errorf("the calls of C have %v, want %v", f.Share, want)
	}
	if f.HotFunc("a/db.Get") != 0.5 || f.HotFunc("main.main") != 0.2 || f.Key == "" {
		t.Errorf("hot are %v, key %q", f.Hot, f.Key)
	}
	if err := f.AddProfile(write(t, "delay", map[string]int64{"main.main": 1})); err == nil || !strings.Contains(err.Error(), "no profile of processor time") {
		t.Errorf("a profile of waits gives the error %v", err)
	}
	if err := f.AddProfile("profile_test.go"); err == nil || !strings.Contains(err.Error(), "is no profile") {
		t.Errorf("Go source gives the error %v", err)
	}
}

func TestReadDump(t *testing.T) {
	t.Parallel()
	got := readDump("TEXT a.F(SB) /src/a.go\n  a.go:3\t\t0x1234\t\t4883ec20\t\tSUBQ $0x20, SP\n  a.go:3\t\t0x1238\t\t90\t\tNOPL\n  b.go:9\t\t0x1239\t\tc3\t\tRET\n\n")
	if want := (map[Line]int{{"a.go", 3}: 5, {"b.go", 9}: 1}); !maps.Equal(got, want) {
		t.Errorf("the lines have %v bytes, want %v", got, want)
	}
}
