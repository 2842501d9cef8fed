package ring

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

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

// What was made of a record outlives it, as far as the ring has room.
func TestPythonArrays(t *testing.T) {
	for _, role := range []string{"arrays", "hoards"} {
		t.Run(role, func(t *testing.T) {
			c, cmd, said := startPython(t, role, Options{Capacity: 4096})
			for i := range 1000 {
				if err := c.Writer().Send(forever, bytes.Repeat(binary.LittleEndian.AppendUint32(nil, uint32(i)), 25)); err != nil {
					t.Fatal(err, said)
				}
			}
			c.Writer().Close()
			if rec, err := c.Reader().Next(forever); string(rec) != "all" {
				t.Errorf("%q, %v\n%s", rec, err, said)
			}
			ended(t, cmd, said)
		})
	}
}

// The records of a Python program end where it said so, and nowhere else.
func TestPythonEnds(t *testing.T) {
	for _, c := range []struct {
		how  string
		want int // records
		end  error
	}{
		{"close", 3, io.EOF}, {"end", 3, io.EOF}, {"with", 3, io.EOF},
		{"abort", 2, ErrGone}, {"drop", 2, ErrGone}, {"raise", 2, ErrGone}, {"raise_view", 2, ErrGone}, {"raise_reserved", 2, ErrGone},
		{"exit", 2, ErrGone}, {"interrupt", 2, ErrGone}, {"async", 2, ErrGone},
	} {
		for name, o := range waysToWake {
			t.Run(c.how+"/"+name, func(t *testing.T) {
				cmd := pythonPeer(t, "ends/"+c.how)
				end := alive(t, cmd)
				sock, cmd, said := launch(t, cmd)
				conn := serveLaunched(t, sock, cmd, said, o)
				conn.Writer().Send(forever, []byte("for you"))
				if got, err := records(t, conn.Reader()); len(got) != c.want || err != c.end {
					t.Errorf("%q, then %v; want %d, then %v\n%s", got, err, c.want, c.end, said)
				}
				end()
				ended(t, cmd, said)
			})
		}
	}
}

// A forked child ends nothing of its parent's.
func TestPythonForks(t *testing.T) {
	for how, want := range map[string]int{"parent": 1, "adopted": 2, "daemon": 2} {
		t.Run(how, func(t *testing.T) {
			c, cmd, said := startPython(t, "forks/"+how, Options{})
			if rec, err := c.Reader().Next(forever); string(rec) != "one" {
				t.Fatalf("%q, %v\n%s", rec, err, said)
			}
			c.Writer().Send(forever, []byte("for the reading thread"))
			if got, err := records(t, c.Reader()); len(got) != want-1 || err != io.EOF {
				t.Errorf("%q, %v\n%s", got, err, said)
			}
			ended(t, cmd, said)
		})
	}
}

// Threads, signals and tasks end each other's waits.
func TestPythonClosedElsewhere(t *testing.T) {
	for _, role := range []string{"threads/close", "threads/abort", "closed_by_signal", "closed_in_loop"} {
		for name, o := range waysToWake {
			t.Run(role+"/"+name, func(t *testing.T) {
				_, cmd, said := startPython(t, role, o)
				ended(t, cmd, said)
			})
		}
	}
	t.Run("set-up", func(t *testing.T) {
		sock, cmd, said := launchPython(t, "interrupted")
		defer sock.Close()
		ended(t, cmd, said)
	})
}

// A reading and a writing thread, and a thread beside a loop.
func TestPythonThreads(t *testing.T) {
	for _, role := range []string{"duplex", "beside_thread"} {
		for name, o := range waysToWake {
			t.Run(role+"/"+name, func(t *testing.T) {
				o.Capacity = 1024
				c, cmd, said := startPython(t, role, o)
				for {
					rec, err := c.Reader().Next(forever)
					if err == nil {
						err = c.Writer().Send(forever, rec)
					}
					if err == io.EOF {
						break
					} else if err != nil {
						t.Fatal(err, said)
					}
				}
				c.Writer().Close()
				ended(t, cmd, said)
			})
		}
	}
}

// A task that always has something to do lets others run.
func TestPythonSharesLoop(t *testing.T) {
	c, cmd, said := startPython(t, "shares_loop", Options{Capacity: 1 << 20})
	if rec, err := c.Reader().Next(forever); err != nil {
		t.Fatalf("%q, %v\n%s", rec, err, said)
	}
	c.Writer().Append(forever, []byte("full"))
	for range 20000 {
		if err := c.Writer().Append(forever, make([]byte, 8)); err != nil {
			t.Fatal(err)
		}
	}
	c.Writer().Close()
	records(t, c.Reader())
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

// Random rounds of each: testdata/torture.py says what must hold.
func TestStressPython(t *testing.T) {
	for _, mode := range []string{"forks", "threads", "loops", "exceptions"} {
		t.Run(mode, func(t *testing.T) {
			cmd := pythonPeer(t, "")
			seed := time.Now().UnixNano() % 1e9
			cmd.Args = append(cmd.Args[:len(cmd.Args)-2], filepath.Join("testdata", "torture.py"), mode, strconv.Itoa(stress(t, 40, 10000)), strconv.FormatInt(seed, 10))
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// A source distribution has all that it takes, wherever it is unpacked.
func TestPythonSourceDistribution(t *testing.T) {
	testenv.OtherProgram(t)
	if len(child.Emulator()) > 0 {
		t.Skip("there is no Python for the emulator")
	}
	python := testenv.Tool(t, "python3")
	if out, err := exec.Command(python, "-c", "import setuptools").CombinedOutput(); err != nil {
		testenv.Missing(t, "python3 has no setuptools: "+string(out))
	}
	dir := t.TempDir()
	run := func(in string, args ...string) {
		t.Helper()
		cmd := child.Program(t, python, args...)
		cmd.Dir = in
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
	// A copy, which setuptools may write to, where the repository would have it.
	for _, part := range []string{"python", "include"} {
		if err := os.CopyFS(filepath.Join(dir, "repository", part), os.DirFS(filepath.Join("..", part))); err != nil {
			t.Fatal(err)
		}
	}
	run(filepath.Join(dir, "repository", "python"), "setup.py", "-q", "sdist", "-d", dir)
	run(dir, "-c", "import glob, tarfile; tarfile.open(glob.glob('*.tar.gz')[0]).extractall('elsewhere')")
	packages, _ := filepath.Glob(filepath.Join(dir, "elsewhere", "*", "setup.py"))
	if len(packages) != 1 {
		t.Fatalf("the sdist has %q", packages)
	}
	if err := os.RemoveAll(filepath.Join(dir, "repository")); err != nil {
		t.Fatal(err)
	}
	run(filepath.Dir(packages[0]), "setup.py", "-q", "build_ext", "--inplace")
	run(filepath.Dir(packages[0]), "-c", "import seam_ring; seam_ring.Conn")
}
