package ring

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/seamgo/seam/internal/child"
)

// listenPeer returns the command that runs testdata/listen.c in a language, or publish.py.
func listenPeer(t *testing.T, language string, args ...string) *exec.Cmd {
	t.Helper()
	if language == "python" {
		return pythonPublishes(t, args...)
	}
	return child.Program(t, filepath.Join(builtPublish(t), "listen-"+language), args...)
}

// Servers in several languages, each of which dies at a question, and dialers in several
// languages, which find the next one and ask it again.
func TestDialAgain(t *testing.T) { dialAgain(t, "c", "c++") }

func TestPythonDialsAgain(t *testing.T) {
	pythonPeer(t, "") // or the test is skipped
	dialAgain(t, "c", "python")
}

func dialAgain(t *testing.T, languages ...string) {
	const each = 40
	records := each*len(languages) + 20
	for _, language := range append(languages, "go") {
		t.Run(language, func(t *testing.T) {
			path := at(t)
			var said func() string
			if language == "go" {
				done := make(chan string, 1)
				go func() { done <- dials(path, records) }()
				said = func() string { return <-done }
			} else {
				said = running(t, listenPeer(t, language, "dial", path, fmt.Sprint(records)))
			}
			for _, server := range languages {
				err := listenPeer(t, server, "serve", path, fmt.Sprint(each)).Run()
				if exit, ok := err.(*exec.ExitError); !ok || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
					t.Fatal(err)
				}
			}
			l, err := Listen(path, Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			c, err := l.Accept(forever)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			for err == nil {
				var rec []byte
				if rec, err = c.Reader().Next(forever); err == nil {
					err = c.Writer().Send(forever, rec)
				}
			}
			if err != io.EOF {
				t.Errorf("the last connection: %v", err)
			}
			if got, want := strings.TrimSpace(said()), fmt.Sprint(len(languages)+1); got != want {
				t.Errorf("connected %s times, want %s", got, want)
			}
		})
	}
}

// dials does what listen.c does to dial.
func dials(path string, records int) string {
	connected := 0
	var c *Conn
	for i := 0; i < records; {
		if c == nil {
			var err error
			if c, err = Dial(forever, path, Options{}); err != nil {
				return err.Error()
			}
			connected++
		}
		question := binary.LittleEndian.AppendUint32(nil, uint32(i))
		err := c.Writer().Send(forever, question)
		var answer []byte
		if err == nil {
			answer, err = c.Reader().Next(forever)
		}
		switch {
		case errors.Is(err, ErrGone):
			c.Close()
			c = nil
		case err != nil:
			return err.Error()
		case !bytes.Equal(answer, question):
			return fmt.Sprintf("%x came back for %x", answer, question)
		default:
			i++
		}
	}
	c.Close()
	return fmt.Sprint(connected)
}

func TestListen(t *testing.T) {
	path := at(t)
	if _, err := Listen(path, Options{Capacity: 100}); !errors.Is(err, ErrInvalid) {
		t.Errorf("a capacity of 100: %v", err)
	}
	l, err := Listen(path, Options{Capacity: 1 << 12})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Listen(path, Options{}); !errors.Is(err, ErrInvalid) {
		t.Errorf("a second listener: %v", err)
	}
	if _, err := Publish(path, PublishOptions{}); !errors.Is(err, ErrInvalid) {
		t.Errorf("a publisher at the path: %v", err)
	}
	// Who says nothing keeps nobody waiting.
	silent, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	there := make(chan *Conn)
	go func() {
		c, err := Dial(forever, path, Options{})
		if err != nil {
			t.Error(err)
		}
		there <- c
	}()
	here, err := l.Accept(forever)
	if err != nil {
		t.Fatal(err)
	}
	defer here.Close()
	dialed := <-there
	if dialed == nil {
		return
	}
	defer dialed.Close()
	l.Close()
	if _, err := l.Accept(forever); err != ErrClosed {
		t.Errorf("after Close: %v", err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the socket is left: %v", err)
	}
	if err := here.Writer().Send(forever, []byte("still")); err != nil {
		t.Error(err)
	}
	if rec, err := dialed.Reader().Next(forever); err != nil || string(rec) != "still" {
		t.Errorf("after the listener's Close: %q, %v", rec, err)
	}
	ctx, cancel := context.WithTimeout(forever, 20*time.Millisecond)
	defer cancel()
	if _, err := Dial(ctx, path, Options{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("nobody serves: %v", err)
	}
	other, err := Listen(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	soon, cancel := context.WithTimeout(forever, 20*time.Millisecond)
	defer cancel()
	for { // until the kernel had time for it
		if _, err := Subscribe(soon, path, SubscribeOptions{}); err == nil || !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("a listener isn't a publisher: %v", err)
		} else if strings.Contains(err.Error(), "who accepts connections is none") {
			break
		}
		soon, cancel = context.WithTimeout(forever, 20*time.Millisecond)
		defer cancel()
	}
	other.Close()
	publisher(t, path, 0)
	if _, err := Dial(forever, path, Options{}); !errors.Is(err, ErrMismatch) {
		t.Errorf("a publisher serves: %v", err)
	}
}

// Paths and limits that aren't right are told apart, and nothing is left or removed there that
// isn't the listener's.
func TestPlaces(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, path := range []string{"", "@x", "a\x00b", strings.Repeat("x", 200)} {
		_, listen := Listen(path, Options{})
		_, dial := Dial(forever, path, Options{})
		_, publish := Publish(path, PublishOptions{})
		_, subscribe := Subscribe(forever, path, SubscribeOptions{})
		for _, err := range []error{listen, dial, publish, subscribe} {
			if !errors.Is(err, ErrInvalid) {
				t.Errorf("%q: %v", path, err)
			}
		}
	}
	if files, err := os.ReadDir("."); err != nil || len(files) != 0 {
		t.Errorf("left: %v, %v", files, err)
	}
	os.Symlink("target", "link.lock")
	if _, err := Listen("link", Options{}); !errors.Is(err, syscall.ELOOP) {
		t.Errorf("a lock that is a link: %v", err)
	}
	if _, err := os.Stat("target"); err == nil {
		t.Error("what the link names was made")
	}
	l, err := Listen("here", Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	os.WriteFile("here", nil, 0o600)
	l.Close()
	if _, err := os.Stat("here"); err != nil {
		t.Errorf("a file of another folder was removed: %v", err)
	}
}

func TestPlacesInOtherLanguages(t *testing.T) {
	for _, language := range []string{"c", "c++", "python"} {
		t.Run(language, func(t *testing.T) {
			if language == "python" {
				pythonPeer(t, "") // or the test is skipped
			}
			running(t, listenPeer(t, language, "places", t.TempDir(), "0"))()
		})
	}
}

// A listener that can't have the memory says so, and goes on.
func TestAcceptWithoutMemory(t *testing.T) {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	l, err := Listen(at(t), Options{Capacity: 1 << 24})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	t.Cleanup(func() { syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit) })
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 1 << 24, Max: limit.Max}); err != nil {
		t.Fatal(err)
	}
	dialed := make(chan error, 1)
	go func() {
		c, err := Dial(forever, l.place.path, Options{MaxCapacity: 1 << 24})
		if err == nil {
			c.Close()
		}
		dialed <- err
	}()
	if _, err := l.Accept(forever); !errors.Is(err, syscall.EFBIG) || !strings.Contains(err.Error(), "memory for two rings of 16777216 bytes") {
		t.Errorf("%v", err)
	}
	syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit)
	for {
		if c, err := l.Accept(forever); err == nil {
			c.Close()
			break
		} else if !errors.Is(err, syscall.EFBIG) {
			t.Fatal(err)
		}
	}
	if err := <-dialed; err != nil {
		t.Error(err)
	}
}

// Packets keep their limits, which a greeting in pieces doesn't.
func TestOtherSockets(t *testing.T) {
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_SEQPACKET|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	syscall.Close(fds[1])
	f := os.NewFile(uintptr(fds[0]), "packets")
	defer f.Close()
	c, err := net.FileConn(f)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Connect(forever, c.(*net.UnixConn), Options{}); !errors.Is(err, ErrInvalid) {
		t.Errorf("%v", err)
	}
}

// Who writes is told how many of its records a peer that has gone was done with, in every language.
func TestTakenInOtherLanguages(t *testing.T) {
	for _, language := range []string{"c", "c++", "python"} {
		t.Run(language, func(t *testing.T) {
			if language == "python" {
				pythonPeer(t, "") // or the test is skipped
			}
			path := at(t)
			l, err := Listen(path, Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			said := running(t, listenPeer(t, language, "gives", path, "100"))
			c, err := l.Accept(forever)
			if err != nil {
				t.Fatal(err)
			}
			for range 37 {
				if _, err := c.Reader().Next(forever); err != nil {
					t.Fatal(err)
				}
			}
			c.Reader().Release()
			c.Reader().Next(forever) // at the next one when it gives up
			c.Abort()
			if got := strings.TrimSpace(said()); got != "37" {
				t.Errorf("%s were taken, want 37", got)
			}
		})
	}
}

// Who reads is killed at any time, and started again. What it wasn't done with is given to the next
// one, so that all records have been taken by some: none is lost.
func TestStressTaken(t *testing.T) {
	const records = 3000
	path, kills := at(t), stress(t, 10, 10000)
	collected := make(chan map[uint32]bool, 1)
	ready, gone := make(chan *exec.Cmd), make(chan struct{})
	go func() {
		got := map[uint32]bool{}
		for range kills + 1 {
			out := new(bytes.Buffer)
			cmd := listenPeer(t, "c", "collects", path, "0")
			cmd.Stdout, cmd.Stderr = out, os.Stderr
			if err := cmd.Start(); err != nil {
				t.Error(err)
				break
			}
			ready <- cmd
			cmd.Wait()
			for b := out.Bytes(); len(b) >= 4; b = b[4:] {
				got[binary.LittleEndian.Uint32(b)] = true
			}
			gone <- struct{}{}
		}
		collected <- got
	}()
	first := uint32(0) // the first record that nobody is known to be done with
	for round := range kills + 1 {
		cmd := <-ready
		c, err := Dial(forever, path, Options{})
		if err != nil {
			t.Fatal(err)
		}
		n, killed := first, first+uint32(round*records/(kills+1)+round%7)
		for err == nil && n < records {
			if n == killed && round < kills {
				cmd.Process.Kill()
			}
			rec := make([]byte, 4+n%100)
			binary.LittleEndian.PutUint32(rec, n)
			if err = c.Writer().Append(forever, rec); err == nil && n%5 == 0 {
				err = c.Writer().Flush()
			}
			n++
		}
		if err == nil && round == kills {
			c.Writer().Close()
		} else {
			cmd.Process.Kill()
			c.Abort()
		}
		<-gone
		first += uint32(c.Writer().Taken())
		c.Close()
	}
	got := <-collected
	for n := range uint32(records) {
		if !got[n] {
			t.Fatalf("record %d was lost; %d of %d came", n, len(got), records)
		}
	}
}
