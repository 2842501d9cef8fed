//go:build cgo && unix

package leaf_test

import (
	"bufio"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/seamgo/seam/internal/child"
)

// A program that was stopped for longer than the limit, by Ctrl-Z or a
// debugger, goes on when it is continued: no call ran for all that time.
func TestGuardForgivesStoppedTime(t *testing.T) {
	cmd := child.Self(t)
	cmd.Env = append(os.Environ(), "SEAM_TEST_FAULT=steady", "SEAM_GUARD=1", "SEAM_GUARD_LIMIT=400ms", "SEAM_GUARD_BUDGET=1m")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(stdout)
	if _, err := lines.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	cmd.Process.Signal(syscall.SIGSTOP)
	time.Sleep(time.Second)
	cmd.Process.Signal(syscall.SIGCONT)
	rest, _ := io.ReadAll(lines)
	if err := cmd.Wait(); err != nil || !strings.Contains(string(rest), "RETURNED") {
		t.Errorf("the child ended with %v:\n%s%s", err, rest, stderr.String())
	}
}
