//go:build cgo && linux && (amd64 || arm64) && !msan

package netio_test

import (
	"errors"
	"fmt"
	"net"
	"os"
	"runtime/debug"
	"syscall"
	"testing"
	"unsafe"

	"github.com/seamgo/seam/coro"
	"github.com/seamgo/seam/coro/netio/internal/ctest"
	"github.com/seamgo/seam/internal/child"
)

// Name servers that don't answer take neither all threads nor the callers' time. The child
// has a network of its own, in which such a server is the only one.
func TestDeadNameServer(t *testing.T) {
	needCoroutines(t)
	const which = "SEAM_TEST_NETIO_LOOKUPS"
	if name := os.Getenv(which); name != "" {
		lookUpInVain(t, name)
		return
	}
	for _, name := range []string{"floating", "executor"} {
		// With 580 descriptors, 500 look-ups are made at once, each on a thread.
		self := child.Self(t, "-test.run=^TestDeadNameServer$", "-test.count=1")
		cmd := child.Program(t, "/bin/sh", append([]string{"-c", `ulimit -n 580 && exec "$@"`, "sh"}, self.Args...)...)
		cmd.Env = append(os.Environ(), which+"="+name)
		cmd.SysProcAttr = &syscall.SysProcAttr{
			Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET | syscall.CLONE_NEWNS,
			UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
			GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
		}
		out, err := cmd.CombinedOutput()
		if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EINVAL) {
			t.Skip("no namespaces here: ", err)
		}
		if err != nil {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}

func lookUpInVain(t *testing.T, name string) {
	upLoopback(t)
	server, err := net.ListenPacket("udp4", "127.0.0.1:53")
	check(t, err)
	defer server.Close()
	// libc reads it again when it has changed.
	conf := t.TempDir() + "/resolv.conf"
	patience := func(seconds int) {
		check(t, os.WriteFile(conf, fmt.Appendf(nil, "nameserver 127.0.0.1\noptions timeout:%d attempts:1\n", seconds), 0o600))
	}
	patience(1)
	check(t, syscall.Mount(conf, "/etc/resolv.conf", "", syscall.MS_BIND, ""))

	r := coro.Floating
	if name == "executor" {
		r = executor(t)
	}
	debug.SetMaxThreads(550)
	lookUp := func(n int) (calls []*pending) {
		for range n {
			op := newOp(t, ctest.GetAddrInfo, 64)
			copy(data(op), "nobody.invalid.")
			calls = append(calls, start(t, r, op))
		}
		return calls
	}
	for _, p := range lookUp(800) {
		p.want(t, -3, ctest.Errno) // EAI_AGAIN
	}

	// Those that are cancelled need not wait for libc.
	patience(30)
	calls := lookUp(100)
	_, _, err = server.ReadFrom(make([]byte, 512))
	check(t, err)
	for _, p := range calls {
		until(t, "all are in C", func() bool { return started(p.op) })
	}
	for _, p := range calls {
		p.cancel(errTest)
	}
	for _, p := range calls {
		p.want(t, -11, int(syscall.ECANCELED)) // EAI_SYSTEM
		if p.err != errTest {
			t.Errorf("the call's error is %v", p.err)
		}
	}
}

// upLoopback makes 127.0.0.1 work in a new network.
func upLoopback(t *testing.T) {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_DGRAM|syscall.SOCK_CLOEXEC, 0)
	check(t, err)
	defer syscall.Close(fd)
	request := struct {
		name  [16]byte
		flags uint16
		_     [22]byte
	}{name: [16]byte{'l', 'o'}, flags: syscall.IFF_UP}
	if _, _, e := syscall.Syscall(syscall.SYS_IOCTL, uintptr(fd), syscall.SIOCSIFFLAGS, uintptr(unsafe.Pointer(&request))); e != 0 {
		t.Fatal(e)
	}
}
