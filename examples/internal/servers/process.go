//go:build unix

package servers

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"
)

// A process is a server's program. All servers say on their output when they are
// ready, so nobody has to ask again and again.
type process struct {
	cmd   *exec.Cmd
	up    chan struct{} // closed when it has said that it is ready
	ended chan struct{} // closed when it is gone and its output is read
	err   error         // of Wait; read it after ended

	mu    sync.Mutex
	lines []string // the last ones of its output
}

// tail is how many lines of output an error shows.
const tail = 20

// run starts the program of cmd. The kernel sends it dying when this process
// ends, but counts the end of the thread that started it: the goroutine keeps its
// thread until the program is gone.
func run(cmd *exec.Cmd, dying syscall.Signal) (*process, error) {
	p := &process{cmd: cmd, up: make(chan struct{}), ended: make(chan struct{})}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	cmd.Stdout, cmd.Stderr = w, w
	EndWithUs(cmd, dying)
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		w.Close()
		started <- err
		if err != nil {
			r.Close()
			return
		}
		read := make(chan struct{})
		go func() {
			defer close(read)
			p.read(r)
		}()
		p.err = cmd.Wait()
		// A server's own children may hold the pipe a little longer.
		r.SetReadDeadline(time.Now().Add(time.Second))
		<-read
		r.Close()
		close(p.ended)
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	return p, nil
}

// read keeps the end of the output and notices that the server is ready.
func (p *process) read(r io.Reader) {
	ready := false
	for s := bufio.NewScanner(r); s.Scan(); {
		line := s.Text()
		p.mu.Lock()
		if len(p.lines) == tail {
			p.lines = p.lines[1:]
		}
		p.lines = append(p.lines, line)
		p.mu.Unlock()
		if !ready && saysReady(line) {
			ready = true
			close(p.up)
		}
	}
	io.Copy(io.Discard, r) // a line that is too long
}

// saysReady reports whether a line of output says that the server is ready.
func saysReady(line string) bool {
	line = strings.ToLower(line)
	return strings.Contains(line, "ready to accept connections") || // Redis, PostgreSQL
		strings.Contains(line, "serving client traffic") // etcd
}

// ready waits until the server can be used. If that fails it ends the server.
func (p *process) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("not ready after %v", patience))
	defer cancel()
	select {
	case <-p.up:
		return nil
	case <-p.ended:
		out := p.output()
		if strings.Contains(strings.ToLower(out), "address already in use") {
			return fmt.Errorf("%s: %w", p.cmd.Path, errPortTaken)
		}
		return fmt.Errorf("%s ended before it was ready: %v\n%s", p.cmd.Path, p.err, out)
	case <-ctx.Done():
		p.end(syscall.SIGKILL)
		return fmt.Errorf("%s: %w\n%s", p.cmd.Path, context.Cause(ctx), p.output())
	}
}

// end sends the signal and waits until the process is gone, if need be by
// SIGKILL.
func (p *process) end(signal syscall.Signal) {
	p.cmd.Process.Signal(signal)
	late := time.AfterFunc(patience, func() { p.cmd.Process.Kill() })
	<-p.ended
	late.Stop()
}

func (p *process) output() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return "\t" + strings.Join(p.lines, "\n\t")
}
