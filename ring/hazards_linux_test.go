package ring

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"

	"github.com/seamgo/seam/internal/child"
)

// Where memory that isn't there can be refused only by SIGBUS, all of it is taken at the
// set-up: then it is an error. The file system here has a size; that of a memfd has none.
func TestFullMemory(t *testing.T) {
	if len(child.Emulator()) > 0 {
		t.Skip("the emulator doesn't mount")
	}
	const size = 1 << 20
	if dir := os.Getenv("RING_FULL"); dir != "" {
		if err := syscall.Mount("ring", dir, "tmpfs", 0, "size=64k"); err != nil {
			t.Fatal(err)
		}
		f, err := os.Create(filepath.Join(dir, "rings"))
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Truncate(size); err != nil {
			t.Fatal(err)
		}
		if err := allocate(int(f.Fd()), size, false); err != nil {
			t.Error(err)
		}
		b, err := syscall.Mmap(int(f.Fd()), 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
		if err != nil {
			t.Fatal(err)
		}
		if !faults(b) {
			t.Error("memory that isn't there can be used: this test proves nothing")
		}
		syscall.Munmap(b)
		if err := f.Truncate(0); err != nil {
			t.Fatal(err)
		}
		if err := f.Truncate(size); err != nil {
			t.Fatal(err)
		}
		if err := allocate(int(f.Fd()), size, true); !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "1048576 bytes") {
			t.Errorf("where there isn't enough: %v", err)
		}
		if err := f.Truncate(32 << 10); err != nil {
			t.Fatal(err)
		}
		if err := allocate(int(f.Fd()), 32<<10, true); err != nil {
			t.Errorf("where there is enough: %v", err)
		}
		return
	}
	cmd := child.Self(t, "-test.run=^TestFullMemory$", "-test.v")
	cmd.Env = append(os.Environ(), "RING_FULL="+t.TempDir())
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWNS | syscall.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	out, err := cmd.CombinedOutput()
	if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EINVAL) {
		t.Skipf("a process can't have file systems of its own here: %v", err)
	}
	if err != nil || !strings.Contains(string(out), "--- PASS") {
		t.Errorf("%v\n%s", err, out)
	}
}

// faults says whether using the memory ends in SIGBUS.
func faults(b []byte) (did bool) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() { did = recover() != nil }()
	for i := 0; i < len(b); i += 4096 {
		b[i] = 1
	}
	return false
}

// A child that a peer has forked, and that has closed the socket, doesn't hide the peer's end.
func TestForkedPeer(t *testing.T) {
	cmd := peer(t, "forks", 0)
	childLives, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	sock, cmd, said := launch(t, cmd)
	c := serveLaunched(t, sock, cmd, said, Options{})
	if rec, err := c.Reader().Next(forever); err != nil || string(rec) != "whole" {
		t.Errorf("%q, %v", rec, err)
	}
	if rec, err := c.Reader().Next(forever); err != ErrGone {
		t.Errorf("%q, %v", rec, err)
	}
	childLives.Close()
	cmd.Wait()
	if t.Failed() {
		t.Log(said)
	}
}

// A peer that was killed comes back in another version, and then in the right one. Each gets
// its own answer, and its own memory.
func TestRestart(t *testing.T) {
	c, cmd, said := startPeer(t, "dies-writing", 0, Options{})
	for {
		if _, err := c.Reader().Next(forever); err == ErrGone {
			break
		} else if err != nil {
			t.Fatalf("%v\n%s", err, said)
		}
	}
	cmd.Wait()
	c.Close()
	for _, other := range []func(*hello){func(h *hello) { h.version++ }, func(h *hello) { h.layout++ }} {
		a, b := sockets(t)
		h := Options{}.hello()
		other(&h)
		b.Write(h.bytes())
		if _, err := Serve(forever, a, Options{}); !errors.Is(err, ErrMismatch) {
			t.Error(err)
		}
		if answer, err := receive(b); err != nil || answer.status == accepted {
			t.Errorf("it was told %v, %v", answer.status, err)
		}
		b.Close()
	}
	c, cmd, said = startPeer(t, "echo", 0, Options{})
	if err := c.Writer().Send(forever, []byte("again")); err != nil {
		t.Fatal(err)
	}
	if rec, err := c.Reader().Next(forever); err != nil || string(rec) != "again" {
		t.Errorf("%q, %v\n%s", rec, err, said)
	}
	c.Writer().Close()
	if _, err := c.Reader().Next(forever); err != io.EOF {
		t.Error(err)
	}
	ended(t, cmd, said)
}

// Where no more descriptors can be open the server says so, in either language, and closes
// those that it had.
func TestServerHasTooManyOpen(t *testing.T) {
	t.Run("go", func(t *testing.T) {
		a, b := sockets(t)
		defer b.Close()
		b.Write(Options{}.hello().bytes())
		free, err := eventfd()
		if err != nil {
			t.Fatal(err)
		}
		syscall.Close(free)
		var limit syscall.Rlimit
		if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
			t.Fatal(err)
		}
		before := descriptors(t)
		few := limit
		few.Cur = uint64(free) + 2
		if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &few); err != nil {
			t.Fatal(err)
		}
		_, err = Serve(forever, a, Options{})
		if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
			t.Fatal(err)
		}
		if !errors.Is(err, syscall.EMFILE) {
			t.Error(err)
		}
		if n := descriptors(t); n > before {
			t.Errorf("%d descriptors are left", n-before)
		}
	})
	t.Run("c", func(t *testing.T) {
		sock, cmd, said := launchPeer(t, "echo", 0, "serve", "few")
		defer sock.Close()
		sock.Write(Options{}.hello().bytes())
		refused(t, cmd, said, "eventfd failed: Too many open files")
	})
	t.Run("c connects", func(t *testing.T) {
		sock, cmd, said := launchPeer(t, "echo", 0, "few")
		if _, err := Serve(forever, sock, Options{}); err == nil {
			t.Error("it was served")
		}
		refused(t, cmd, said, "the peer's descriptors can't be taken: Too many open files")
	})
}

// What a server hands over is checked in C as it is in Go.
func TestCRefusesMemory(t *testing.T) {
	const capacity = 4096
	size := int64(2 * stride(capacity))
	file := func(size int64) int {
		f, err := os.Create(filepath.Join(t.TempDir(), "rings"))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if err := f.Truncate(size); err != nil {
			t.Fatal(err)
		}
		fd, err := syscall.Dup(int(f.Fd()))
		if err != nil {
			t.Fatal(err)
		}
		return fd
	}
	sealedFile := func(size int64) int {
		fd, err := memfd(size)
		if err != nil {
			t.Fatal(err)
		}
		return fd
	}
	for _, c := range []struct {
		name     string
		fd       int
		capacity uint64
		features uint64
		count    int
		want     string
	}{
		{"a file", file(size), capacity, 0, fdCount, "sealed"},
		{"too small", sealedFile(4096), capacity, 0, fdCount, "wrong size"},
		{"no power of two", sealedFile(size), 4095, 0, fdCount, "power of two"},
		{"huge", sealedFile(size), 1 << 63, 0, fdCount, "power of two"},
		{"descriptors missing", sealedFile(size), capacity, 0, 2, "number of descriptors"},
		{"descriptors beyond", sealedFile(size), capacity, socketBells, 2, "number of descriptors"},
	} {
		t.Run(c.name, func(t *testing.T) {
			sock, cmd, said := launchPeer(t, "echo", 0)
			defer sock.Close()
			h := Options{}.hello()
			h.capacity, h.features = c.capacity, c.features
			fds := []int{c.fd}
			for len(fds) < c.count {
				fd, err := eventfd()
				if err != nil {
					t.Fatal(err)
				}
				fds = append(fds, fd)
			}
			_, _, err := sock.WriteMsgUnix(h.bytes(), syscall.UnixRights(fds...), nil)
			closeAll(fds)
			if err != nil {
				t.Fatal(err)
			}
			refused(t, cmd, said, c.want)
			if _, err := receive(sock); err != nil {
				t.Error(err)
			}
			if answer, err := receive(sock); err != nil || answer.status != badMemory {
				t.Errorf("it was told %v, %v", answer.status, err)
			}
		})
	}
}

// Two connectors at once, each with a socket of its own, and both on one socket: there the
// second one's greeting is taken for the first one's answer, or the descriptors are the
// first's, but nobody waits for ever and nobody gets the other's ring.
func TestTwoConnectors(t *testing.T) {
	for range 20 {
		before := descriptors(t)
		a, b := sockets(t)
		f, err := b.File()
		if err != nil {
			t.Fatal(err)
		}
		b2 := unixConn(t, int(f.Fd()))
		f.Close()
		ctx, cancel := context.WithCancel(forever)
		type result struct {
			c   *Conn
			err error
		}
		ends := make(chan result, 3)
		go func() { c, err := Serve(ctx, a, Options{}); ends <- result{c, err} }()
		for _, sock := range []*net.UnixConn{b, b2} {
			go func() { c, err := Connect(ctx, sock, Options{}); ends <- result{c, err} }()
		}
		connected := 0
		var conns []*Conn
		for range 3 {
			r := <-ends
			if r.c != nil {
				conns = append(conns, r.c)
				connected++
			}
			if connected >= 2 || r.err != nil {
				cancel() // the third waits for what nobody sends
			}
		}
		cancel()
		for _, c := range conns {
			c.Close()
			c.Writer().Close()
			c.Reader().Close()
		}
		if n := descriptors(t); n > before {
			t.Fatalf("%d descriptors are left", n-before)
		}
	}
}
