package subprocess

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
)

// nameEnv holds the name under which a process was started by [Start].
const nameEnv = "SEAM_LAB_SUBPROCESS"

// answersFD is where a child writes its answers. Not standard output: C code of
// an experiment may print there.
const answersFD = 3

// A Pipe joins the two processes: values go both ways as JSON.
type Pipe struct {
	in  *json.Decoder
	out *json.Encoder
}

// Send hands v to the other process.
func (p *Pipe) Send(v any) error { return p.out.Encode(v) }

// Receive waits for what the other process sends and stores it in v.
func (p *Pipe) Receive(v any) error { return p.in.Decode(v) }

// Hook does nothing in most processes. In one that [Start] has started under
// this name it runs serve and ends the process; what serve returns is what the
// parent's Receive then fails with. It is for init functions.
func Hook(name string, serve func(*Pipe) error) {
	if os.Getenv(nameEnv) != name {
		return
	}
	os.Unsetenv(nameEnv)
	orders, feed := io.Pipe()
	go func() {
		// The end of standard input comes when the parent ends, however it ends.
		_, _ = io.Copy(feed, os.Stdin)
		os.Exit(1)
	}()
	answers := os.NewFile(answersFD, "answers")
	if _, err := answers.Stat(); err != nil {
		fmt.Fprintf(os.Stderr, "%s is set to %s, but no experiment has started this process: unset it\n", nameEnv, name)
		os.Exit(2)
	}
	// Not here: while a program is being initialised this goroutine is locked to
	// the main thread, and would be measured so.
	go func() {
		if err := serve(&Pipe{json.NewDecoder(orders), json.NewEncoder(answers)}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}()
	select {}
}

// A Child is the other process, seen from the parent.
type Child struct {
	Pipe
	ctx     context.Context
	cmd     *exec.Cmd
	stdin   io.Closer
	answers io.Closer
	wait    func() error
	words   head
}

// Emulator, where it is set, is the program that runs this one. It is for tests
// of another architecture's build: the kernel can't start that by itself.
var Emulator string

// Start starts this program again to serve name. The child is ended by Close,
// by the end of ctx and by the end of this process.
func Start(ctx context.Context, name string) (*Child, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, lab.Skip("can't start a process of its own for this case: %v", err)
	}
	return launch(ctx, append(os.Environ(), nameEnv+"="+name), exe)
}

// StartProgram is Start for another program. It reads what it is sent on
// standard input and answers on descriptor 3, and ends with its input.
func StartProgram(ctx context.Context, exe string, args ...string) (*Child, error) {
	return launch(ctx, nil, exe, args...)
}

func launch(ctx context.Context, env []string, exe string, args ...string) (*Child, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	from, to, err := os.Pipe()
	if err != nil {
		return nil, lab.Skip("can't start a process of its own for this case: %v", err)
	}
	defer to.Close()
	c := &Child{ctx: ctx, answers: from, cmd: exec.CommandContext(ctx, exe, args...)}
	if Emulator != "" {
		c.cmd = exec.CommandContext(ctx, Emulator, append([]string{exe}, args...)...)
	}
	c.cmd.Env = env
	c.cmd.ExtraFiles = []*os.File{to}
	c.cmd.Stdout, c.cmd.Stderr = &c.words, &c.words
	c.cmd.WaitDelay = time.Second // a process that it left behind may hold the pipes
	stdin, err := c.cmd.StdinPipe()
	if err == nil {
		err = c.cmd.Start()
	}
	if err != nil {
		from.Close()
		return nil, lab.Skip("can't start a process of its own for this case: %v", err)
	}
	c.stdin = stdin
	c.wait = sync.OnceValue(c.cmd.Wait)
	c.Pipe = Pipe{json.NewDecoder(from), json.NewEncoder(stdin)}
	return c, nil
}

// ErrDied is in the error of a Send or Receive where the child has died.
var ErrDied = errors.New("the process of this case died")

// Send is that of [Pipe]; where the child has died it tells how.
func (c *Child) Send(v any) error {
	if err := c.Pipe.Send(v); err != nil {
		return c.died(err)
	}
	return nil
}

// Receive is that of [Pipe]; where the child has died it tells how.
func (c *Child) Receive(v any) error {
	if err := c.Pipe.Receive(v); err != nil {
		return c.died(err)
	}
	return nil
}

// Ask sends order and stores what the child answers in answer.
func (c *Child) Ask(order, answer any) error {
	if err := c.Send(order); err != nil {
		return err
	}
	return c.Receive(answer)
}

// died says why nothing goes through the pipe any more.
func (c *Child) died(err error) error {
	if c.ctx.Err() != nil {
		return c.ctx.Err()
	}
	if errors.Is(err, io.EOF) || errors.Is(err, syscall.EPIPE) {
		err = c.wait()
		if err == nil {
			err = errors.New("it ended without an answer")
		}
	}
	if words := c.words.first(); words != "" {
		err = fmt.Errorf("%w: %s", err, words)
	}
	return fmt.Errorf("%w: %w", ErrDied, err)
}

// Close ends the child and returns when it is gone. What it was doing is lost.
func (c *Child) Close() {
	_ = c.cmd.Process.Kill() // an error says that it has ended already
	c.stdin.Close()
	_ = c.wait() // killed: no news
	c.answers.Close()
}

// PID is the number of the process, and of its first thread.
func (c *Child) PID() int { return c.cmd.Process.Pid }

// Words is the first line of what the child has printed.
func (c *Child) Words() string { return c.words.first() }

// A head keeps the beginning of what is written to it.
type head struct {
	mu   sync.Mutex
	text bytes.Buffer
}

const headSize = 4 << 10

func (t *head) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text.Write(p[:min(len(p), max(0, headSize-t.text.Len()))])
	return len(p), nil
}

// first is the first line.
func (t *head) first() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	line, _, _ := strings.Cut(strings.TrimSpace(t.text.String()), "\n")
	return strings.ToValidUTF8(line, "?")
}
