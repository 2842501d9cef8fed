package ring

import (
	"context"
	"fmt"
	"io/fs"
	"net"
	"os"
	"syscall"
)

// place is a listening socket at a path, of which no other process has one.
type place struct {
	*net.UnixListener
	lock *os.File
}

// listenAt makes a socket that processes of this user may connect to. Who is killed leaves its
// socket there, so a second file, PATH.lock, says whether it still runs: it is locked as long as
// its process lives. It is never removed, for another process may be waiting to lock it.
func listenAt(path string) (*place, error) {
	lock, err := os.OpenFile(path+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("ring: %w", err)
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		lock.Close()
		return nil, invalid("%s: another process serves it, or this one does already (%s.lock: %v)", path, path, err)
	}
	if at, err := os.Lstat(path); err == nil && at.Mode().Type() != fs.ModeSocket {
		lock.Close()
		return nil, invalid("%s is there, and is no socket", path)
	}
	os.Remove(path) // if that fails, listening does
	listen := net.ListenConfig{Control: func(_, _ string, c syscall.RawConn) (err error) {
		c.Control(func(fd uintptr) { err = syscall.Fchmod(int(fd), 0o600) })
		return err
	}}
	l, err := listen.Listen(context.Background(), "unix", path)
	if err != nil {
		lock.Close()
		return nil, fmt.Errorf("ring: %w", err)
	}
	return &place{l.(*net.UnixListener), lock}, nil
}

// close removes the socket, and then lets others have the place.
func (p *place) close() {
	p.UnixListener.Close()
	p.lock.Close()
}
