package launch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/seamgo/seam/cmd/seam/internal/gotool"
	"github.com/seamgo/seam/cmd/seam/internal/stack/overlay"
)

// Exec runs a program to its end. words is its command line, of which the first
// launcher words start what runs it ("qemu-aarch64", "sudo"): the program's file comes
// after them. Signals that this process gets are passed on, and the program is waited for however
// long it takes to answer them; when ctx ends otherwise it gets an interrupt.
//
// The error is one of starting it; how the program itself ended is in what is returned.
func (s *Session) Exec(ctx context.Context, streams gotool.Streams, words []string, launcher int) (*Program, error) {
	if launcher < 0 || launcher >= len(words) {
		return nil, fmt.Errorf("%d words of the command line %q start the program, which leaves none for it", launcher, words)
	}
	p := &Program{Name: words[launcher]}
	kept, err := s.keep(p.Name)
	if err != nil {
		return nil, fmt.Errorf("%s can't be kept to name its functions: %w", p.Name, err)
	}
	p.Binary = kept
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = streams.Stdin, streams.Stdout, streams.Stderr
	cmd.Env = s.environment(os.Environ(), overlay.LogVariable)
	cmd.Cancel = func() error {
		if slices.Contains(relayed, gotool.SignalOf(ctx)) {
			return nil // relay has sent it
		}
		return cmd.Process.Signal(os.Interrupt)
	}
	// If this process is killed, as go test does when a time limit has passed, the
	// program must not stay. The kernel means the thread that started it.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, append(relayed, os.Interrupt)...)
	defer signal.Stop(signals)
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	ended := make(chan struct{})
	defer close(ended)
	go relay(cmd.Process, signals, ended)
	p.PID = cmd.Process.Pid
	noted := s.note(p) // even if this process is killed, its functions have names
	err = cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && ctx.Err() == nil {
		return nil, err
	}
	state := cmd.ProcessState
	p.CPU = int64(state.UserTime() + state.SystemTime())
	p.Code = state.ExitCode()
	p.Ended = fmt.Sprintf("exit code %d", p.Code)
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		p.signalled = true
		p.Code = 128 + int(status.Signal())
		p.Ended = "signal: " + status.Signal().String()
		if status.CoreDump() {
			p.Ended += " (core dumped)"
		}
	}
	return p, errors.Join(noted, s.note(p))
}

// relayed are the signals that are meant for the program: go test asks with SIGQUIT
// for the goroutines of a test that takes too long.
var relayed = []os.Signal{syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGCONT}

// relay passes signals on. An interrupt goes to all processes of a terminal: the program
// has it already, and this process must not end before it.
func relay(to *os.Process, signals <-chan os.Signal, ended <-chan struct{}) {
	for {
		select {
		case sig := <-signals:
			if sig != os.Interrupt {
				_ = to.Signal(sig) // it may be gone
			}
		case <-ended:
			return
		}
	}
}

// makePipe makes a named pipe.
func makePipe(name string) error {
	if err := unix.Mkfifo(name, 0o600); err != nil {
		return fmt.Errorf("cannot make the pipe %s: %w", name, err)
	}
	return nil
}

// EndAlike ends this process by the signal that ended the program, if one did: who
// started it should see the same.
func (p *Program) EndAlike() {
	if p.Code <= 128 || !p.signalled {
		return
	}
	number := syscall.Signal(p.Code - 128)
	// The program has left a core file, if one is wanted.
	_ = unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{})
	signal.Reset(number)
	if unix.Kill(os.Getpid(), number) == nil {
		time.Sleep(time.Second) // it arrives at any thread
	}
}
