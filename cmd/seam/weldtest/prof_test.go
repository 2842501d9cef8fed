//go:build linux && (amd64 || arm64) && cgo && !race

package weldtest

import (
	"os"
	"slices"
	"strings"
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

// Where welded calls are short most samples meet the way to C and back, which is assembly. Nearly
// all of those with C go down to where their goroutine began, and the report names no trampoline.
func TestWeldedProfile(t *testing.T) {
	t.Parallel()
	m := &module{t: t, dir: t.TempDir()}
	m.write("go.mod", "module example.com/tight\n\ngo 1.25\n")
	m.write("seam.plan", "# seam.plan 1\nleaf example.com/tight.add\ncoro example.com/tight.each\n")
	m.write("main.go", `package main

// static int add(int a, int b) { return a + b; }
// void each(int n);
import "C"

import "syscall"

//export visit
func visit() { visits++ }

var visits int

func main() {
	sum := C.int(0)
	for used := (syscall.Rusage{}); used.Utime.Sec < 2; syscall.Getrusage(syscall.RUSAGE_SELF, &used) {
		for range 10000 {
			sum = C.add(sum, 1)
		}
		C.each(1000)
	}
	println(sum != 0, visits != 0)
}
`)
	m.write("each.c", "#include \"_cgo_export.h\"\nvoid each(int n) { while (n--) visit(); }\n")
	const enough = 200
	cut, all := 0, 0
	for range 20 { // many kernels take fewer samples than they are asked for
		r := m.run(seam, "prof", "-o", "cpu.pprof", "--all", "--", "go", "run", "-toolexec", "'"+seam+"' toolexec", ".").ok()
		for _, inner := range []string{"mustNotCallGo", "seamWeldedFunction"} {
			if strings.Contains(r.errout, inner) {
				t.Errorf("the report says %q:\n%s", inner, r.errout)
			}
		}
		for _, s := range parse(m, "cpu.pprof").Sample {
			c, begins := false, false
			for _, l := range s.Location {
				for _, line := range l.Line {
					name := line.Function.Name
					c = c || strings.HasPrefix(name, "runtime/cgo.SeamCall") || name == "add" || name == "each" || strings.HasPrefix(name, "_cgo_") || strings.HasPrefix(name, "_seam_")
					begins = begins || name == "runtime.main"
				}
			}
			if c {
				all++
				if !begins {
					cut++
				}
			}
		}
		if all >= enough {
			break
		}
	}
	if all < enough || float64(cut) > 0.05*float64(all) {
		t.Errorf("of %d samples with C %d are cut off", all, cut)
	}
}

func parse(m *module, name string) *pprof.Profile {
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
	return p
}

// waited says whether a stack of the type wall has these functions.
func waited(m *module, name string, chain []string) bool {
	m.t.Helper()
	p := parse(m, name)
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
