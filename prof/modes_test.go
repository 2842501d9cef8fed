//go:build linux && !android && (amd64 || arm64) && gc && cgo && !asan && !msan

package prof_test

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/seamgo/seam/internal/child"
	"github.com/seamgo/seam/internal/testenv"
)

// However a program is built and linked, its profile has the C functions between the Go function
// that calls them and the one that works, names them unless the names have been taken away, and has
// the C program's functions below a library's.
func TestModes(t *testing.T) {
	testenv.Builds(t)
	named := []string{"modes_spin", "modes_1", "modes_2", "modes_3", "runtime.cgocall", "main.work", "main.run"}
	ofMain := append(named[:len(named):len(named)], "main.main", "runtime.main")
	type mode struct {
		name       string
		env, flags []string
		want       []string // nil: there are no names
	}
	modes := []mode{
		{"pie", nil, []string{"-buildmode=pie"}, ofMain},
		{"stripped", nil, []string{"-ldflags=-s -w"}, nil},
		{"library", nil, []string{"-buildmode=c-shared"}, append(named[:len(named):len(named)], "main.modesRun", "modes_host")},
	}
	if runtime.GOARCH == "amd64" && len(child.Emulator()) == 0 {
		static := []string{"-ldflags=-linkmode=external -extldflags=-static"}
		modes = append(modes, mode{"musl", []string{"CC=" + testenv.Tool(t, "musl-gcc")}, static, ofMain})
	}
	for _, m := range modes {
		t.Run(m.name, func(t *testing.T) {
			exe, file := filepath.Join(t.TempDir(), "modes"), filepath.Join(t.TempDir(), "cpu.pprof")
			build := exec.Command("go", append(append([]string{"build", "-o", exe}, m.flags...), "./testdata/modes")...)
			build.Env = append(append(os.Environ(), "CGO_ENABLED=1", "GOFLAGS="), m.env...)
			if out, err := build.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			args := []string{exe, file}
			if m.name == "library" {
				args = []string{host(t), exe, file}
			}
			overflow := append(args[:len(args)-1:len(args)-1], "overflow") // on a thread that has not called Go
			out, err := child.Program(t, overflow[0], overflow[1:]...).CombinedOutput()
			if err == nil || !strings.Contains(string(out), "seam: the stack has overflowed\n") || !strings.Contains(string(out), ", of a thread without Go:\n") {
				t.Errorf("an overflow: %v\n%s", err, out)
			}
			var samples []sample
			for range 100 { // a busy machine has been seen to take two samples a second
				out, err := child.Program(t, args[0], args[1:]...).CombinedOutput()
				if err != nil || !strings.Contains(string(out), "prof: tables") {
					t.Fatalf("%v\n%s", err, out)
				}
				text, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				samples = append(samples, unzip(t, text)...)
				if len(samples) >= 20 {
					break
				}
			}
			want := m.want
			if want == nil {
				const unnamed = "[program]"
				want = []string{unnamed, unnamed, unnamed, unnamed, "runtime.cgocall", "main.work", "main.run", "main.main"}
			}
			if s := share(t, samples, "main.work", want...); s < 0.75 { // of twenty samples some may be in libc
				t.Errorf("%.0f %% of the time in main.work has the whole stack", 100*s)
			}
		})
	}
}

// A crash in a library of Go's is reported in the C program that has loaded it, also by a signal
// that Go has no handler of there, and ends the program as it does without.
func TestLibraryCrash(t *testing.T) {
	testenv.Builds(t)
	library := filepath.Join(t.TempDir(), "modes.so")
	build := exec.Command("go", "build", "-o", library, "-buildmode=c-shared", "./testdata/modes")
	build.Env = append(os.Environ(), "CGO_ENABLED=1", "GOFLAGS=")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	program := host(t)
	for way, want := range map[string]string{"segv": "SIGSEGV", "abort": "SIGABRT", "trap": "SIG"} {
		out, err := child.Program(t, program, library, way).CombinedOutput()
		if err == nil || strings.Count(string(out), "seam: "+want) != 1 || strings.Count(string(out), " in C, at ") != 1 || !strings.Contains(string(out), "\tmodes_crash") {
			t.Errorf("%s: %v\n%s", way, err, out)
		}
		if strings.Contains(string(out), "SIGPROF has no handler") {
			t.Errorf("%s: Go itself has taken that handler away\n%s", way, out)
		}
	}
}

// host builds the C program.
func host(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	source, exe := filepath.Join(dir, "host.c"), filepath.Join(dir, "host")
	text, err := os.ReadFile("testdata/modes/host.c.txt")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(source, text, 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(cmp.Or(os.Getenv("CC"), "gcc"), "-O2", "-o", exe, source, "-ldl").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return exe
}
