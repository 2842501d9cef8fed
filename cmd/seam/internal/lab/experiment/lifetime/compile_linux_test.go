//go:build cgo

package lifetime

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/internal/testenv"
)

// ownCache gives the experiment a cache of its own, and leaves the go command its.
func ownCache(t *testing.T) (dir string) {
	t.Helper()
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPATH", "GOENV"} {
		out, err := exec.Command("go", "env", name).Output()
		if err != nil {
			t.Skipf("no go command: %v", err)
		}
		t.Setenv(name, strings.TrimSpace(string(out)))
	}
	dir = t.TempDir()
	t.Setenv("XDG_CACHE_HOME", dir)
	return filepath.Join(dir, "seam", "lifetime")
}

// The go command at hand judges the idioms as their measured memory says: what is moved
// to the heap is allocated.
func TestVerdictsOfTheCompiler(t *testing.T) {
	testenv.Builds(t)
	dir := ownCache(t)
	metrics, err := probeVerdicts(context.Background(), lab.Full)
	if err != nil {
		t.Fatal(err)
	}
	if len(metrics) != 1+len(idioms) {
		t.Fatalf("%d verdicts on %d idioms", len(metrics)-1, len(idioms))
	}
	said := map[string]string{}
	for i, d := range idioms {
		m := metrics[1+i]
		if m.Name != d.verdictName() || !strings.HasPrefix(m.Label, d.label+": ") {
			t.Errorf("%s: %+v", d.key, m)
		}
		said[d.key] = strings.TrimPrefix(m.Label, d.label+": ")
	}
	for key, want := range map[string]string{
		"cstring-free":   "s does not escape",
		"cbytes-free":    "b does not escape",
		"pointer":        "leaking param: b (passed to C.look)",
		"noescape":       "b does not escape",
		"view":           "s does not escape",
		"stack-cgo":      "moved to heap: buf (passed to C.fill)",
		"stack-noescape": "nothing escapes",
		"pinner":         "moved to heap: args (passed to C.look_at)",
	} {
		if !strings.Contains(said[key], want) {
			t.Errorf("%s: %q, want %q", key, said[key], want)
		}
	}
	for _, w := range ways() {
		m, err := w.memory()
		skipped(t, err)
		if strings.Contains(said[w.key], "moved to heap") && m.allocs == 0 {
			t.Errorf("%s: the compiler says %q, and nothing is allocated", w.name(), said[w.key])
		}
	}

	// A second time it is known, without a compiler.
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Fatalf("in the cache are %v (%v)", entries, err)
	}
	t.Setenv("TMPDIR", filepath.Join(dir, "nowhere")) // nothing can be compiled
	again, err := probeVerdicts(context.Background(), lab.Full)
	if err != nil || len(again) != len(metrics) || again[3] != metrics[3] {
		t.Errorf("the second time: %v, %v", again, err)
	}
}

// Without a go command, or with one that fails, the reason is told.
func TestVerdictsNotMeasured(t *testing.T) {
	command := func(text string) string {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "go"), []byte("#!/bin/sh\n"+text), 0o777); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	tests := []struct{ name, path, want string }{
		{"no go command", t.TempDir(), "there is none"},
		{"one that does not run", command("echo broken error here >&2; exit 2"), "can't be asked what escapes: go env: broken error here"},
		{"one that can't compile", command(`[ "$1" = env ] && echo '{"GOVERSION":"go9.9"}' && exit; echo '# x' >&2; echo 'a.go:1: remark' >&2; echo 'cgo: C compiler "cc" not found' >&2; exit 1`),
			`can't compile the idioms: go build: cgo: C compiler "cc" not found`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("PATH", tt.path)
			cache := t.TempDir()
			t.Setenv("XDG_CACHE_HOME", cache)
			_, err := probeVerdicts(context.Background(), lab.Quick)
			if nm := (*lab.NotMeasured)(nil); !errors.As(err, &nm) || !strings.Contains(nm.Reason, tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
			if left, _ := filepath.Glob(filepath.Join(cache, "seam", "lifetime", "*")); len(left) != 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

func TestVerdictsCutShort(t *testing.T) {
	ownCache(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := probeVerdicts(ctx, lab.Quick); err == nil {
		t.Error("a probe that was cut short gave figures")
	}
}
