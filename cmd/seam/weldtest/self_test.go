//go:build linux && (amd64 || arm64) && cgo && !race

package weldtest

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// These tests run seam in other processes, and yet the go command's cache must not
// answer for them once seam has changed: a rewriter that rewrites nothing makes a
// test fail whose result was cached just before.
func TestBrokenRewriterIsNoticed(t *testing.T) {
	t.Parallel()
	const small = "TestPlanElsewhere" // another test than this one, so this can't go on for ever
	run := func(flags ...string) (string, error) {
		cmd := exec.Command("go", append(append([]string{"test"}, flags...), "-run", "^"+small+"$", ".")...)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	for range 2 {
		if out, err := run(); err != nil {
			t.Fatalf("%s as it is: %v\n%s", small, err, out)
		}
	}
	passes, err := filepath.Abs("../internal/weld/rewrite/passes.go")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(passes)
	if err != nil {
		t.Fatal(err)
	}
	broken := strings.Replace(string(text), "return []cgofile.Pass{", "return nil\n\treturn []cgofile.Pass{", 1)
	if broken == string(text) {
		t.Fatalf("%s has no list of passes", passes)
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "passes.go")
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{passes: file}})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{file: []byte(broken), filepath.Join(dir, "overlay.json"): overlay} {
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out, err := run("-overlay", filepath.Join(dir, "overlay.json"))
	if err == nil || !strings.Contains(out, "--- FAIL: "+small) {
		t.Errorf("%s with a rewriter that rewrites nothing: %v\n%s", small, err, out)
	}
}
