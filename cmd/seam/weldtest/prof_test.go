//go:build linux && (amd64 || arm64) && cgo && !race

package weldtest

import (
	"os"
	"slices"
	"testing"

	pprof "github.com/google/pprof/profile"
)

// A goroutine that waits for C which is parked has its stack in a profile, down to who has
// called it.
func TestParkProfile(t *testing.T) {
	t.Parallel()
	m := load(t, "park").set("SEAM_PARK=all")
	m.run(seam, "prof", "--", "go", "build", "-toolexec", `"`+seam+`" toolexec`, "-o", "../profiled", ".").ok()
	for _, c := range []struct {
		scenario string
		chain    []string // innermost first, with others in between
	}{
		{"pipes", []string{"wait_for", "pipe_pass", "park_main", "runtime/cgo.SeamPark"}},
	} {
		found := false
		var r result
		for range 5 { // a busy machine may be late for the only look
			if r = m.run(seam, "prof", "-o", "wall.pprof", "--all", "--", "../profiled", c.scenario).ok(); waited(m, "wall.pprof", c.chain) {
				found = true
				break
			}
		}
		if !found {
			t.Errorf("%s: not in the profile: %q\n%s", c.scenario, c.chain, r.errout)
		}
	}
}

// waited says whether a stack of the type wall has these functions.
func waited(m *module, name string, chain []string) bool {
	m.t.Helper()
	f, err := os.Open(m.path(name))
	if err != nil {
		m.t.Fatal(err)
	}
	defer f.Close()
	p, err := pprof.Parse(f)
	if err != nil {
		m.t.Fatal(err)
	}
	wall := slices.IndexFunc(p.SampleType, func(of *pprof.ValueType) bool { return of.Type == "wall" })
	return slices.ContainsFunc(p.Sample, func(s *pprof.Sample) bool {
		rest := chain
		for _, l := range s.Location {
			for _, line := range l.Line {
				if len(rest) > 0 && line.Function.Name == rest[0] {
					rest = rest[1:]
				}
			}
		}
		return len(rest) == 0 && s.Value[wall] > 0
	})
}
