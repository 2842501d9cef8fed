package prof

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// dial connects to the socket of a process, in the network namespace that it is in. Its name has
// the number that the process has in its own namespace for them.
func dial(ctx context.Context, pid int) (net.Conn, error) {
	name := "@seam-prof-" + strconv.Itoa(ownNumber(pid))
	var d net.Dialer
	if !inOther(pid, "net") {
		return d.DialContext(ctx, "unix", name)
	}
	type result struct {
		conn net.Conn
		err  error
	}
	done := make(chan result)
	go func() {
		// The thread is in the other namespace from here on, and ends with the goroutine, as it is
		// never unlocked.
		runtime.LockOSThread()
		conn, err := dialIn(pid, name)
		done <- result{conn, err}
	}()
	r := <-done
	return r.conn, r.err
}

func dialIn(pid int, name string) (net.Conn, error) {
	ns, err := os.Open(fmt.Sprintf("/proc/%d/ns/net", pid))
	if err != nil {
		return nil, err
	}
	defer ns.Close()
	if err := unix.Setns(int(ns.Fd()), unix.CLONE_NEWNET); err != nil {
		if errors.Is(err, syscall.EPERM) {
			return nil, fmt.Errorf("it is in another network namespace, which only root may enter: run seam prof as root, or in there")
		}
		return nil, fmt.Errorf("its network namespace: %w", err)
	}
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), name)
	defer f.Close()
	if err := unix.Connect(fd, &unix.SockaddrUnix{Name: name}); err != nil {
		return nil, err
	}
	return net.FileConn(f)
}

// inOther reports whether a process is in another namespace of a kind than this one, as far as the
// kernel tells.
func inOther(pid int, kind string) bool {
	theirs, err := os.Readlink(filepath.Join("/proc", strconv.Itoa(pid), "ns", kind))
	if err != nil {
		return false
	}
	ours, err := os.Readlink("/proc/self/ns/" + kind)
	return err == nil && ours != theirs
}

// inOtherMounts reports whether the process's files are not those of the same names here.
func inOtherMounts(pid int) bool {
	if inOther(pid, "mnt") {
		return true
	}
	root, err := os.Readlink(fmt.Sprintf("/proc/%d/root", pid)) // as after a chroot
	return err == nil && root != "/"
}

// ownNumber is the number of a process in its own namespace.
func ownNumber(pid int) int {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return pid
	}
	for line := range strings.Lines(string(status)) {
		if list, ok := strings.CutPrefix(line, "NSpid:"); ok {
			numbers := strings.Fields(list)
			if len(numbers) > 0 {
				if n, err := strconv.Atoi(numbers[len(numbers)-1]); err == nil {
					return n
				}
			}
		}
	}
	return pid
}
