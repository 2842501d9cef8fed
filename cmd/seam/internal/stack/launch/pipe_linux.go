package launch

import (
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// A Pipe is the reading end of a log.
type Pipe struct {
	fd       int
	finished atomic.Bool
	until    atomic.Int64 // when reading ends at the latest, once finished
}

const (
	// pipeSize is what an ordinary user may have at most, by default. With much room
	// the program rarely waits for us.
	pipeSize = 1 << 20
	// nap is how long the reader waits for more. It doesn't sleep in the kernel until
	// something comes: each of the program's writes would have to wake it.
	nap = time.Millisecond
	// linger is for processes that go on writing after the run has ended.
	linger = 2 * time.Second
)

// OpenPipe opens a named pipe for reading. It has an open writing end too, so that the
// log doesn't end when one of its programs does.
func OpenPipe(name string) (*Pipe, error) {
	fd, err := unix.Open(name, unix.O_RDWR|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("cannot open the pipe %s: %w", name, err)
	}
	// With less room it is only slower.
	_, _ = unix.FcntlInt(uintptr(fd), unix.F_SETPIPE_SZ, pipeSize)
	return &Pipe{fd: fd}, nil
}

// Read waits until something has been written or, after Finish, nothing more is there.
func (p *Pipe) Read(b []byte) (int, error) {
	for {
		finished := p.finished.Load() // before the read: what is written until then must be seen
		n, err := unix.Read(p.fd, b)
		switch {
		case n > 0:
			if finished && time.Now().UnixNano() > p.until.Load() {
				return n, io.EOF
			}
			return n, nil
		case err == nil:
			return 0, io.EOF // can't be: we hold a writing end
		case errors.Is(err, unix.EINTR):
		case !errors.Is(err, unix.EAGAIN):
			return 0, fmt.Errorf("cannot read the log: %w", err)
		case finished:
			return 0, io.EOF
		default:
			time.Sleep(nap)
		}
	}
}

// Finish says that all programs have ended: what is in the pipe is all there is.
func (p *Pipe) Finish() {
	p.until.Store(time.Now().Add(linger).UnixNano())
	p.finished.Store(true)
}

// Close closes the pipe. A program that still writes to it stops doing so.
func (p *Pipe) Close() error { return unix.Close(p.fd) }
