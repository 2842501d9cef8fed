//seam:test race

//go:build linux && (amd64 || arm64)

package memory

import (
	"bufio"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/memory/account"
	"github.com/seamgo/seam/cmd/seam/internal/memory/verdict"
	"github.com/seamgo/seam/internal/testenv"
)

// What the complaints are about, in small: each program is judged by what its memory really does. It may
// take longer to be sure; another verdict is wrong.
func TestPrograms(t *testing.T) {
	testenv.GoProgram(t)
	testenv.Tool(t, "gcc")
	testenv.Tool(t, "g++")
	judgeAll(t, build(t, "testdata/grows"), map[string][]verdict.Class{
		"strdup": {verdict.Leak}, "map": {verdict.Leak}, "handles": {verdict.Leak},
		"cache": {verdict.Cache, verdict.Steady}, "arenas": {verdict.Fragmentation}, "stacks": {verdict.ThreadStacks},
		"mmap": {verdict.Mapped}, "file": {verdict.MappedFile}, "go": {verdict.GoSide},
	})
}

func build(t *testing.T, dir string) (program string) {
	t.Helper()
	program = filepath.Join(t.TempDir(), "grows")
	cmd := exec.CommandContext(t.Context(), "go", "build", "-o", program, ".")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

func judgeAll(t *testing.T, program string, ways map[string][]verdict.Class) {
	var all sync.WaitGroup
	for way, right := range ways {
		all.Go(func() {
			judge(t, exec.CommandContext(t.Context(), program, way, filepath.Join(t.TempDir(), "store")), way, right)
		})
	}
	all.Wait()
}

// judge has the program go on by a step between two looks, which are so far apart as they are when nothing
// keeps them from it.
func judge(t *testing.T, cmd *exec.Cmd, way string, right []verdict.Class) {
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Error(err)
		return
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Error(err)
		return
	}
	if err := cmd.Start(); err != nil {
		t.Error(err)
		return
	}
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	answers := bufio.NewReader(out)
	var reader account.Reader
	var w watch
	for looks := 1; ; looks++ {
		fmt.Fprintln(in)
		if _, err := answers.ReadString('\n'); err != nil {
			t.Errorf("%s: %v", way, err)
			return
		}
		a, err := reader.Read(cmd.Process.Pid)
		if err != nil {
			t.Errorf("%s: %v", way, err)
			return
		}
		a.Time = time.Time{}.Add(time.Duration(looks) * 50 * time.Millisecond)
		w.add(a)
		w.thin()
		if looks%mostSamples != 0 {
			continue
		}
		r := w.report()
		if slices.Contains(right, r.Verdict.Class) {
			return
		}
		if r.Verdict.Class != verdict.Unclear || looks == 8*mostSamples {
			t.Errorf("%s: %s after %d looks: %s; want %v\n%s", way, r.Verdict.Class, looks, r.Judged(), right, r.Sentence())
			return
		}
	}
}
