// Package child starts programs for tests.
//
// What tests of the Go runtime's edges find is often a program that hangs, and a
// package whose tests hang says after ten minutes that something was read from a
// pipe. So a child that this package starts has a time limit, after which it is
// asked by SIGQUIT for its goroutines: the test fails with what they were at.
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

// Limit is how long a child may take: far more than any does, under an emulator on
// a busy machine too, and less than the ten minutes that go test gives a package.
const Limit = 4 * time.Minute

// Emulator is the command that runs programs which this machine can't, as go test
// -exec has it: what SEAM_TEST_EMULATOR holds, nothing by default.
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

// Program returns the command that runs a program which was built for the
// architecture under test.
func Program(t testing.TB, bin string, args ...string) *exec.Cmd {
	return limited(t, Limit, append(append(Emulator(), bin), args...))
}

func limited(t testing.TB, limit time.Duration, line []string) *exec.Cmd {
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, line[0], line[1:]...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGQUIT) }
	cmd.WaitDelay = 20 * time.Second // for the goroutines to be printed; then it is killed
	return cmd
}
