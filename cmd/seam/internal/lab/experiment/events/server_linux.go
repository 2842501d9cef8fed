//go:build linux && cgo

package events

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"time"

	"golang.org/x/sys/unix"

	"github.com/seamgo/seam/cmd/seam/internal/lab/subprocess"
)

func init() { subprocess.Hook("events", serve) }

// An order is the kind of server that a process is. What follows are commands.
type order struct {
	Via string
}

// A port is where the server listens, or why it doesn't.
type port struct {
	Port  int
	Wrong string
}

// A command is what the server is to note.
type command int

const (
	begin   command = iota // a stretch begins
	profile                // a stretch begins, with the mutex profile on
	end                    // it has ended: answer with a stretch
)

// A stretch is what the server took from begin to end.
type stretch struct {
	Usage       subprocess.Usage
	Contentions int64
	Took        time.Duration
}

// serve runs one server until the parent ends the process.
func serve(p *subprocess.Pipe) error {
	var o order
	if err := p.Receive(&o); err != nil {
		return err
	}
	listener, number, err := listen()
	failed := make(chan error, 1)
	if err == nil {
		err = start(o.Via, listener, failed)
	}
	at := port{Port: number}
	if err != nil {
		at.Wrong = err.Error()
	}
	if err := p.Send(at); err != nil {
		return err
	}
	go func() {
		fmt.Fprintln(os.Stderr, <-failed)
		os.Exit(1)
	}()
	var from time.Time
	var before subprocess.Usage
	var contentions int64
	for {
		var c command
		if err := p.Receive(&c); err != nil {
			return err
		}
		if c != end {
			runtime.SetMutexProfileFraction(int(c)) // 1: every contention, 0: none
			contentions = countContentions()
			if before, err = subprocess.ReadUsage(); err != nil {
				return err
			}
			from = time.Now()
			if err := p.Send(struct{}{}); err != nil {
				return err
			}
			continue
		}
		s := stretch{Took: time.Since(from)}
		after, err := subprocess.ReadUsage()
		if err != nil {
			return err
		}
		s.Usage, s.Contentions = after.Since(before), countContentions()-contentions
		if err := p.Send(s); err != nil {
			return err
		}
	}
}

// countContentions is how often something waited for a lock of Go while the
// profile was on.
func countContentions() int64 {
	records := make([]runtime.BlockProfileRecord, 64)
	for {
		n, ok := runtime.MutexProfile(records)
		if !ok {
			records = make([]runtime.BlockProfileRecord, 2*n)
			continue
		}
		sum := int64(0)
		for _, r := range records[:n] {
			sum += r.Count
		}
		return sum
	}
}

// listen returns a socket that listens on a free port of the loopback device.
func listen() (fd, number int, err error) {
	fd, err = unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return -1, 0, os.NewSyscallError("socket", err)
	}
	// What is accepted inherits it.
	if err := unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1); err != nil {
		return -1, 0, os.NewSyscallError("setsockopt", err)
	}
	if err := unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		return -1, 0, os.NewSyscallError("bind", err)
	}
	if err := unix.Listen(fd, 4096); err != nil {
		return -1, 0, os.NewSyscallError("listen", err)
	}
	address, err := unix.Getsockname(fd)
	if err != nil {
		return -1, 0, os.NewSyscallError("getsockname", err)
	}
	in, ok := address.(*unix.SockaddrInet4)
	if !ok {
		return -1, 0, errors.New("the address of the listening socket is of another kind")
	}
	return fd, in.Port, nil
}
