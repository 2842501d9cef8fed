//go:build cgo

package leaf_test

import (
	"context"
	"os"
	"os/exec"
)

// emulator is the program that runs test binaries of another architecture, as
// `go test -exec` has it. A child must be started through it too.
var emulator = os.Getenv("SEAM_TEST_EMULATOR")

// self returns the command that runs this test binary again.
func self(ctx context.Context, args ...string) *exec.Cmd {
	if emulator != "" {
		return exec.CommandContext(ctx, emulator, append([]string{os.Args[0]}, args...)...)
	}
	return exec.CommandContext(ctx, os.Args[0], args...)
}
