package ring

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/seamgo/seam/internal/child"
	"github.com/seamgo/seam/internal/testenv"
)

var pythonBuilt struct {
	sync.Once
	dir, log string
	err      error
}

// launchPython starts testdata/peer.py in a role, with a socket to it.
func launchPython(t *testing.T, role string) (*net.UnixConn, *exec.Cmd, *bytes.Buffer) {
	t.Helper()
	return launch(t, pythonPeer(t, role))
}

// pythonPeer returns the command that runs testdata/peer.py.
func pythonPeer(t testing.TB, role string) *exec.Cmd {
	t.Helper()
	testenv.OtherProgram(t)
	if len(child.Emulator()) > 0 {
		t.Skip("there is no Python for the emulator")
	}
	python := testenv.Tool(t, "python3")
	testenv.Tool(t, "cc")
	pythonBuilt.Do(func() {
		if pythonBuilt.dir, pythonBuilt.err = os.MkdirTemp("", "ring"); pythonBuilt.err != nil {
			return
		}
		var out []byte
		out, pythonBuilt.err = exec.Command(python, "../python/build.py", pythonBuilt.dir).CombinedOutput()
		pythonBuilt.log = string(out)
	})
	if exit := (*exec.ExitError)(nil); errors.As(pythonBuilt.err, &exit) && exit.ExitCode() == 3 {
		testenv.Missing(t, pythonBuilt.log)
	}
	if pythonBuilt.err != nil {
		t.Fatalf("%v\n%s", pythonBuilt.err, pythonBuilt.log)
	}
	cmd := child.Program(t, python, filepath.Join("testdata", "peer.py"), role)
	cmd.Env = append(os.Environ(), "PYTHONPATH="+pythonBuilt.dir, "PYTHONDONTWRITEBYTECODE=1")
	return cmd
}

func startPython(t *testing.T, role string, o Options) (*Conn, *exec.Cmd, *bytes.Buffer) {
	t.Helper()
	sock, cmd, said := launchPython(t, role)
	return serveLaunched(t, sock, cmd, said, o), cmd, said
}

// ended waits for a process that ends by itself, without an error.
func ended(t *testing.T, cmd *exec.Cmd, said *bytes.Buffer) {
	t.Helper()
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v\n%s", err, said)
	}
}

func TestPythonEcho(t *testing.T) {
	for _, c := range []struct{ role, way string }{
		{"echo", "eventfd"}, {"sleeping", "socket"}, {"in_place", "eventfd"}, {"async_echo", "eventfd"}, {"async_echo", "socket"},
	} {
		t.Run(c.role+"/"+c.way, func(t *testing.T) {
			c, cmd, said := startPython(t, c.role, waysToWake[c.way])
			for i := range 100 {
				if err := c.Writer().Send(forever, bytesOf(i)); err != nil {
					t.Fatal(err)
				}
				if rec, err := c.Reader().Next(forever); err != nil || !bytes.Equal(rec, bytesOf(i)) {
					t.Fatalf("record %d: %d bytes, %v\n%s", i, len(rec), err, said)
				}
			}
			c.Writer().Close()
			if _, err := c.Reader().Next(forever); err != io.EOF {
				t.Errorf("at the end: %v", err)
			}
			ended(t, cmd, said)
		})
	}
}

// Many records under way, more than the rings hold.
func TestPythonBatches(t *testing.T) {
	const n = 5000
	c, cmd, said := startPython(t, "batches", Options{Capacity: 4096})
	sent := make(chan error, 1)
	go func() {
		for i := range n {
			if err := c.Writer().Append(forever, bytesOf(i)); err != nil {
				sent <- err
				return
			}
		}
		sent <- c.Writer().Close()
	}()
	for i := range n {
		if rec, err := c.Reader().Next(forever); err != nil || !bytes.Equal(rec, bytesOf(i)) {
			t.Fatalf("record %d: %d bytes, %v\n%s", i, len(rec), err, said)
		}
	}
	if err := <-sent; err != nil {
		t.Error(err)
	}
	ended(t, cmd, said)
}

// A reading and a writing task of asyncio, both of which have to wait.
func TestPythonBothDirections(t *testing.T) {
	for name, o := range waysToWake {
		t.Run(name, func(t *testing.T) {
			o.Capacity = 1024
			c, cmd, said := startPython(t, "both_directions", o)
			for i := range 200 {
				rec, err := c.Reader().Next(forever)
				if err != nil {
					t.Fatalf("%v\n%s", err, said)
				}
				if err := c.Writer().Send(forever, rec); err != nil {
					t.Fatalf("record %d: %v\n%s", i, err, said)
				}
			}
			ended(t, cmd, said)
		})
	}
}

// What package seam_ring says of views, timeouts and ends: testdata/peer.py has the list.
func TestPythonRules(t *testing.T) {
	c, cmd, said := startPython(t, "rules", Options{Capacity: 4096})
	next := func(want string) {
		t.Helper()
		if rec, err := c.Reader().Next(forever); err != nil || string(rec) != want {
			t.Fatalf("%q, %v, want %q\n%s", rec, err, want, said)
		}
	}
	next("begin")
	for _, rec := range []string{"one", "two", "three"} {
		if err := c.Writer().Append(forever, []byte(rec)); err != nil {
			t.Fatal(err)
		}
	}
	c.Writer().Flush()
	next("four")
	next("go on")
	c.Writer().Send(forever, []byte("gone on"))
	c.Writer().Close()
	ended(t, cmd, said)
}

// A peer that hangs up without a word, and one that doesn't fit.
func TestPythonErrors(t *testing.T) {
	t.Run("gone", func(t *testing.T) {
		c, cmd, said := startPython(t, "gone", Options{})
		c.sock.Close()
		ended(t, cmd, said)
	})
	t.Run("mismatch", func(t *testing.T) {
		sock, cmd, said := launchPython(t, "mismatch")
		if _, err := Serve(forever, sock, Options{Capacity: 128 << 20}); !errors.Is(err, ErrMismatch) {
			t.Error(err)
		}
		ended(t, cmd, said)
	})
}

// What a killed process had published is read, and nothing else.
func TestPythonKilled(t *testing.T) {
	c, cmd, said := startPython(t, "hang", Options{})
	if rec, err := c.Reader().Next(forever); err != nil || string(rec) != "whole" {
		t.Fatalf("%q, %v\n%s", rec, err, said)
	}
	cmd.Process.Kill()
	for {
		rec, err := c.Reader().Next(forever)
		if err == ErrGone {
			break
		}
		// It publishes what it has committed before it sleeps, if it came so far.
		if err != nil || string(rec) != "committed, and not published" {
			t.Fatalf("%q, %v", rec, err)
		}
	}
	cmd.Wait()
}
