//go:build cgo && linux && (amd64 || arm64) && !msan

package netio_test

import (
	"cmp"
	"debug/elf"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"

	"github.com/seamgo/seam/coro"
	"github.com/seamgo/seam/coro/netio/internal/ctest"
	"github.com/seamgo/seam/internal/child"
	"github.com/seamgo/seam/internal/testenv"
)

// The executable exports what shared libraries are to find in it.
func TestExported(t *testing.T) {
	f, err := elf.Open("/proc/self/exe")
	check(t, err)
	defer f.Close()
	symbols, err := f.DynamicSymbols()
	check(t, err)
	exported := map[string]bool{}
	for _, s := range symbols {
		if s.Section != elf.SHN_UNDEF && elf.ST_VISIBILITY(s.Other) == elf.STV_DEFAULT {
			exported[s.Name] = true
		}
	}
	for _, name := range ctest.Names {
		if !exported[name] {
			t.Errorf("%s is not exported", name)
		}
	}
}

// library compiles op.c, as libop.so or libop.a, and returns its folder.
func library(t *testing.T, shared bool) string {
	dir := t.TempDir()
	cc := cmp.Or(os.Getenv("CC"), "gcc")
	compile := []string{cc, "-O2", "-fPIC", "-I../../include", "internal/ctest/op.c"}
	if shared {
		run(t, append(compile, "-shared", "-o", filepath.Join(dir, "libop.so"))...)
		return dir
	}
	run(t, append(compile, "-c", "-o", filepath.Join(dir, "op.o"))...)
	run(t, "ar", "rcs", filepath.Join(dir, "libop.a"), filepath.Join(dir, "op.o"))
	return dir
}

func run(t *testing.T, line ...string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), line[0], line[1:]...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", line, err, out)
	}
}

// A library that is loaded while the program runs.
func TestLoadedLibrary(t *testing.T) {
	needCoroutines(t)
	fn := ctest.Open(filepath.Join(library(t, true), "libop.so"))
	if fn == nil || fn == ctest.Fn {
		t.Fatalf("the library's function is at %p, ours at %p", fn, ctest.Fn)
	}
	for _, b := range waits() {
		t.Run(ctest.Names[b.kind]+"/"+b.name, func(t *testing.T) {
			op := b.op(t)
			release := b.prepare(t, op)
			p := &pending{op: op, ended: make(chan struct{})}
			go func() {
				defer close(p.ended)
				_, p.err = coro.Floating.Call(t.Context(), fn, unsafe.Pointer(op))
			}()
			untilWaiting(t, 1)
			release()
			b.check(t, p)
		})
	}
}

// Libraries that the linker is given.
func TestLinkedLibraries(t *testing.T) {
	testenv.GoProgram(t)
	needCoroutines(t)
	folders := map[bool]string{false: library(t, false), true: library(t, true)}
	for _, c := range []struct {
		name   string
		shared bool
		build  []string
	}{
		{"archive", false, nil},
		{"archive in a position-independent executable", false, []string{"-buildmode=pie"}},
		{"archive in a static executable", false, []string{"-tags=netgo,osusergo", "-ldflags=-w -extldflags=-static"}},
		{"shared", true, nil},
		{"shared with a position-independent executable", true, []string{"-buildmode=pie"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.name != "archive" {
				testenv.Builds(t)
				if (c.shared || strings.Contains(c.name, "static")) && testenv.Repeated() {
					t.Skip("that is the system's linker, which is the same for each version of Go")
				}
			}
			dir := folders[c.shared]
			bin := filepath.Join(t.TempDir(), "linked")
			build := linked(t, dir, append([]string{"-o", bin}, c.build...)...)
			if out, err := build.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			out, err := child.Program(t, bin).CombinedOutput()
			if err != nil || !strings.Contains(string(out), "all waited: coro: assembly") {
				t.Errorf("the program ended with %v:\n%s", err, out)
			}
		})
	}
	t.Run("archive in a Go library", func(t *testing.T) { testSharedGoLibrary(t, folders[false]) })
}

// testSharedGoLibrary: a C program loads a Go library with C code in it, and with the
// archive.
func testSharedGoLibrary(t *testing.T, dir string) {
	lib, host, src := filepath.Join(dir, "liblinked.so"), filepath.Join(dir, "host"), filepath.Join(dir, "host.c")
	build := linked(t, dir, "-buildmode=c-shared", "-o", lib)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	code, err := os.ReadFile("testdata/linked/host.c.txt")
	check(t, err)
	check(t, os.WriteFile(src, code, 0o600))
	run(t, cmp.Or(os.Getenv("CC"), "gcc"), "-o", host, src, "-ldl")
	out, err := child.Program(t, host, lib).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "all waited: coro: assembly") {
		t.Errorf("the program ended with %v:\n%s", err, out)
	}
}

// linked builds testdata/linked with the library in a folder. The flags stand in a file more of
// the package: with CGO_LDFLAGS the go command would compile all packages again that have C,
// the standard library's too.
func linked(t *testing.T, dir string, args ...string) *exec.Cmd {
	t.Helper()
	file, overlay := filepath.Join(dir, "flags.go"), filepath.Join(dir, "overlay.json")
	check(t, os.WriteFile(file, []byte("package main\n\n// #cgo LDFLAGS: -L"+dir+" -lop -Wl,-rpath,"+dir+"\nimport \"C\"\n"), 0o600))
	here, err := filepath.Abs("testdata/linked/flags.go")
	check(t, err)
	replace, err := json.Marshal(map[string]any{"Replace": map[string]string{here: file}})
	check(t, err)
	check(t, os.WriteFile(overlay, replace, 0o600))
	build := exec.CommandContext(t.Context(), "go", append(append([]string{"build", "-overlay", overlay, "-ldflags=-w"}, args...), "./testdata/linked")...)
	build.Env = append(os.Environ(), "CGO_ENABLED=1")
	return build
}
