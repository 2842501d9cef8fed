package ring

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/seamgo/seam/internal/child"
	"github.com/seamgo/seam/internal/testenv"
)

// All that the other end of a ring may write, to an end in C: a table of lies, and rings in
// which anything may be, before a page that can't be touched.
func TestHostileToC(t *testing.T) {
	testenv.OtherProgram(t)
	if out, err := peer(t, "hostile", 20000).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// A peer that lies in every field ends a process in Python by an exception, not by a signal,
// and doesn't keep it.
func TestLiarToPython(t *testing.T) {
	for name, o := range waysToWake {
		for _, role := range []string{"echo", "in_place", "async_echo"} {
			t.Run(name+"/"+role, func(t *testing.T) {
				for seed := range uint64(2) {
					c, cmd, said := startPython(t, role, o)
					ctx, cancel := context.WithCancel(forever)
					done := make(chan bool)
					go func() {
						defer close(done)
						for ctx.Err() == nil && c.Writer().Send(ctx, make([]byte, 40)) == nil {
						}
					}()
					lies(seed, 3000, c.dirs[0], c.dirs[1])
					cancel()
					c.wake()
					<-done
					c.Close()
					if cmd.Wait(); !cmd.ProcessState.Exited() {
						t.Errorf("seed %d: %v\n%s", seed, cmd.ProcessState, said)
					}
				}
			})
		}
	}
}

// flood sends what wakes a peer that is woken through the socket, with descriptors that nobody
// asked for, until ctx ends or the socket is full for long.
func flood(ctx context.Context, t *testing.T, sock *net.UnixConn) (done chan bool) {
	t.Helper()
	fd, err := eventfd()
	if err != nil {
		t.Fatal(err)
	}
	rights := syscall.UnixRights(fd, fd, fd, fd)
	done = make(chan bool)
	go func() {
		defer close(done)
		defer syscall.Close(fd)
		for i := 0; ctx.Err() == nil; i++ {
			oob := rights
			if i%2 == 0 {
				oob = nil
			}
			sock.SetWriteDeadline(time.Now().Add(time.Millisecond))
			sock.WriteMsgUnix([]byte{1, 2, 3}, oob, nil)
		}
	}()
	return done
}

// A deadline that somebody sets on the socket, and that passes, doesn't keep wake-ups back.
func TestPastDeadline(t *testing.T) {
	o := waysToWake["socket"]
	server, client := connect2(t, o, o)
	client.sock.SetWriteDeadline(past)
	ctx, cancel := context.WithTimeout(forever, 2*time.Minute) // for when nobody is woken
	defer cancel()
	for i := range 20 {
		got := make(chan error, 1)
		go func() {
			_, err := server.Reader().Next(ctx)
			got <- err
		}()
		for server.Reader().Stats().ReaderSleeps <= uint64(i) && len(got) == 0 {
			time.Sleep(time.Millisecond)
		}
		client.Writer().Send(forever, []byte{byte(i)})
		if err := <-got; err != nil {
			t.Fatalf("record %d: %v", i, err)
		}
	}
}

// A peer that rings without end, and hands over descriptors with it, keeps nobody from a
// deadline or from other connections, and its descriptors don't stay open.
func TestFlood(t *testing.T) {
	o := waysToWake["socket"]
	a, b := sockets(t) // the poller has descriptors too, from the first socket on
	a.Close()
	b.Close()
	before := descriptors(t)
	t.Run("reader", func(t *testing.T) {
		server, client := connect2(t, o, o)
		ctx, cancel := context.WithCancel(forever)
		done := flood(ctx, t, client.sock)
		short, end := context.WithTimeout(forever, 20*time.Millisecond)
		defer end()
		if _, err := server.Reader().Next(short); err != context.DeadlineExceeded {
			t.Error(err)
		}
		client.Writer().Send(forever, []byte("in the end"))
		if rec, err := server.Reader().Next(forever); string(rec) != "in the end" {
			t.Errorf("%q, %v", rec, err)
		}
		cancel()
		<-done
	})
	t.Run("doorbell", func(t *testing.T) {
		d := newDoorbell(t)
		serving := o
		serving.Doorbell = d
		_, liar := connect2(t, serving, o)
		server, honest := connect2(t, serving, o)
		ctx, cancel := context.WithCancel(forever)
		done := flood(ctx, t, liar.sock)
		for i := range 20 {
			honest.Writer().Send(forever, []byte{byte(i)})
			for got := false; !got; {
				c, err := d.Next(forever)
				if err != nil {
					t.Fatal(err)
				}
				rec, ok, err := c.Reader().TryNext()
				if err != nil || ok && c != server || ok && !bytes.Equal(rec, []byte{byte(i)}) {
					t.Fatalf("%q, %v", rec, err)
				}
				got = ok
			}
		}
		short, end := context.WithTimeout(forever, 20*time.Millisecond)
		defer end()
		for {
			if _, err := d.Next(short); err == context.DeadlineExceeded {
				break
			} else if err != nil {
				t.Fatal(err)
			}
		}
		cancel()
		<-done
	})
	t.Run("c", func(t *testing.T) { // peer.c counts its descriptors at the end
		c, cmd, said := startPeer(t, "echo", 0, o)
		ctx, cancel := context.WithCancel(forever)
		done := flood(ctx, t, c.sock)
		for i := range 200 {
			if err := c.Writer().Send(forever, bytesOf(i)); err != nil {
				t.Fatal(err)
			}
			if rec, err := c.Reader().Next(forever); err != nil || !bytes.Equal(rec, bytesOf(i)) {
				t.Fatalf("record %d: %d bytes, %v\n%s", i, len(rec), err, said)
			}
		}
		cancel()
		<-done
		c.Writer().Close()
		ended(t, cmd, said)
	})
	for deadline := time.Now().Add(time.Minute); descriptors(t) > before; runtime.GC() {
		if time.Now().After(deadline) {
			t.Fatalf("%d descriptors are left", descriptors(t)-before)
		}
	}
}

// deaf makes the rings for the peer that connects to sock, and then never looks at the socket: it
// returns the memory of both directions, the one from here first.
func deaf(t *testing.T, sock *net.UnixConn) (to, from *memory) {
	t.Helper()
	h := Options{Untrusted: true}.hello()
	h.capacity = 4096
	if _, err := receive(sock); err != nil {
		t.Fatal(err)
	}
	fds, err := makeAll(h)
	if err != nil {
		t.Fatal(err)
	}
	defer closeAll(fds)
	m, err := mapBoth(fds[fdMemory], h.capacity)
	if err != nil {
		t.Fatal(err)
	}
	m[0].ctl.begin(h.capacity, h.features)
	m[1].ctl.begin(h.capacity, h.features)
	if _, _, err := sock.WriteMsgUnix(h.bytes(), syscall.UnixRights(fds...), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := receive(sock); err != nil {
		t.Fatal(err)
	}
	return m[0], m[1]
}

// swallow takes all that is written into a ring, and says all the time that it sleeps, so that
// the writer rings again and again. Nobody takes what it rings. In the end the reader is gone.
func swallow(t *testing.T, m *memory) {
	t.Helper()
	defer m.ctl.reader.state.Or(closed)
	for deadline := time.Now().Add(2 * time.Minute); m.ctl.writer.wakes.Load() < 200; runtime.Gosched() {
		m.ctl.reader.state.Or(waits)
		m.ctl.read.Store(m.ctl.written.Load())
		if time.Now().After(deadline) {
			t.Errorf("the writer waits, at %d, after %d wake-ups", m.ctl.written.Load(), m.ctl.writer.wakes.Load())
			return
		}
	}
}

// narrow makes a socket that is full after a few bytes, each sent by itself.
func narrow(t *testing.T, sock *net.UnixConn) *net.UnixConn {
	t.Helper()
	if err := sock.SetWriteBuffer(1); err != nil {
		t.Fatal(err)
	}
	raw, err := sock.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	raw.Control(func(fd uintptr) {
		if n, err := syscall.GetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_SNDBUF); err != nil || n > 100*256 {
			t.Errorf("room for %d bytes, %v: this test proves nothing", n, err)
		}
	})
	return sock
}

// A peer that lets the socket fill up, by which it is to be woken, doesn't make anybody wait.
func TestDeafPeer(t *testing.T) {
	t.Run("go", func(t *testing.T) {
		a, b := sockets(t)
		defer a.Close()
		connected := make(chan *Conn, 1)
		go func() {
			c, err := Connect(forever, narrow(t, b), Options{Untrusted: true})
			if err != nil {
				t.Error(err)
			}
			connected <- c
		}()
		to, from := deaf(t, a)
		c := <-connected
		if c == nil {
			return
		}
		defer c.Close()
		sent := make(chan error, 1)
		go func() {
			var err error
			for err == nil {
				for c.Writer().Stats().Written-from.ctl.read.Load() > 2048 && from.ctl.reader.state.Load()&closed == 0 {
					runtime.Gosched() // it would sleep, and nobody here wakes it
				}
				err = c.Writer().Send(forever, make([]byte, 24))
			}
			sent <- err
		}()
		swallow(t, from)
		from.ctl.read.Store(from.ctl.written.Load())
		if err := <-sent; err != ErrGone {
			t.Error(err)
		}
		to.drop()
		from.drop()
	})
	t.Run("c", func(t *testing.T) {
		sock, theirs := sockets(t)
		defer sock.Close()
		cmd := peer(t, "floods", 0, "untrusted")
		said := launchWith(t, cmd, narrow(t, theirs))
		to, from := deaf(t, sock)
		swallow(t, from)
		ended(t, cmd, said)
		to.drop()
		from.drop()
	})
}

// Where a process may not make shared memory both sides say so: a filter of system calls, as a
// container may have one.
func TestWithoutMemfd(t *testing.T) {
	testenv.GoProgram(t)
	if len(child.Emulator()) > 0 {
		t.Skip("an emulator's system calls have other numbers than the machine's")
	}
	if os.Getenv("RING_WITHOUT_MEMFD") != "" {
		a, b := sockets(t)
		b.Write(Options{}.hello().bytes())
		if _, err := Serve(forever, a, Options{}); !errors.Is(err, syscall.EPERM) || !strings.Contains(err.Error(), "memfd_create") {
			t.Errorf("%v", err)
		}
		return
	}
	run := func(t *testing.T, number int, args ...string) (string, error) {
		cmd := peer(t, "without-memfd", number, args...)
		cmd.Env = append(os.Environ(), "RING_WITHOUT_MEMFD=1")
		ours, theirs := sockets(t)
		defer ours.Close()
		ours.Write(Options{}.hello().bytes())
		said := launchWith(t, cmd, theirs)
		err := cmd.Wait()
		if strings.Contains(said.String(), "seccomp: 77") {
			testenv.Missing(t, "system calls can't be filtered here: "+said.String())
		}
		return said.String(), err
	}
	t.Run("go", func(t *testing.T) {
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		if out, err := run(t, int(memfdCreate()), self, "-test.run=^TestWithoutMemfd$", "-test.v"); err != nil || !strings.Contains(out, "--- PASS") {
			t.Errorf("%v\n%s", err, out)
		}
	})
	t.Run("c", func(t *testing.T) {
		if out, err := run(t, 0, filepath.Join(built.dir, "peer"), "echo", "0", "serve"); err == nil || !strings.Contains(out, "memfd_create failed: Operation not permitted") {
			t.Errorf("%v\n%s", err, out)
		}
	})
}

// Rings have no name in any file system, so kill -9 of both sides leaves nothing there.
func TestNothingIsLeftByKill(t *testing.T) {
	ours := func() (list []string) {
		files, err := os.ReadDir("/dev/shm")
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		for _, f := range files {
			if strings.Contains(f.Name(), "seam") || strings.Contains(f.Name(), "ring") {
				list = append(list, f.Name())
			}
		}
		return list
	}
	before, tmp := ours(), t.TempDir()
	hang, other := peer(t, "hang", 0, "serve"), peer(t, "awaits", 0)
	hang.Env, other.Env = append(os.Environ(), "TMPDIR="+tmp), append(os.Environ(), "TMPDIR="+tmp)
	out, err := other.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	_, said := both(t, hang, other)
	ready := make([]byte, len("ready"))
	if _, err := out.Read(ready); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	if len(child.Emulator()) == 0 {
		maps, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", hang.Process.Pid))
		if err != nil {
			t.Fatal(err)
		}
		if !regexp.MustCompile(`(?m) 00:\S+ \d+\s+/memfd:seam-ring \(deleted\)$`).Match(maps) {
			t.Errorf("the rings have a name, or there are none:\n%s", maps)
		}
	}
	hang.Process.Kill()
	other.Process.Kill()
	hang.Wait()
	other.Wait()
	if after := ours(); len(after) > len(before) {
		t.Errorf("left in /dev/shm: %q", after)
	}
	if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 {
		t.Errorf("left in %s: %v, %v", tmp, left, err)
	}
}

// Nobody wakes up while nothing is sent: neither side looks now and then.
func TestIdle(t *testing.T) {
	if len(child.Emulator()) > 0 {
		t.Skip("an emulator has threads of its own")
	}
	for name, o := range waysToWake {
		t.Run(name, func(t *testing.T) {
			c, cmd, said := startPeer(t, "echo-asleep", 0, o)
			status := func(line string) string {
				text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid))
				if err != nil {
					t.Fatal(err)
				}
				return string(regexp.MustCompile(`(?m)^` + line + `:.*$`).Find(text))
			}
			woken := func() string { return status("voluntary_ctxt_switches") }
			if err := c.Writer().Send(forever, []byte("once")); err != nil {
				t.Fatal(err)
			}
			if _, err := c.Reader().Next(forever); err != nil {
				t.Fatalf("%v\n%s", err, said)
			}
			// First it says so, and then it sleeps.
			for to := c.dirs[0]; to.ctl.reader.state.Load()&waits == 0 || !strings.Contains(status("State"), "sleeping"); {
				time.Sleep(time.Millisecond)
			}
			before, sleeps := woken(), c.Reader().Stats().ReaderSleeps
			ctx, cancel := context.WithTimeout(forever, 200*time.Millisecond)
			defer cancel()
			if _, err := c.Reader().Next(ctx); err != context.DeadlineExceeded {
				t.Fatal(err)
			}
			if after := woken(); after != before {
				t.Errorf("the peer has slept more than once: %s, and before %s", after, before)
			}
			if n := c.Reader().Stats().ReaderSleeps - sleeps; n > 2 { // and once more for the deadline
				t.Errorf("this side has slept %d times", n)
			}
			c.Writer().Close()
			ended(t, cmd, said)
		})
	}
}

// The same as TestStressKilledWriter, of a process in Go.
func TestStressKilledGo(t *testing.T) {
	if s := os.Getenv("RING_DIES_AT"); s != "" {
		diesWriting(t, s)
		return
	}
	for round := range stress(t, 12, 10000) {
		step := round % 6
		cmd := child.Self(t, "-test.run=^TestStressKilledGo$")
		cmd.Env = append(os.Environ(), fmt.Sprintf("RING_DIES_AT=%d", step))
		sock, cmd, said := launch(t, cmd)
		c := serveLaunched(t, sock, cmd, said, waysToWake[[]string{"eventfd", "socket"}[round/6%2]])
		want := 2
		if step >= 4 {
			want = 3
		}
		for i := range want {
			if rec, err := c.Reader().Next(forever); err != nil || !bytes.Equal(rec, bytesOf(i)) {
				t.Fatalf("step %d, record %d: %x, %v\n%s", step, i, rec, err, said)
			}
		}
		for range 2 {
			if rec, err := c.Reader().Next(forever); err != ErrGone {
				t.Fatalf("step %d, at the end: %x, %v\n%s", step, rec, err, said)
			}
		}
		cmd.Wait()
		c.Close()
	}
}

// diesWriting publishes two records and is killed at a step on the way to the third.
func diesWriting(t *testing.T, at string) {
	c, err := Connect(forever, unixConn(t, 3), Options{Spin: -1})
	if err != nil {
		t.Fatal(err)
	}
	step := func(n int) {
		if fmt.Sprint(n) == at {
			syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	}
	w := c.Writer()
	w.Append(forever, bytesOf(0))
	w.Append(forever, bytesOf(1))
	w.Flush()
	step(0)
	room, err := w.Reserve(forever, 200)
	if err != nil {
		t.Fatal(err)
	}
	step(1)
	copy(room, bytesOf(2)[:1])
	step(2)
	w.Commit(copy(room, bytesOf(2)))
	step(3)
	w.ctl.written.Swap(w.pos) // it is there, and nobody is told
	step(4)
	w.tell()
	step(5)
}
