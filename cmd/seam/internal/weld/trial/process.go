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
	stdout      []byte
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

// start runs a process to its end. all says that all its output is wanted.
func start(ctx context.Context, side Side, dir string, line []string, all bool) (*process, error) {
	cmd := exec.CommandContext(ctx, line[0], line[1:]...)
	cmd.Dir = dir
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 5 * time.Second
	var stdout, stderr tail
	stdout.all = all
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &process{}
	ended, looked := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(looked)
		for {
			select {
			case <-ended:
				return
			case <-time.After(lookEvery):
				p.look(cmd.Process.Pid)
			}
		}
	}()
	err := cmd.Wait()
	p.wall = time.Since(begin)
	close(ended)
	<-looked
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil && !errors.Is(err, exec.ErrWaitDelay):
		return nil, &Failure{side, line, lastLines(append(stdout.text, stderr.text...)), err}
	}
	p.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	p.stdout = stdout.text
	for text := range strings.Lines(string(stderr.text)) {
		if strings.HasPrefix(text, "seam: ") {
			p.said = append(p.said, strings.TrimSpace(text))
		}
	}
	return p, nil
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
