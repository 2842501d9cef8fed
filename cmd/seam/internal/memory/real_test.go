//seam:test race

//go:build linux && (amd64 || arm64)

package memory

import (
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/memory/verdict"
	"github.com/seamgo/seam/internal/testenv"
)

// What the complaints are about, in small: each program is judged by what its memory really does. It may
// take longer to be sure; another verdict is wrong.
func TestPrograms(t *testing.T) {
	testenv.GoProgram(t)
	testenv.Tool(t, "gcc")
	testenv.Tool(t, "g++")
	program := filepath.Join(t.TempDir(), "grows")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program, ".")
	build.Dir = "testdata/grows"
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var all sync.WaitGroup
	for way, right := range map[string][]verdict.Class{
		"strdup": {verdict.Leak}, "map": {verdict.Leak}, "handles": {verdict.Leak},
		"cache": {verdict.Cache, verdict.Steady}, "arenas": {verdict.Fragmentation}, "stacks": {verdict.ThreadStacks},
		"mmap": {verdict.Mapped}, "file": {verdict.MappedFile}, "go": {verdict.GoSide},
	} {
		cmd := exec.CommandContext(t.Context(), program, way, filepath.Join(t.TempDir(), "store"))
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		all.Go(func() {
			defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
			for length := 3 * time.Second; ; length *= 2 {
				r, err := Process(t.Context(), cmd.Process.Pid, length, 0)
				if err != nil {
					t.Errorf("%s: %v", way, err)
					return
				}
				if slices.Contains(right, r.Verdict.Class) {
					return
				}
				if r.Verdict.Class != verdict.Unclear || length > 20*time.Second {
					t.Errorf("%s: %s, of %d looks in %s: %s; want %v\n%s", way, r.Verdict.Class, len(r.Samples), length, r.Judged(), right, r.Sentence())
					return
				}
			}
		})
	}
	all.Wait()
}
