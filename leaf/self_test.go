//go:build cgo && unix

package leaf_test

import (
	"context"
	"os"
	"os/exec"
)

// self returns the command that runs this test binary again.
func self(ctx context.Context, args ...string) *exec.Cmd {
	return program(ctx, os.Args[0], args...)
}

// program returns the command that runs a program built for the architecture
// under test. SEAM_TEST_EMULATOR names what runs those that this machine can't,
// as `go test -exec` has it.
func program(ctx context.Context, bin string, args ...string) *exec.Cmd {
	if emulator := os.Getenv("SEAM_TEST_EMULATOR"); emulator != "" {
		bin, args = emulator, append([]string{bin}, args...)
	}
	return exec.CommandContext(ctx, bin, args...)
}
