package place

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"
)

// listen is net.Listen, but for what a server leaves behind that was killed: the file of a
// Unix socket on which nobody listens. That is removed, one with a server behind it is not.
func listen(network, address string) (net.Listener, error) {
	l, err := net.Listen(network, address)
	if network != "unix" || !errors.Is(err, syscall.EADDRINUSE) {
		return l, err
	}
	// Of two servers that start at once the second must not remove what the first has made.
	// A lock of the folder leaves no file behind.
	dir, open := os.Open(filepath.Dir(address))
	if open != nil {
		return nil, errors.Join(err, open)
	}
	defer dir.Close()
	if lock := syscall.Flock(int(dir.Fd()), syscall.LOCK_EX); lock != nil {
		return nil, errors.Join(err, lock)
	}
	if info, stat := os.Lstat(address); stat != nil || info.Mode().Type() != fs.ModeSocket {
		return nil, err
	}
	c, dialled := net.Dial(network, address)
	if dialled == nil {
		c.Close()
		return nil, err
	}
	if !errors.Is(dialled, syscall.ECONNREFUSED) { // as when its queue is full
		return nil, err
	}
	if remove := os.Remove(address); remove != nil {
		return nil, errors.Join(err, remove)
	}
	return net.Listen(network, address)
}
