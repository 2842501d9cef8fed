package ring

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"io"
	"math"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/seamgo/seam/internal/child"
	"github.com/seamgo/seam/internal/testenv"
)

// compiler is the C compiler for the architecture under test.
func compiler(t testing.TB) []string {
	cc := strings.Fields(cmp.Or(os.Getenv("CC"), "gcc"))
	testenv.Tool(t, cc[0])
	return cc
}

var built struct {
	sync.Once
	dir, log string
	err      error
}

// peer returns the command that runs testdata/peer.c, with a socket to it.
func peer(t testing.TB, role string, n int, how ...string) *exec.Cmd {
	t.Helper()
	cc := compiler(t)
	built.Do(func() {
		if built.dir, built.err = os.MkdirTemp("", "ring"); built.err != nil {
			return
		}
		// With a time_t of 64 bits, also where the processor has 32.
		args := append(cc[1:], "-std=c11", "-D_TIME_BITS=64", "-D_FILE_OFFSET_BITS=64", "-O1", "-Wall", "-Wextra", "-Werror", "-pthread", "-I../include", "-o", filepath.Join(built.dir, "peer"), "testdata/peer.c")
		var out []byte
		out, built.err = exec.Command(cc[0], args...).CombinedOutput()
		built.log = string(out)
	})
	if built.err != nil {
		t.Fatalf("%v\n%s", built.err, built.log)
	}
	return child.Program(t, filepath.Join(built.dir, "peer"), append([]string{role, strconv.Itoa(n)}, how...)...)
}

func TestMain(m *testing.M) {
	code := m.Run()
	for _, dir := range []string{built.dir, pythonBuilt.dir, ownerBuilt.dir, publishBuilt.dir} {
		if dir != "" {
			os.RemoveAll(dir)
		}
	}
	os.Exit(code)
}

// startPeer starts it and serves it.
func startPeer(t testing.TB, role string, n int, o Options) (*Conn, *exec.Cmd, *bytes.Buffer) {
	t.Helper()
	ours, cmd, said := launchPeer(t, role, n)
	return serveLaunched(t, ours, cmd, said, o), cmd, said
}

func serveLaunched(t testing.TB, sock *net.UnixConn, cmd *exec.Cmd, said *bytes.Buffer, o Options) *Conn {
	t.Helper()
	c, err := Serve(t.Context(), sock, o)
	if err != nil {
		cmd.Process.Kill()
		cmd.Wait()
		t.Fatalf("%v\n%s", err, said)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// launchPeer starts it with a socket to it.
func launchPeer(t testing.TB, role string, n int, how ...string) (*net.UnixConn, *exec.Cmd, *bytes.Buffer) {
	t.Helper()
	return launch(t, peer(t, role, n, how...))
}

// launch starts a program with a socket as descriptor 3.
func launch(t testing.TB, cmd *exec.Cmd) (*net.UnixConn, *exec.Cmd, *bytes.Buffer) {
	t.Helper()
	ours, theirs := sockets(t)
	return ours, cmd, launchWith(t, cmd, theirs)
}

// launchWith starts a program with that socket.
func launchWith(t testing.TB, cmd *exec.Cmd, sock *net.UnixConn) *bytes.Buffer {
	t.Helper()
	said := new(bytes.Buffer)
	if cmd.Stdout == nil {
		cmd.Stdout = said
	}
	cmd.Stderr = said
	f, err := sock.File()
	if err != nil {
		t.Fatal(err)
	}
	cmd.ExtraFiles = []*os.File{f}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	sock.Close()
	f.Close()
	return said
}

// bytesOf is the record that peer.c makes.
func bytesOf(i int) []byte {
	p := make([]byte, i%301)
	for k := range p {
		p[k] = byte(i + k)
	}
	return p
}

func TestCEcho(t *testing.T) {
	for name, o := range waysToWake {
		for _, spin := range []time.Duration{0, -1} {
			t.Run(name, func(t *testing.T) {
				o.Spin = spin
				c, cmd, said := startPeer(t, "echo", 0, o)
				for i := range 2000 {
					if err := c.Writer().Send(forever, bytesOf(i)); err != nil {
						t.Fatal(err)
					}
					if rec, err := c.Reader().Next(forever); err != nil || !bytes.Equal(rec, bytesOf(i)) {
						t.Fatalf("record %d: %d bytes, %v", i, len(rec), err)
					}
				}
				c.Writer().Close()
				if _, err := c.Reader().Next(forever); err != io.EOF {
					t.Errorf("at the end: %v", err)
				}
				if err := cmd.Wait(); err != nil {
					t.Errorf("%v\n%s", err, said)
				}
			})
		}
	}
}

func TestCProduces(t *testing.T) {
	const n = 20000
	c, cmd, said := startPeer(t, "produce", n, Options{Capacity: 1024})
	for i := range n {
		if rec, err := c.Reader().Next(forever); err != nil || !bytes.Equal(rec, bytesOf(i)) {
			t.Fatalf("record %d: %d bytes, %v\n%s", i, len(rec), err, said)
		}
	}
	if _, err := c.Reader().Next(forever); err != io.EOF {
		t.Errorf("at the end: %v", err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v\n%s", err, said)
	}
}

func TestCConsumes(t *testing.T) {
	const n = 20000
	c, cmd, said := startPeer(t, "consume", n, Options{Capacity: 1024})
	for i := range n {
		if err := c.Writer().Append(forever, bytesOf(i)); err != nil {
			t.Fatalf("record %d: %v", i, err)
		}
	}
	c.Writer().Close()
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v\n%s", err, said)
	}
}

// A ring between two threads of C.
func TestCLocal(t *testing.T) {
	testenv.OtherProgram(t)
	if out, err := peer(t, "local", 25000).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// Many records by one call, what can't be committed, and how an end learns to wait.
func TestCByItself(t *testing.T) {
	testenv.OtherProgram(t)
	for role, n := range map[string]int{"local-many": 3000, "commits": 0, "learns": 0} {
		t.Run(role, func(t *testing.T) {
			if out, err := peer(t, role, n).CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// An end in C learns from waits in which it slept.
func TestCSleeps(t *testing.T) {
	c, cmd, said := startPeer(t, "sleeps", 0, Options{})
	if _, err := c.Reader().Next(forever); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	time.Sleep(2 * time.Millisecond)
	if err := c.Writer().Send(forever, nil); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v\n%s", err, said)
	}
}

// stress is how often to do something: SEAM_STRESS says, as 1e8, but at most so often.
func stress(t *testing.T, few, most int) int {
	s := os.Getenv("SEAM_STRESS")
	if s == "" {
		return few
	}
	n, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return int(min(n, float64(most)))
}

// Many messages to another process and back: none is lost, none comes twice, and nobody
// sleeps for ever.
func TestStressMessages(t *testing.T) {
	c, cmd, said := startPeer(t, "echo", 0, Options{Capacity: 4096})
	n := stress(t, 20000, math.MaxInt)
	sent := make(chan error, 1)
	go func() {
		defer c.Writer().Close()
		for i := range n {
			room, err := c.Writer().Reserve(forever, 8)
			if err == nil {
				binary.LittleEndian.PutUint64(room, uint64(i))
				err = c.Writer().Commit(8)
			}
			if err == nil && uint32(i)*2654435761>>16%5 == 0 { // batches of all sizes
				err = c.Writer().Flush()
			}
			if err != nil {
				sent <- err
				return
			}
		}
		sent <- nil
	}()
	for i := range n {
		if rec, err := c.Reader().Next(forever); err != nil || binary.LittleEndian.Uint64(rec) != uint64(i) {
			t.Fatalf("message %d of %d: %x, %v\n%s", i, n, rec, err, said)
		}
	}
	if err := <-sent; err != nil {
		t.Error(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v\n%s", err, said)
	}
}

// A writer that is killed anywhere between two records: what it had published is read,
// nothing else, and then its death is an error.
func TestStressKilledWriter(t *testing.T) {
	for round := range stress(t, 42, 10000) {
		step := round % 7
		o := waysToWake[[]string{"eventfd", "socket"}[round/7%2]]
		if round/14%2 == 1 {
			o.Spin = -1
		}
		c, cmd, said := startPeer(t, "dies-writing", step, o)
		want := 2
		if step >= 5 {
			want = 3
		}
		for i := range want {
			p := bytesOf(i)
			if rec, err := c.Reader().Next(forever); err != nil || !bytes.Equal(rec, p) {
				t.Fatalf("step %d, record %d: %x, %v\n%s", step, i, rec, err, said)
			}
		}
		for range 2 {
			if _, err := c.Reader().Next(forever); err != ErrGone {
				t.Fatalf("step %d, at the end: %v", step, err)
			}
		}
		if err := c.Writer().Send(forever, nil); err != ErrGone {
			t.Fatalf("step %d, to write: %v", step, err)
		}
		cmd.Wait()
		c.Close()
	}
}

// A reader that is killed anywhere: the writer that waits for it gets an error.
func TestStressKilledReader(t *testing.T) {
	for round := range stress(t, 24, 10000) {
		step := round % 4
		o := waysToWake[[]string{"eventfd", "socket"}[round/4%2]]
		if round/8%2 == 1 {
			o.Spin = -1
		}
		c, cmd, said := startPeer(t, "dies-reading", step, o)
		var err error
		for err == nil {
			err = c.Writer().Send(forever, make([]byte, 1000))
		}
		if err != ErrGone {
			t.Fatalf("step %d: %v\n%s", step, err, said)
		}
		cmd.Wait()
		c.Close()
	}
}

// A timeout of a writer in C is one for all the room it needs, however often the reader
// gives back a little.
func TestCTimeout(t *testing.T) {
	sock, cmd, said := launchPeer(t, "trickle", 0)
	defer sock.Close()
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v\n%s", err, said)
	}
}

// A peer that is stopped isn't dead.
func TestStopped(t *testing.T) {
	if len(child.Emulator()) > 0 {
		t.Skip("the emulator is stopped in its place, which proves nothing new")
	}
	c, cmd, said := startPeer(t, "echo", 0, Options{})
	if err := cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(cmd.Process.Pid, &status, syscall.WUNTRACED, nil); err != nil || !status.Stopped() {
		t.Fatal(err, status)
	}
	if err := c.Writer().Send(forever, []byte("hello")); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(forever, 50*time.Millisecond)
	defer cancel()
	if rec, err := c.Reader().Next(ctx); err != context.DeadlineExceeded {
		t.Errorf("while it is stopped: %q, %v", rec, err)
	}
	cmd.Process.Signal(syscall.SIGCONT)
	if rec, err := c.Reader().Next(forever); string(rec) != "hello" {
		t.Errorf("%q, %v\n%s", rec, err, said)
	}
	c.Close()
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v\n%s", err, said)
	}
}

// The header is C11 and C++17, without a warning.
func TestHeader(t *testing.T) {
	testenv.OtherProgram(t)
	cc := compiler(t)
	for _, language := range [][]string{{"c", "-std=c11"}, {"c++", "-std=c++17"}} {
		if _, err := exec.Command(cc[0], append(cc[1:], "-x", language[0], "-fsyntax-only", os.DevNull)...).CombinedOutput(); err != nil {
			testenv.Missing(t, cc[0]+" has no compiler for "+language[0])
		}
		file := filepath.Join(t.TempDir(), "use.c")
		if err := os.WriteFile(file, []byte("#include <seam/ring.h>\nint (*use[])(seam_ring_conn *, int, const seam_ring_options *) = {seam_ring_connect, seam_ring_serve};\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(cc[0], append(cc[1:], "-x", language[0], language[1], "-Wall", "-Wextra", "-Werror", "-pedantic", "-fsyntax-only", "-I../include", file)...).CombinedOutput()
		if err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	}
}

// In C++ a record has a type that may lie there, or the program doesn't compile.
func TestHeaderTypes(t *testing.T) {
	testenv.OtherProgram(t)
	cxx := testenv.Tool(t, "g++")
	for body, want := range map[string]string{
		"struct R { double d; long n; };":        "",
		"struct alignas(16) R { double d[2]; };": "this type wants more: memcpy it",
		"struct R { ~R() {} long n; };":          "records are bytes",
	} {
		file := filepath.Join(t.TempDir(), "use.cc")
		if err := os.WriteFile(file, []byte("#include <seam/ring.h>\n"+body+"\nconst R *read(const void *p, size_t n) { return seam::ring_record<R>(p, n); }\nR *room(void *p) { return seam::ring_room<R>(p); }\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(cxx, "-std=c++17", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-I../include", file).CombinedOutput()
		if (err == nil) != (want == "") || !strings.Contains(string(out), want) {
			t.Errorf("%s: %v, want %q\n%s", body, err, want, out)
		}
	}
}
