package trial

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// A process is what became of one.
type process struct {
	stdout      []byte   // when it has ended
	said        []string // lines on standard error that seam's run-time wrote
	wall, cpu   time.Duration
	threads, kB float64 // at most; 0 if they are not known
}

// A Failure is a process that ended badly.
type Failure struct {
	Side   Side
	Line   []string
	Output string // its last lines
	Err    error
}

func (f *Failure) Error() string {
	said := ""
	for line := range strings.Lines(f.Output) {
		said += "\n\t" + strings.TrimRight(line, "\n")
	}
	return fmt.Sprintf("the program (%s) failed: %s: %v%s", f.Side, strings.Join(f.Line, " "), f.Err, said)
}

func (f *Failure) Unwrap() error { return f.Err }

// keep is how much of an output is kept of a program that may print without end.
const keep = 64 << 10

// lookEvery is how often a process is looked at while it runs. Threads hardly ever end in a
// Go program, and the kernel remembers the most memory, so that little is missed.
const lookEvery = 20 * time.Millisecond

// started is a process that runs.
type started struct {
	*process
	cmd            *exec.Cmd
	side           Side
	line           []string
	stdout, stderr tail
	begin          time.Time
	ended, looked  chan struct{}
}

// launch starts a process. all says that all its output is wanted.
func launch(ctx context.Context, side Side, dir string, line []string, all bool) (*started, error) {
	s := &started{process: &process{}, side: side, line: line, ended: make(chan struct{}), looked: make(chan struct{})}
	s.cmd = exec.CommandContext(ctx, line[0], line[1:]...)
	s.cmd.Dir = dir
	s.cmd.Cancel = func() error { return s.cmd.Process.Signal(os.Interrupt) }
	s.cmd.WaitDelay = 5 * time.Second
	s.stdout.all = all
	s.cmd.Stdout, s.cmd.Stderr = &s.stdout, &s.stderr
	s.begin = time.Now()
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		defer close(s.looked)
		for {
			select {
			case <-s.ended:
				return
			case <-time.After(lookEvery):
				s.look(s.cmd.Process.Pid)
			}
		}
	}()
	return s, nil
}

// wait waits for the end.
func (s *started) wait(ctx context.Context) (*process, error) {
	err := s.cmd.Wait()
	s.wall = time.Since(s.begin)
	close(s.ended)
	<-s.looked
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil && !errors.Is(err, exec.ErrWaitDelay):
		return nil, s.failed(err)
	}
	s.cpu = s.cmd.ProcessState.UserTime() + s.cmd.ProcessState.SystemTime()
	s.process.stdout = s.stdout.text
	for text := range strings.Lines(string(s.stderr.text)) {
		if strings.HasPrefix(text, "seam: ") {
			s.said = append(s.said, strings.TrimSpace(text))
		}
	}
	return s.process, nil
}

func (s *started) failed(err error) *Failure {
	return &Failure{s.side, s.line, lastLines(append(s.stdout.text, s.stderr.text...)), err}
}

// start runs a process to its end.
func start(ctx context.Context, side Side, dir string, line []string, all bool) (*process, error) {
	s, err := launch(ctx, side, dir, line, all)
	if err != nil {
		return nil, err
	}
	return s.wait(ctx)
}

// look reads what the kernel tells of a process. Once it has ended, or on another system,
// there is nothing to read.
func (p *process) look(pid int) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return
	}
	for line := range bytes.Lines(text) {
		key, rest, _ := strings.Cut(string(line), ":")
		number, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
		v, err := strconv.ParseFloat(number, 64)
		switch {
		case err != nil:
		case key == "Threads":
			p.threads = max(p.threads, v)
		case key == "VmHWM":
			p.kB = max(p.kB, v)
		}
	}
}

// A tail keeps the end of what is written to it, or all.
type tail struct {
	text []byte
	all  bool
}

func (t *tail) Write(b []byte) (int, error) {
	t.text = append(t.text, b...)
	if !t.all && len(t.text) > 2*keep {
		t.text = append(t.text[:0], t.text[len(t.text)-keep:]...)
	}
	return len(b), nil
}

// lastLines is the end of an output, for people.
func lastLines(text []byte) string {
	const most = 20
	lines := strings.Split(strings.TrimRight(string(text), "\n"), "\n")
	return strings.Join(lines[max(0, len(lines)-most):], "\n")
}
