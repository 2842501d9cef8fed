package cli

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// closedOutput reports whether the caller closed standard output. Go's runtime opens the null
// device in its place before any of our code runs, for reading and writing, and what is
// written would get lost without an error. Who redirects to it opens it for writing alone; a
// daemon has all three descriptors on it, and then nothing was closed by mistake.
func closedOutput() bool { return nullBothWays(1) && !nullBothWays(0) }

func nullBothWays(fd int) bool {
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
	if err != nil || flags&unix.O_ACCMODE != unix.O_RDWR {
		return false
	}
	var here syscall.Stat_t
	null, err := os.Stat(os.DevNull)
	if err != nil || syscall.Fstat(fd, &here) != nil {
		return false
	}
	of, ok := null.Sys().(*syscall.Stat_t)
	return ok && of.Rdev == here.Rdev && here.Mode&syscall.S_IFMT == syscall.S_IFCHR
}
