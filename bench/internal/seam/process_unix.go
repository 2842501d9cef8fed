//go:build unix

package seam

import (
	"os/exec"
	"syscall"
)

// endTogether makes a cancelled command end with the compilers and tests that it
// has started.
func endTogether(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGTERM) }
}
