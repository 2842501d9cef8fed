//go:build unix

package cli

import (
	"os/signal"
	"syscall"
)

// ignoreBrokenPipes makes writing to a pipe whose reader has gone an error like
// any other. Otherwise `seam lab --json FILE | head` would end the program
// where it stands.
func ignoreBrokenPipes() { signal.Ignore(syscall.SIGPIPE) }
