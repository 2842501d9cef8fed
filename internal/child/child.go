// Package child starts programs for tests.
//
// Tests at the edges of the Go runtime often find a program that hangs, and then go test
// only says, after ten minutes, that it was reading from a pipe. So children that this
// package starts have a time limit, after which SIGQUIT makes them print their goroutines:
// the test fails with what they were doing.
package child

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Limit is how long a child may take: far more than any does, even under an emulator on a
// busy machine, and less than the ten minutes that go test gives a package.
const Limit = 4 * time.Minute

// Emulator returns the command that runs programs which this machine can't run, like the
// argument of go test -exec: the value of SEAM_TEST_EMULATOR, or nothing.
func Emulator() []string { return strings.Fields(os.Getenv("SEAM_TEST_EMULATOR")) }

// Self returns the command that runs the test's own binary again.
func Self(t testing.TB, args ...string) *exec.Cmd {
	t.Helper()
	bin, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Program(t, bin, args...)
}

// Program returns the command that runs a program built for the architecture under test.
func Program(t testing.TB, bin string, args ...string) *exec.Cmd {
	return limited(t, patience(t), append(append(Emulator(), bin), args...))
}

// patience is Limit, but in a soak almost as long as the test may take.
func patience(t testing.TB) time.Duration {
	test, ok := t.(interface{ Deadline() (time.Time, bool) })
	if !ok || os.Getenv("SEAM_STRESS") == "" && os.Getenv("SEAM_SOAK") == "" {
		return Limit
	}
	deadline, ok := test.Deadline()
	if !ok {
		return 24 * time.Hour
	}
	return max(Limit, time.Until(deadline)-time.Minute)
}

func limited(t testing.TB, limit time.Duration, line []string) *exec.Cmd {
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, line[0], line[1:]...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGQUIT) }
	cmd.WaitDelay = 20 * time.Second // time to print the goroutines before it is killed
	return cmd
}
