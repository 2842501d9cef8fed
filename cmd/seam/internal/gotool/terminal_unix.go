//go:build unix

package gotool

import (
	"os"

	"golang.org/x/sys/unix"
)

// inForeground says whether a Ctrl-C at the terminal reaches this process, and those that it has
// started.
func inForeground() bool {
	tty, err := os.Open("/dev/tty")
	if err != nil {
		return false
	}
	defer tty.Close()
	group, err := unix.IoctlGetInt(int(tty.Fd()), unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}
