//go:build linux && (amd64 || arm64) && cgo && !race

package weldtest

import (
	"path/filepath"
	"testing"

	"github.com/seamgo/seam/internal/testenv"
)

// A linking is a way to build a program whose C waits.
type linking struct {
	flags   []string
	prepare func(m *module)
}

// linkings are the ways to build testdata's module name. The C is in a file library, which may be a shared library; the last
// function of the plan may be left out, and parked be parked.
func linkings(t *testing.T, name, library, last, parked string) map[string]linking {
	return map[string]linking{
		"dynamic": {},
		"pie":     {flags: []string{"-buildmode=pie"}},
		"static":  {flags: []string{"-ldflags=-extldflags=-static"}},
		"O0":      {prepare: func(m *module) { m.set("CGO_CFLAGS=-O0") }},
		"shared": {flags: []string{"-tags=shared"}, prepare: func(m *module) {
			// As libraries of a distribution are built: poll is __poll_chk there.
			m.run(testenv.Tool(t, "gcc"), "-shared", "-fPIC", "-O2", "-D_FORTIFY_SOURCE=2", "-x", "c", "-o", "lib"+library+".so", library+".c.txt").ok()
		}},
		"beside park": {prepare: func(m *module) {
			m.replace("seam.plan", "coro example.com/"+name+"."+last, "park example.com/"+name+"."+parked)
		}},
		"beside netio": {prepare: func(m *module) {
			root, err := filepath.Abs("../../..")
			if err != nil {
				t.Fatal(err)
			}
			m.plain("mod", "edit", "-replace", "github.com/seamgo/seam="+root, "-require", "github.com/seamgo/seam@v0.0.0").ok()
			m.write("netio.go", "package main\n\nimport _ \"github.com/seamgo/seam/coro/netio\"\n")
			m.set("GOWORK=off", "CGO_CFLAGS=-I"+filepath.Join(root, "include"))
		}},
	}
}

// eachLinking builds module name as it is and welded in all these ways, and has run compare them.
func eachLinking(t *testing.T, name, library, last, parked, says string, run func(t *testing.T, m *module, linking string)) {
	for linking, c := range linkings(t, name, library, last, parked) {
		t.Run(linking, func(t *testing.T) {
			t.Parallel()
			if linking != "dynamic" {
				testenv.Builds(t)
			}
			m := load(t, name)
			if c.prepare != nil {
				c.prepare(m)
			}
			build := func(as string) []string { return append(append([]string{"build", "-o", as}, c.flags...), ".") }
			m.plain(build("../plain")...).ok()
			m.weld(build("../welded")...).ok().says(says)
			m.set("SEAM_GUARD=off") // it may be wrong about C between two waits while the machine is busy
			run(t, m, linking)
		})
	}
}

// Waits of C in coro functions aren't ended by the signal that Go sends to threads that run Go, and are by
// all others; and Go code that they wait for gets a processor.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	eachLinking(t, "interrupted", "waits", "blocked", "name_of", "welded 6 of 6", func(t *testing.T, m *module, linking string) {
		scenarios, procs := []string{"long", "killed later", "for Go"}, []string{"GOMAXPROCS=4"}
		if linking == "dynamic" {
			scenarios, procs = append(scenarios, "short", "killed", "for Go, in time", "in a child", "in a handler"), append(procs, "GOMAXPROCS=1")
		}
		for _, scenario := range scenarios {
			plain := m.run("../plain", scenario).ok()
			for _, n := range procs {
				same(t, plain, m.in(t).set(n).run("../welded", scenario).silent("seam:"))
			}
		}
	})
}

func TestInterruptedArm64(t *testing.T) {
	t.Parallel()
	m, emulator := emulated(t, "interrupted", "welded 6 of 6")
	m.set("SEAM_GUARD=off")
	for _, scenario := range []string{"long", "killed later", "for Go"} {
		same(t, m.run(append(emulator, "../plain", scenario)...).ok(), m.run(append(emulator, "../welded", scenario)...).silent("seam:"))
	}
}
