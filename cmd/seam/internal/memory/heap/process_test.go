//go:build linux && (amd64 || arm64)

package heap

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/memory/account"
	"github.com/seamgo/seam/internal/testenv"
)

// Of a program with package prof/heap the record is read while it runs.
func TestProcess(t *testing.T) {
	testenv.GoProgram(t)
	testenv.Tool(t, "gcc")
	program := filepath.Join(t.TempDir(), "served")
	run(t, "testdata/served", exec.CommandContext(t.Context(), "go", "build", "-o", program, "."))
	cmd := exec.CommandContext(t.Context(), program)
	cmd.Env = append(os.Environ(), "SEAM_HEAP_RATE=1")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { in.Close(); _ = cmd.Wait() }()
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "ready\n" {
		t.Fatal(line, err)
	}
	// What counting itself takes is no memory of the program's.
	a, err := new(account.Reader).Read(cmd.Process.Pid)
	if err != nil || a.Of(account.Own) < 64<<10 || a.Of(account.Shared) > 0 {
		t.Errorf("%v; %d bytes of tables, %d of memory files", err, a.Of(account.Own), a.Of(account.Shared))
	}
	w, err := NewProcessWatcher(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	r, err := w.Report(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range r.Sites {
		if p.C == "served_site" {
			if p.Live != 50_000 || p.LiveObjects != 100 || p.Where.Go != "main.main" {
				t.Errorf("%+v", p)
			}
			return
		}
	}
	t.Errorf("no served_site in %+v", r.Sites)
}

func TestNoProcess(t *testing.T) {
	for pid, says := range map[int]string{os.Getpid(): "does not count what C allocates", 1 << 30: "there is no such process"} {
		if _, err := NewProcessWatcher(pid); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%d: %v; want %q", pid, err, says)
		}
	}
}
