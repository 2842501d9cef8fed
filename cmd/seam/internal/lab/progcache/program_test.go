//seam:test race

package progcache

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/filecache"
	"github.com/seamgo/seam/cmd/seam/internal/gotool"
	"github.com/seamgo/seam/cmd/seam/internal/lab"
)

// Other contents, or the same under other names, are other files.
func TestKeyOfFiles(t *testing.T) {
	seen := map[filecache.Key]bool{}
	all := []map[string]string{nil, {"a": ""}, {"a": "b"}, {"ab": ""}, {"a": "", "b": ""}, {"b": "a"},
		{"a": "b", "c": "d"}, {"a": "bc", "": "d"}, {"a": "b", "c": "e"}}
	for _, files := range all {
		seen[KeyOfFiles(files)] = true
	}
	if len(seen) != len(all) {
		t.Errorf("%d keys of %d", len(seen), len(all))
	}
}

// fakeGo is a go command that is a script.
func fakeGo(t *testing.T, script string) string {
	t.Helper()
	tool := filepath.Join(t.TempDir(), "go")
	if err := os.WriteFile(tool, []byte("#!/bin/sh\n"+script), 0o777); err != nil {
		t.Fatal(err)
	}
	return tool
}

// A program is built where its sources are, once for all that it depends on.
func TestBuild(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	builds := filepath.Join(t.TempDir(), "builds")
	t.Setenv("BUILDS", builds)
	// go build -tags=x -o PATH ./p
	tool := fakeGo(t, `echo "$1 $2 $3 $5" $EXTRA $(cat a/b.go) >> $BUILDS; echo made > "$4"`)
	p := Program{Cache: "test", Files: map[string]string{"a/b.go": "package a\n"}, Package: "./p", Flags: []string{"-tags=x"}, Env: []string{"EXTRA=more"}}
	env := &gotool.Env{GOVERSION: "go1.99"}
	path, err := p.Build(t.Context(), tool, env)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "made\n" {
		t.Errorf("%q, %v", text, err)
	}
	if again, err := p.Build(t.Context(), tool, env); err != nil || again != path {
		t.Errorf("the second time %s, %v", again, err)
	}
	for name, change := range map[string]func(p *Program, env *gotool.Env){
		"a flag": func(p *Program, _ *gotool.Env) { p.Flags = nil }, "a package": func(p *Program, _ *gotool.Env) { p.Package = "./q" },
		"a variable": func(p *Program, _ *gotool.Env) { p.Env = nil }, "a library": func(p *Program, _ *gotool.Env) { p.More = "2" },
		"Go":     func(_ *Program, e *gotool.Env) { e.GOVERSION = "go1.100" },
		"a file": func(p *Program, _ *gotool.Env) { p.Files = map[string]string{"a/b.go": "package b\n"} },
	} {
		q, e := p, *env
		change(&q, &e)
		if other, err := q.Build(t.Context(), fakeGo(t, `while [ "$1" != -o ]; do shift; done; echo made > "$2"`), &e); err != nil || other == path {
			t.Errorf("with another %s: %s, %v", name, other, err)
		}
	}
	if text, err := os.ReadFile(builds); err != nil || string(text) != "build -tags=x -o ./p more package a\n" {
		t.Errorf("%q, %v", text, err)
	}
}

func TestBuildFails(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	p := Program{Cache: "test", Files: map[string]string{"a.go": "package a\n"}}
	_, err := p.Build(t.Context(), fakeGo(t, "printf '# p\na.go:1:1: error: x\nmore\n' >&2; exit 1"), &gotool.Env{})
	if err == nil || err.Error() != "go build: a.go:1:1: error: x" {
		t.Error(err)
	}
	t.Setenv("XDG_CACHE_HOME", "/dev/null")
	if _, err := p.Build(t.Context(), fakeGo(t, ""), &gotool.Env{}); err == nil {
		t.Error("built where nothing can be written")
	}
}

// The user's own settings for builds don't count.
func TestEnvironment(t *testing.T) {
	t.Setenv("GOWORK", "/somewhere")
	t.Setenv("GOFLAGS", "-race")
	tool := fakeGo(t, "echo $1 $GOWORK $GOFLAGS $EXTRA; echo words >&2")
	if out, err := Run(t.Context(), "", []string{"EXTRA=more"}, tool, "x"); out != "x off -buildvcs=false more\nwords\n" || err != nil {
		t.Errorf("%q, %v", out, err)
	}
	env, err := Env(t.Context(), "go", []string{"CC=my cc"})
	if err != nil || env.GOFLAGS != "-buildvcs=false" || env.CC != "my cc" || env.GOOS != runtime.GOOS {
		t.Errorf("%+v, %v", env, err)
	}
}

// Each program is built once, all of the list for the first who asks.
func TestOnce(t *testing.T) {
	var o Once[string]
	var builds atomic.Int32
	build := func(_ context.Context, k string) (string, error) {
		builds.Add(1)
		if k == "bad" {
			return "", errors.New("broken")
		}
		return "/" + k, nil
	}
	for range 2 {
		for _, k := range []string{"a", "b", "bad", "other"} {
			path, err := o.Get(t.Context(), lab.Quick, k, []string{"a", "b", "bad"}, build)
			if (err != nil) != (k == "bad") || err == nil && path != "/"+k {
				t.Errorf("%s: %q, %v", k, path, err)
			}
		}
	}
	if builds.Load() != 4 {
		t.Errorf("%d builds of 4 programs", builds.Load())
	}
}
