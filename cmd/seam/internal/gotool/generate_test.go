package gotool

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/seamgo/seam/internal/testenv"
)

// generate lists one package and runs cgo for it.
func generate(t *testing.T, dir, pattern string, flags ...string) (Package, string, error) {
	t.Helper()
	list, err := List(t.Context(), "go", dir, flags, pattern)
	if err != nil {
		t.Fatal(err)
	}
	objdir := filepath.Join(t.TempDir(), "a folder", "obj")
	return list[0], objdir, Generate(t.Context(), list[0], objdir)
}

// bySwig is a file that SWIG writes, whose folder is elsewhere each time.
var bySwig = regexp.MustCompile(`/[^"\n]*/_\w+_swig\.go`)

// same fails unless our cgo wrote what the go command's own did.
func same(t *testing.T, dir, pattern, objdir string) {
	t.Helper()
	cmd := exec.Command("go", "build", "-work", pattern)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	work := strings.TrimSpace(strings.TrimPrefix(strings.SplitN(string(out), "\n", 2)[0], "WORK="))
	defer os.RemoveAll(work)
	entries, err := os.ReadDir(objdir)
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".cgo2.c") && e.Name() != "_cgo_gotypes.go" {
			continue
		}
		ours, err := os.ReadFile(filepath.Join(objdir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		all, err := filepath.Glob(filepath.Join(work, "b*", e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(all, func(name string) bool {
			theirs, err := os.ReadFile(name)
			return err == nil && bySwig.ReplaceAllString(string(theirs), "") == bySwig.ReplaceAllString(string(ours), "")
		}) {
			t.Errorf("%s is not what the go command's cgo writes", e.Name())
		}
		compared++
	}
	if compared < 2 {
		t.Errorf("%d files compared", compared)
	}
}

const cgoFile = `package a

/*
#cgo CFLAGS: -DANSWER=42 -I${SRCDIR}/include
#cgo LDFLAGS: -lm
#include "answer.h"
*/
import "C"

func Answer() int { return int(C.answer()) }

//export Back
func Back(x C.int) C.int { return x }
`

const answerHeader = "static inline int answer(void) { return ANSWER; }\n"

func TestGenerate(t *testing.T) {
	dir := write(t, map[string]string{"go.mod": goMod, "a.go": cgoFile, "include/answer.h": answerHeader, "b.cc": "int y;\n"})
	_, objdir, err := generate(t, dir, ".")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"_cgo_gotypes.go", "a.cgo1.go", "a.cgo2.c", "_cgo_export.c", "_cgo_export.h"} {
		if _, err := os.Stat(filepath.Join(objdir, name)); err != nil {
			t.Error(err)
		}
	}
	same(t, dir, ".", objdir)
}

// has fails unless cgo found answer.
func has(t *testing.T, objdir string, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
		return
	}
	text, err := os.ReadFile(filepath.Join(objdir, "_cgo_gotypes.go"))
	if err != nil || !strings.Contains(string(text), "_Cfunc_answer") {
		t.Errorf("answer is not in _cgo_gotypes.go: %v", err)
	}
}

func TestGenerateVendored(t *testing.T) {
	dir := write(t, map[string]string{
		"go.mod":                                goMod + "\nrequire example.org/a v1.0.0\n",
		"m.go":                                  "package m\n\nimport _ \"example.org/a\"\n",
		"vendor/modules.txt":                    "# example.org/a v1.0.0\n## explicit\nexample.org/a\n",
		"vendor/example.org/a/a.go":             cgoFile,
		"vendor/example.org/a/include/answer.h": answerHeader,
	})
	_, objdir, err := generate(t, dir, "example.org/a", "-mod=vendor")
	has(t, objdir, err)
}

func TestGenerateByEnvironment(t *testing.T) {
	file := strings.Replace(cgoFile, "-DANSWER=42 ", "", 1)
	dir := write(t, map[string]string{"go.mod": goMod, "a.go": "//go:build special\n\n" + file, "include/answer.h": answerHeader, "b.go": "package a\n"})
	t.Setenv("GOFLAGS", "-tags=special")
	t.Setenv("CGO_CFLAGS", `-O1 '-DANSWER=(40 + 2)'`)
	p, objdir, err := generate(t, dir, ".")
	has(t, objdir, err)
	command, _, err := p.Compiler(t.Context(), objdir, false)
	if err != nil || !slices.Contains(command, "-DANSWER=(40 + 2)") || !slices.Contains(command, "-O1") || slices.Contains(command, "-O2") {
		t.Errorf("the compiler's command is %q, %v", command, err)
	}
}

func TestGeneratePkgConfig(t *testing.T) {
	testenv.Tool(t, "pkg-config")
	file := strings.Replace(cgoFile, "#cgo CFLAGS: -DANSWER=42", "#cgo pkg-config: --static seamtest\n#cgo CFLAGS: -DUNUSED", 1)
	dir := write(t, map[string]string{
		"go.mod": goMod, "a.go": file, "include/answer.h": answerHeader,
		"pc/seamtest.pc": "Name: seamtest\nDescription: test\nVersion: 1\nCflags: -DANSWER=42\nLibs: -lm\n",
		"bad/bad.go":     strings.Replace(file, "seamtest", "seamtest_missing", 1),
	})
	t.Setenv("PKG_CONFIG_PATH", filepath.Join(dir, "pc"))
	_, objdir, err := generate(t, dir, ".")
	has(t, objdir, err)
	if _, _, err := generate(t, dir, "./bad"); err == nil || !strings.Contains(err.Error(), "seamtest_missing") {
		t.Errorf("a library that is not there: error %v", err)
	}
}

func TestGenerateForArm64(t *testing.T) {
	const compiler = "aarch64-linux-gnu-gcc"
	testenv.Tool(t, compiler)
	header := "#ifndef __aarch64__\n#error not for arm64\n#endif\n" + answerHeader
	dir := write(t, map[string]string{"go.mod": goMod, "a.go": cgoFile, "include/answer.h": header})
	t.Setenv("GOARCH", "arm64")
	t.Setenv("CC", compiler)
	p, objdir, err := generate(t, dir, ".")
	has(t, objdir, err)
	if command, _, err := p.Compiler(t.Context(), objdir, false); err != nil || command[0] != compiler || slices.Contains(command, "-m64") {
		t.Errorf("the compiler's command is %q, %v", command, err)
	}
}

func TestGenerateRefuses(t *testing.T) {
	for _, c := range []struct{ name, file, want string }{
		{"no cgo", "package a\n", `no file that imports "C"`},
		{"a flag that loads code", "package a\n\n// #cgo CFLAGS: -fplugin=./evil.so\nimport \"C\"\n", "-fplugin=./evil.so is not a flag"},
		{"C with a mistake", "package a\n\n// int f(void) { return y; }\nimport \"C\"\n\nvar _ = C.f()\n", "y"},
	} {
		dir := write(t, map[string]string{"go.mod": goMod, "a.go": c.file})
		if _, _, err := generate(t, dir, "."); err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "example.com/m") {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
}
