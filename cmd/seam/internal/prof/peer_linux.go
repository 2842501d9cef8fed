package prof

import (
	"errors"
	"fmt"
	"net"
	"syscall"
)

// isProcess asks the kernel who listens at the other end: anybody can take a name.
func isProcess(conn *net.UnixConn, pid int) error {
	raw, err := conn.SyscallConn()
	if err != nil {
		return err
	}
	var peer *syscall.Ucred
	var asked error
	if err := raw.Control(func(fd uintptr) {
		peer, asked = syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED)
	}); err != nil || asked != nil {
		return errors.Join(err, asked)
	}
	if int(peer.Pid) != pid {
		return fmt.Errorf("process %d doesn't listen: process %d of user %d does in its place", pid, peer.Pid, peer.Uid)
	}
	return nil
}
