package lab

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"
)

// Patience with a worker: after it was asked to stop, and for what its pipes
// still hold after it has ended.
const (
	stopGrace = 2 * time.Second
	pipeGrace = time.Second
)

// runWorker starts cmd, gives it order, and calls handle for each event until
// the process has ended. An error tells how it died, with its last words. When
// ctx ends the worker is asked to stop, then killed; when it reports nothing
// for silence, it is killed.
func runWorker(ctx context.Context, cmd *exec.Cmd, order spec, silence time.Duration, handle func(event)) error {
	// The kernel ends the worker when the thread that started it ends.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()

	line, err := json.Marshal(order)
	if err != nil {
		return err
	}
	from, to, err := os.Pipe()
	if err != nil {
		return err
	}
	defer from.Close()
	var words tail
	cmd.Stdout, cmd.Stderr = &words, &words
	cmd.WaitDelay = pipeGrace
	attach(cmd, to)
	stdin, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	to.Close()
	if err != nil {
		return fmt.Errorf("start a worker: %w", err)
	}

	events, read := make(chan event), make(chan error, 1)
	go func() {
		read <- readEvents(from, func(e event) { events <- e })
		close(events)
	}()
	ended := make(chan error, 1)
	go func() {
		// A worker that dies at once can't read its order: how it died says more.
		_, _ = stdin.Write(append(line, '\n'))
		ended <- cmd.Wait()
	}()

	var died error
	asked, patience := ctx.Done(), time.NewTimer(silence)
	current, end := "", ended
	for events != nil {
		select {
		case e, open := <-events:
			if !open {
				events = nil
				break
			}
			if e.Kind == evBegin {
				current = e.Case
			}
			handle(e)
			if ctx.Err() == nil && end != nil {
				patience.Reset(silence)
			}
		case <-asked:
			asked = nil
			_ = stop(cmd.Process)
			patience.Reset(stopGrace)
		case died = <-end:
			end = nil
			// A process that the experiment left behind may hold the pipe open.
			patience.Reset(pipeGrace)
		case <-patience.C:
			if end == nil {
				from.Close()
				break
			}
			_ = kill(cmd.Process)
			if ctx.Err() == nil {
				words.note(fmt.Sprintf("killed because it reported nothing for %v", silence))
			}
		}
	}
	bad := <-read
	if errors.Is(bad, os.ErrClosed) {
		bad = nil
	}
	if end != nil {
		// It closed its pipe, or sent something invalid and nobody reads on.
		select {
		case died = <-end:
		case <-time.After(stopGrace):
			_ = kill(cmd.Process)
			if died = <-end; bad != nil {
				died = nil // the cause is what it sent
			}
		}
	}
	if died == nil && bad == nil {
		return nil
	}
	_ = kill(cmd.Process) // what it started and left behind
	if died == nil {
		return fmt.Errorf("the worker sent an invalid %w", bad)
	}
	return &death{cause: died, during: current, words: words.String()}
}

// A death is the end of a worker that should have lived.
type death struct {
	cause  error  // "signal: segmentation fault", "exit status 2"
	during string // name of the case that was measured, "" before the first
	words  string // the end of what it printed
}

func (d *death) Error() string {
	s := "the worker died"
	if d.during != "" {
		s += " while it measured " + d.during + " and its group"
	}
	s += ": " + d.cause.Error()
	if d.words != "" {
		s += "; it printed:\n\t" + strings.ReplaceAll(d.words, "\n", "\n\t")
	}
	return s
}

func (d *death) Unwrap() error { return d.cause }

// brief is the death in one line.
func (d *death) brief() string {
	s := d.cause.Error()
	if first, _, _ := strings.Cut(d.words, "\n"); first != "" {
		s += " (" + first + ")"
	}
	return s
}

// A tail keeps the beginning and the end of what is written to it: the message
// of a crash is on top, and what was printed before it may be long.
type tail struct {
	mu      sync.Mutex
	head    []byte
	rest    []byte
	dropped bool
}

const (
	headSize = 1 << 10
	restSize = 2 << 10
)

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := len(p)
	k := min(n, headSize-len(t.head))
	t.head = append(t.head, p[:k]...)
	t.rest = append(t.rest, p[k:]...)
	if over := len(t.rest) - restSize; over > 0 {
		t.rest, t.dropped = append(t.rest[:0], t.rest[over:]...), true
	}
	return n, nil
}

// note puts a line of our own in front.
func (t *tail) note(s string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.head = append([]byte(s+"\n"), t.head...)
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var b bytes.Buffer
	b.Write(t.head)
	if t.dropped {
		b.WriteString("\n[…]\n")
	}
	b.Write(t.rest)
	return strings.ToValidUTF8(strings.TrimSpace(b.String()), "?")
}
