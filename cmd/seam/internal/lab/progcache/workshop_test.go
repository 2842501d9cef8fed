package progcache

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
)

func TestBrief(t *testing.T) {
	for out, want := range map[string]string{
		"# github.com/seamgo/seam/program\nIn file included from a.cc:1:\nrapidjson.cc:7:1: error: x\nmore\n": "rapidjson.cc:7:1: error: x",
		"# github.com/seamgo/seam/decoders\ndecoders/shared.go:7:1: undefined: x\nmore\n":                     "decoders/shared.go:7:1: undefined: x",
		"# x\na.go:1: can inline f\ncgo: C compiler \"cc\" not found\n":                                       "cgo: C compiler \"cc\" not found",
		"go: cannot find GOROOT\n": "go: cannot find GOROOT",
		"# x\n":                    "it does not say why",
		"":                         "it does not say why",
	} {
		if got := Brief(out); got != want {
			t.Errorf("%q: %q", out, got)
		}
	}
}

// Files of other contents, or under other names, have other names in the cache.
func TestHash(t *testing.T) {
	seen := map[string]bool{}
	all := []map[string]string{nil, {"a": ""}, {"a": "b"}, {"ab": ""}, {"a": "", "b": ""}, {"b": "a"},
		{"a": "b", "c": "d"}, {"a": "bc", "": "d"}, {"a": "b", "c": "e"}}
	for _, files := range all {
		seen[HashFiles(files)] = true
	}
	if len(seen) != len(all) {
		t.Errorf("%d names of %d", len(seen), len(all))
	}
	if Hash("ab", "c") == Hash("a", "bc") {
		t.Error("where texts end makes no difference")
	}
}

func TestSources(t *testing.T) {
	dir := t.TempDir()
	files := map[string]string{"go.mod": "module x\n", "a/b.go": "package a\n"}
	folder, err := Sources(dir, files)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(folder, "a", "b.go")); err != nil || string(text) != "package a\n" {
		t.Errorf("%q, %v", text, err)
	}
	if again, err := Sources(dir, files); err != nil || again != folder {
		t.Errorf("the second time %s, %v", again, err)
	}
	entries, _ := os.ReadDir(dir)
	if len(entries) != 1 {
		t.Errorf("left are %v", entries)
	}
}

// What can't be made leaves nothing behind.
func TestWhole(t *testing.T) {
	dir := t.TempDir()
	broken := errors.New("broken")
	err := Whole(dir, filepath.Join(dir, "x"), func(path string) error {
		if err := os.WriteFile(path, []byte("half"), 0o666); err != nil {
			return err
		}
		return broken
	})
	entries, _ := os.ReadDir(dir)
	if !errors.Is(err, broken) || len(entries) != 0 {
		t.Errorf("%v, left are %v", err, entries)
	}
}

// Things that nobody asks for go, and so does what a killed build left.
func TestTrim(t *testing.T) {
	dir := t.TempDir()
	for name, age := range map[string]time.Duration{
		"old": Keep + time.Hour, "fresh": time.Hour, WorkPrefix + "killed": 2 * time.Hour, WorkPrefix + "running": time.Minute,
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, nil, 0o666); err != nil {
			t.Fatal(err)
		}
		then := time.Now().Add(-age)
		if err := os.Chtimes(path, then, then); err != nil {
			t.Fatal(err)
		}
	}
	Trim(dir)
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(left) != 2 || filepath.Base(left[0]) != "fresh" || filepath.Base(left[1]) != WorkPrefix+"running" {
		t.Errorf("left are %v (%v)", left, err)
	}
}

func TestRun(t *testing.T) {
	dir := t.TempDir()
	tool := filepath.Join(dir, "go")
	if err := os.WriteFile(tool, []byte("#!/bin/sh\necho out $GOWORK $EXTRA; echo words >&2; exit $CODE\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	out, words, err := Run(t.Context(), tool, dir, []string{"EXTRA=more", "CODE=0"}, "env")
	if out != "out off more\n" || words != "words\n" || err != nil {
		t.Errorf("%q, %q, %v", out, words, err)
	}
	if _, _, err := Run(t.Context(), tool, dir, []string{"CODE=3"}, "build"); err == nil || !strings.HasSuffix(err.Error(), "go build: exit status 3: words") {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := Run(ctx, tool, dir, []string{"CODE=0"}, "env"); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
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
