//go:build unix

package cli

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// program is the program in a process of its own.
func program(args string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), programEnv+"="+args, "GORACE=atexit_sleep_ms=0")
	return cmd
}

// ended returns the exit code of a process, -1 where a signal ended it.
func ended(t *testing.T, err error) int {
	t.Helper()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return exit.ExitCode()
	}
	t.Fatal(err)
	return 0
}

// A reader of standard output that has gone must not cost the files.
func TestBrokenPipe(t *testing.T) {
	for _, also := range []string{"", " --benchfmt -"} {
		t.Chdir(t.TempDir())
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		r.Close()
		var errout bytes.Buffer
		cmd := program("lab --quick call --json p.json --html p.html" + also)
		cmd.Stdout, cmd.Stderr = w, &errout
		err = cmd.Run()
		w.Close()
		if code := ended(t, err); code != exitReaderGone || strings.Contains(errout.String(), "pipe") {
			t.Errorf("exit code %d (-1 is a signal), want %d; said %q", code, exitReaderGone, errout.String())
		}
		for _, file := range []string{"p.json", "p.html"} {
			if info, err := os.Stat(file); err != nil || info.Size() == 0 {
				t.Errorf("%s was not written: %v", file, err)
			}
		}
	}
}

// Every signal that asks the program to end lets it report what it has.
func TestFirstSignal(t *testing.T) {
	// Under nohup SIGHUP is ignored, by the processes that are started too. One that
	// is caught here has its default there.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	defer signal.Reset(syscall.SIGHUP)
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		begun := filepath.Join(t.TempDir(), "begun")
		var out, errout bytes.Buffer
		cmd := program("lab --quick slow")
		cmd.Env = append(cmd.Env, begunEnv+"="+begun)
		cmd.Stdout, cmd.Stderr = &out, &errout
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		untilThere(begun)
		if err := cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		code := ended(t, cmd.Wait())
		if code != exitInterrupted || !strings.Contains(errout.String(), "seam: stopping; Ctrl-C again loses the results") {
			t.Errorf("%v: exit code %d (-1 is a signal), want %d; said %q", sig, code, exitInterrupted, errout.String())
		}
		if !strings.Contains(out.String(), "slow") || !strings.Contains(out.String(), "not measured: interrupted") {
			t.Errorf("%v: no table of what was finished: %q", sig, out.String())
		}
	}
}

// told passes on what is written and closes a channel at the first of it.
type told struct {
	to    io.Writer
	once  *sync.Once
	first chan struct{}
}

func (w told) Write(b []byte) (int, error) {
	n, err := w.to.Write(b)
	w.once.Do(func() { close(w.first) })
	return n, err
}

// A named pipe that nobody reads must not swallow Ctrl-C, nor cost the table.
func TestPipeWithoutReader(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := unix.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	var out, errout bytes.Buffer
	waits := make(chan struct{})
	cmd := program("lab --quick call --html " + path)
	cmd.Stdout, cmd.Stderr = &out, told{&errout, new(sync.Once), waits}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	<-waits
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	code := ended(t, cmd.Wait())
	if code != exitFailed || !strings.Contains(errout.String(), "waiting for a reader of "+path) || !strings.Contains(errout.String(), "nobody reads") {
		t.Errorf("exit code %d, said %q", code, errout.String())
	}
	if !strings.Contains(out.String(), "call under test") {
		t.Errorf("no table: %q", out.String())
	}
}
