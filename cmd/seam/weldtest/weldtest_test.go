//go:build linux && (amd64 || arm64) && cgo && !race

// Package weldtest runs seam weld on whole programs, as a user does: every
// program is built welded and as it is, and must behave the same.
//
// The test's own binary is seam, under another name: so the go command knows that
// the tests depend on all of seam's code, and a result from its cache is one of the
// seam at hand.
//
// The race detector has nothing to see here: all work is done by other
// processes.
package weldtest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/cli"
)

// seam is the program under test, environment what all processes get.
var (
	seam        string
	environment []string
)

// noFlags is GOFLAGS of a user who has none; a temporary folder has no version control
// that the go command could ask.
const noFlags = "GOFLAGS=-buildvcs=false"

func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "seam" {
		os.Exit(cli.Main())
	}
	dir, err := os.MkdirTemp("", "seam weldtest ")
	if err == nil {
		err = prepare(dir)
	}
	code := 1
	if err == nil {
		code = m.Run()
	} else {
		fmt.Fprintln(os.Stderr, err)
	}
	os.RemoveAll(dir)
	os.Exit(code)
}

// prepare makes seam: a copy of this binary. Its path has a blank in it, which go
// build -toolexec has to be told.
func prepare(dir string) error {
	out, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		return fmt.Errorf("go env: %w", err)
	}
	cache := strings.TrimSpace(string(out))
	seam = filepath.Join(dir, "seam")
	if err := copySelf(seam); err != nil {
		return err
	}
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		switch {
		case strings.HasPrefix(name, "SEAM_"), strings.HasPrefix(name, "CGO_"), strings.HasPrefix(name, "PKG_CONFIG"):
		case slices.Contains([]string{"GOFLAGS", "GOWORK", "GOARCH", "GOOS", "CC", "GOGC", "GOMAXPROCS", "GODEBUG", "GOCOVERDIR", "XDG_CACHE_HOME", "PWD"}, name):
		default:
			environment = append(environment, v)
		}
	}
	environment = append(environment,
		"GOCACHE="+cache,
		"SEAM_WATCH=0", // on a busy machine what it says is true of programs that are to be silent
		"XDG_CACHE_HOME="+filepath.Join(dir, "cache"), // what seam remembers of builds
		// Without DWARF a program is linked in half the time; there are hundreds.
		"CGO_ENABLED=1", "GOWORK=", noFlags+" -ldflags=-w")
	return nil
}

// copySelf copies this process's program.
func copySelf(name string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	data, err := os.ReadFile(self)
	if err != nil {
		return err
	}
	return os.WriteFile(name, data, 0o755)
}

// A module is a copy of one of testdata's, for one test.
type module struct {
	t   *testing.T
	dir string
	env []string
}

// load copies a module from testdata into a fresh folder. The go command's cache
// has nothing of what lies there.
func load(t *testing.T, name string) *module {
	t.Helper()
	m := &module{t: t, dir: filepath.Join(t.TempDir(), name)}
	if err := os.CopyFS(m.dir, os.DirFS(filepath.Join("testdata", name))); err != nil {
		t.Fatal(err)
	}
	if name == "table" { // its cases are those of package netio's tests
		cases := os.DirFS("../../../coro/netio/internal/ctest")
		for _, file := range []string{"table.c", "table.h"} {
			text, err := fs.ReadFile(cases, file)
			if err != nil {
				t.Fatal(err)
			}
			m.write(file, string(text))
		}
	}
	if name == "many" {
		m.set("PKG_CONFIG_PATH=" + filepath.Join(m.dir, "pc", "config"))
	}
	return m
}

// withLibrary has the module require the library that is at hand.
func (m *module) withLibrary() *module {
	m.t.Helper()
	library, err := filepath.Abs("../../..")
	if err != nil {
		m.t.Fatal(err)
	}
	m.write("go.mod", m.read("go.mod")+"\nrequire github.com/seamgo/seam v0.0.0\n\nreplace github.com/seamgo/seam => "+library+"\n")
	return m
}

// in is the same module seen from another test.
func (m *module) in(t *testing.T) *module {
	c := *m
	c.t, c.env = t, slices.Clone(m.env)
	return &c
}

// set adds environment variables.
func (m *module) set(env ...string) *module {
	m.env = append(m.env, env...)
	return m
}

func (m *module) path(name string) string { return filepath.Join(m.dir, name) }

func (m *module) write(name, text string) {
	m.t.Helper()
	if err := os.MkdirAll(filepath.Dir(m.path(name)), 0o755); err != nil {
		m.t.Fatal(err)
	}
	if err := os.WriteFile(m.path(name), []byte(text), 0o644); err != nil {
		m.t.Fatal(err)
	}
}

func (m *module) read(name string) string {
	m.t.Helper()
	text, err := os.ReadFile(m.path(name))
	if err != nil {
		m.t.Fatal(err)
	}
	return string(text)
}

// replace changes a file, which must have the old text.
func (m *module) replace(name, old, with string) {
	m.t.Helper()
	text := m.read(name)
	if !strings.Contains(text, old) {
		m.t.Fatalf("%s has no %q", name, old)
	}
	m.write(name, strings.Replace(text, old, with, 1))
}

// A result is what a process left behind.
type result struct {
	t           *testing.T
	args        []string
	code        int // -1: ended by a signal
	out, errout string
}

// run runs a program in the module's folder.
func (m *module) run(args ...string) result {
	m.t.Helper()
	ctx, cancel := context.WithTimeout(m.t.Context(), 40*time.Minute) // a hang: a build takes minutes where others keep the machine busy
	defer cancel()
	var out, errout bytes.Buffer
	cmd := m.command(ctx, args...)
	cmd.Stdout, cmd.Stderr = &out, &errout
	err := cmd.Run()
	r := result{t: m.t, args: args, out: out.String(), errout: errout.String()}
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		r.code = exit.ExitCode()
	case err != nil:
		m.t.Fatal(err)
	}
	return r
}

func (m *module) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir = m.dir
	cmd.Env = append(slices.Clone(environment), m.env...)
	cmd.WaitDelay = time.Second
	return cmd
}

// weld runs seam weld with a go command.
func (m *module) weld(args ...string) result {
	m.t.Helper()
	return m.run(append([]string{seam, "weld", "--", "go"}, args...)...)
}

// plain runs a go command as it is.
func (m *module) plain(args ...string) result {
	m.t.Helper()
	return m.run(append([]string{"go"}, args...)...)
}

// ok fails the test if the process failed.
func (r result) ok() result {
	r.t.Helper()
	return r.ends(0)
}

// ends fails the test if the process ended with another code.
func (r result) ends(code int) result {
	r.t.Helper()
	if r.code != code {
		r.t.Fatalf("%q ended with %d, want %d\n%s", r.args, r.code, code, r.text())
	}
	return r
}

// says fails the test if one of the texts was not printed on standard error.
func (r result) says(texts ...string) result {
	r.t.Helper()
	for _, text := range texts {
		if !strings.Contains(r.errout, text) {
			r.t.Fatalf("%q did not say %q\n%s", r.args, text, r.text())
		}
	}
	return r
}

// silent fails the test if the text was printed on standard error.
func (r result) silent(text string) result {
	r.t.Helper()
	if strings.Contains(r.errout, text) {
		r.t.Fatalf("%q said %q\n%s", r.args, text, r.text())
	}
	return r
}

// prints fails the test if standard output lacks a text.
func (r result) prints(text string) result {
	r.t.Helper()
	if !strings.Contains(r.out, text) {
		r.t.Fatalf("%q did not print %q\n%s", r.args, text, r.text())
	}
	return r
}

func (r result) text() string {
	limit := func(s string) string { return s[:min(len(s), 8000)] }
	return "standard output:\n" + limit(r.out) + "\nstandard error:\n" + limit(r.errout)
}

// same fails the test if a welded process differs from the plain one in exit
// code or standard output.
func same(t *testing.T, plain, welded result) {
	t.Helper()
	if plain.code != welded.code || plain.out != welded.out {
		t.Fatalf("as it is: code %d\n%s\nwelded: code %d\n%s", plain.code, plain.text(), welded.code, welded.text())
	}
}

// hash covers names and contents of all files of the module, but those that are
// named.
func (m *module) hash(without ...string) string {
	m.t.Helper()
	h := sha256.New()
	err := filepath.WalkDir(m.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || slices.Contains(without, filepath.Base(path)) {
			return err
		}
		text, err := os.ReadFile(path)
		fmt.Fprintf(h, "%q %q\n", path, text)
		return err
	})
	if err != nil {
		m.t.Fatal(err)
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

// isWelded looks at how many allocations of module small a call makes that gives
// C an address.
func (m *module) isWelded(program ...string) bool {
	m.t.Helper()
	r := m.run(append(program, "allocs")...).ok()
	switch r.out {
	case "allocations: 0\n":
		return true
	case "allocations: 1\n":
		return false
	}
	m.t.Fatalf("%q printed %q", program, r.out)
	return false
}
