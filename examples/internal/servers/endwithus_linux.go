package servers

import (
	"os/exec"
	"syscall"
)

// EndWithUs makes the kernel send a signal to the program when this process ends.
// A change of the user by the program itself would undo it, which is why cmd's
// own Credential is used for that.
func EndWithUs(cmd *exec.Cmd, signal syscall.Signal) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = new(syscall.SysProcAttr)
	}
	cmd.SysProcAttr.Pdeathsig = signal
	// Ctrl-C is for us: we stop the server when we are done with it.
	cmd.SysProcAttr.Setpgid = true
}
