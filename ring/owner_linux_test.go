package ring

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seamgo/seam/internal/child"
	"github.com/seamgo/seam/internal/testenv"
)

var ownerBuilt struct {
	sync.Once
	dir, log string
	err      error
}

// owner returns the command that runs testdata/owner.cc.
func owner(t testing.TB, role string, args ...string) *exec.Cmd {
	t.Helper()
	testenv.OtherProgram(t)
	if len(child.Emulator()) > 0 {
		t.Skip("there may be no C++ compiler for the emulator's architecture; TestForkedPeer has the forks in C")
	}
	cxx := testenv.Tool(t, "g++")
	ownerBuilt.Do(func() {
		if ownerBuilt.dir, ownerBuilt.err = os.MkdirTemp("", "ring"); ownerBuilt.err != nil {
			return
		}
		var out []byte
		out, ownerBuilt.err = exec.Command(cxx, "-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror", "-pthread", "-I../include",
			"-o", filepath.Join(ownerBuilt.dir, "owner"), "testdata/owner.cc").CombinedOutput()
		ownerBuilt.log = string(out)
	})
	if ownerBuilt.err != nil {
		t.Fatalf("%v\n%s", ownerBuilt.err, ownerBuilt.log)
	}
	return child.Program(t, filepath.Join(ownerBuilt.dir, "owner"), append([]string{role}, args...)...)
}

// alive gives a process a standard input that stays open until the test ends it, so that what
// the test sees isn't the process's end.
func alive(t testing.TB, cmd *exec.Cmd) (end func()) {
	t.Helper()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close() })
	return func() { in.Close() }
}

// records reads until the end, and returns what there was and how it ended.
func records(t testing.TB, r *Reader) (got []string, err error) {
	t.Helper()
	for {
		rec, err := r.Next(forever)
		if err != nil {
			return got, err
		}
		got = append(got, string(rec))
	}
}

// Who may end a connection, and what the peer is told. The process still lives when its peer has
// to know, unless it is one that ends by itself.
func TestOwner(t *testing.T) {
	for _, c := range []struct {
		role, got string
		end       error
	}{
		{"aborts", "one", ErrGone},
		{"aborts-records", "one", ErrGone},
		{"ends-then-aborts", "one", io.EOF},
		{"throws", "one", ErrGone},
		{"throws-in-child", "one", io.EOF},
		{"raii-returns", "one", ErrGone},
		{"raii-closes", "one", io.EOF},
		{"forks-and-closes", "one", io.EOF},
		{"forks-and-uses", "mine", io.EOF},
		{"daemon", "one two", io.EOF},
		{"adopts", "one two", io.EOF},
		{"two-writers", "", ErrGone}, // which of their records are seen is chance
	} {
		for name, o := range waysToWake {
			t.Run(c.role+"/"+name, func(t *testing.T) {
				cmd := owner(t, c.role)
				end := alive(t, cmd)
				sock, cmd, said := launch(t, cmd)
				conn := serveLaunched(t, sock, cmd, said, o)
				if c.role == "aborts-records" {
					conn.Writer().Send(forever, []byte("back"))
				}
				got, err := records(t, conn.Reader())
				if c.got != "" && strings.Join(got, " ") != c.got || err != c.end {
					t.Errorf("%q, then %v; want %q, then %v\n%s", got, err, c.got, c.end, said)
				}
				end()
				ended(t, cmd, said)
			})
		}
	}
}

// A program that an engine starts keeps neither the socket nor anything else of the connection.
func TestEngineStartsHelper(t *testing.T) {
	for name, o := range waysToWake {
		t.Run(name, func(t *testing.T) {
			cmd := owner(t, "helper")
			alive(t, cmd) // the helper reads it, and lives as long
			sock, cmd, said := launch(t, cmd)
			c := serveLaunched(t, sock, cmd, said, o)
			if got, err := records(t, c.Reader()); len(got) != 1 || err != ErrGone {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
}

// A socket that doesn't block is as good, also if the peer takes its time.
func TestSocketDoesNotBlock(t *testing.T) {
	cmd := owner(t, "holds", "1")
	end := alive(t, cmd)
	sock, cmd, said := launch(t, cmd)
	time.Sleep(20 * time.Millisecond) // it waits for the greeting
	c := serveLaunched(t, sock, cmd, said, Options{})
	if rec, err := c.Reader().Next(forever); string(rec) != "one" {
		t.Errorf("%q, %v", rec, err)
	}
	end()
	ended(t, cmd, said)
}

// Two threads of C have an end each, also where a byte in the socket may be for either.
func TestTwoThreads(t *testing.T) {
	for name, o := range waysToWake {
		t.Run(name, func(t *testing.T) {
			sock, cmd, said := launch(t, owner(t, "duplex"))
			c := serveLaunched(t, sock, cmd, said, o)
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
			ended(t, cmd, said)
		})
		t.Run(name+"/stop", func(t *testing.T) {
			sock, cmd, said := launch(t, owner(t, "stops"))
			serveLaunched(t, sock, cmd, said, o)
			ended(t, cmd, said)
		})
	}
}

// Exceptions of C++ anywhere.
func TestStressExceptions(t *testing.T) {
	if out, err := owner(t, "tortures", strconv.Itoa(stress(t, 300, 10000))).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// ThreadSanitizer has nothing to say of two threads with a ring between them.
func TestThreadSanitizer(t *testing.T) {
	testenv.OtherProgram(t)
	if len(child.Emulator()) > 0 {
		t.Skip("the sanitizer doesn't run under the emulator")
	}
	bin, cc := filepath.Join(t.TempDir(), "peer"), compiler(t)
	if out, err := exec.Command(cc[0], append(cc[1:], "-std=c11", "-O1", "-g", "-fsanitize=thread", "-pthread", "-I../include", "-o", bin, "testdata/peer.c")...).CombinedOutput(); err != nil {
		if bytes.Contains(out, []byte("libtsan")) || bytes.Contains(out, []byte("-ltsan")) {
			testenv.Missing(t, "there is no ThreadSanitizer for "+cc[0])
		}
		t.Fatalf("%v\n%s", err, out)
	}
	for _, role := range []string{"local", "local-drop", "local-many"} {
		t.Run(role, func(t *testing.T) {
			out, err := child.Program(t, bin, role, "2000").CombinedOutput()
			if bytes.Contains(out, []byte("unexpected memory mapping")) {
				t.Skip("the sanitizer can't place its memory here (vm.mmap_rnd_bits)")
			}
			if err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// What Go says of records that aren't complete, between goroutines and between processes.
func TestAbort(t *testing.T) {
	type ending struct {
		name string
		end  func(w *Writer, c *Conn)
		want error
	}
	panicking := func(f func()) {
		defer func() { recover() }()
		defer f()
		panic("disk full")
	}
	exiting := func(f func()) {
		done := make(chan bool)
		go func() {
			defer close(done)
			defer f()
			runtime.Goexit()
		}()
		<-done
	}
	endings := []ending{
		{"close", func(w *Writer, _ *Conn) { w.Close() }, io.EOF},
		{"abort", func(w *Writer, _ *Conn) { w.Abort() }, ErrGone},
		{"abort, then close", func(w *Writer, _ *Conn) { w.Abort(); w.Close() }, ErrGone},
		{"close, then abort", func(w *Writer, _ *Conn) { w.Close(); w.Abort() }, io.EOF},
		{"close in a panic", func(w *Writer, _ *Conn) { panicking(func() { w.Close() }) }, ErrGone},
		{"close in a panic, deep", func(w *Writer, _ *Conn) {
			var deep func(n int)
			deep = func(n int) {
				if n > 0 {
					deep(n - 1)
				} else {
					w.Close()
				}
			}
			panicking(func() { deep(200) })
		}, ErrGone},
		{"close after a panic", func(w *Writer, _ *Conn) { panicking(func() {}); w.Close() }, io.EOF},
		{"close in Goexit", func(w *Writer, _ *Conn) { exiting(func() { w.Close() }) }, ErrGone},
	}
	check := func(t *testing.T, w *Writer, r *Reader, c *Conn, e ending) {
		t.Helper()
		w.Send(forever, []byte("one"))
		done := make(chan bool)
		go func() { // in whatever state the reader is
			e.end(w, c)
			close(done)
		}()
		if got, err := records(t, r); len(got) != 1 || got[0] != "one" || err != e.want {
			t.Errorf("%q, %v; want %v", got, err, e.want)
		}
		<-done
	}
	for _, e := range endings {
		t.Run("goroutines/"+e.name, func(t *testing.T) {
			w, r, err := New(4096, Options{})
			if err != nil {
				t.Fatal(err)
			}
			check(t, w, r, nil, e)
		})
		for name, o := range waysToWake {
			t.Run(name+"/"+e.name, func(t *testing.T) {
				one, two := connect2(t, o, o)
				check(t, one.Writer(), two.Reader(), one, e)
			})
		}
	}
	for _, e := range []ending{
		{"Conn.Close", func(_ *Writer, c *Conn) { c.Close() }, io.EOF},
		{"Conn.Abort", func(_ *Writer, c *Conn) { c.Abort(); c.Close() }, ErrGone},
		{"Conn.Close, then Abort", func(_ *Writer, c *Conn) { c.Close(); c.Abort() }, io.EOF},
		{"Writer.Close, then Conn.Abort", func(w *Writer, c *Conn) { w.Close(); c.Abort() }, io.EOF},
		{"Conn.Close in a panic", func(_ *Writer, c *Conn) { panicking(func() { c.Close() }) }, ErrGone},
	} {
		for name, o := range waysToWake {
			t.Run(name+"/"+e.name, func(t *testing.T) {
				one, two := connect2(t, o, o)
				check(t, one.Writer(), two.Reader(), one, e)
			})
		}
	}
	t.Run("shared", func(t *testing.T) {
		w, r, err := NewShared(4096, Options{})
		if err != nil {
			t.Fatal(err)
		}
		w.Send(forever, []byte("one"))
		w.Abort()
		if got, err := records(t, r); len(got) != 1 || err != ErrGone {
			t.Errorf("%q, %v", got, err)
		}
		if err := w.Send(forever, nil); !errors.Is(err, ErrClosed) {
			t.Error(err)
		}
	})
}
