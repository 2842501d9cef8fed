package ring

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"
)

// sockets returns two connected sockets.
func sockets(t testing.TB) (a, b *net.UnixConn) {
	t.Helper()
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	return unixConn(t, fds[0]), unixConn(t, fds[1])
}

func unixConn(t testing.TB, fd int) *net.UnixConn {
	t.Helper()
	f := os.NewFile(uintptr(fd), "socket")
	defer f.Close()
	c, err := net.FileConn(f)
	if err != nil {
		t.Fatal(err)
	}
	return c.(*net.UnixConn)
}

// connect2 sets up a connection inside this process.
func connect2(t testing.TB, serving, connecting Options) (server, client *Conn) {
	t.Helper()
	a, b := sockets(t)
	type result struct {
		c   *Conn
		err error
	}
	served := make(chan result, 1)
	go func() {
		c, err := Serve(forever, a, serving)
		served <- result{c, err}
	}()
	client, err := Connect(forever, b, connecting)
	s := <-served
	if err != nil || s.err != nil {
		t.Fatal(err, s.err)
	}
	t.Cleanup(func() { s.c.Close(); client.Close() })
	return s.c, client
}

// waysToWake are both ways in which peers can wake each other.
var waysToWake = map[string]Options{"eventfd": {Capacity: 4096}, "socket": {Capacity: 4096, Untrusted: true}}

func TestConn(t *testing.T) {
	for name, o := range waysToWake {
		for _, spin := range []time.Duration{0, -1} {
			t.Run(name, func(t *testing.T) {
				o.Spin = spin
				server, client := connect2(t, o, o)
				there := make(chan bool)
				go func() {
					defer close(there)
					stream(t, server.Writer(), client.Reader(), 5000, 1000)
				}()
				stream(t, client.Writer(), server.Reader(), 5000, 1000)
				<-there
			})
		}
	}
}

// A side that is asked for less trust than it offers goes along.
func TestOneSideDistrusts(t *testing.T) {
	server, client := connect2(t, Options{Untrusted: true}, Options{})
	stream(t, server.Writer(), client.Reader(), 1000, 1000)
	stream(t, client.Writer(), server.Reader(), 1000, 1000)
}

// Records of an untrusted writer are copies: what it changes later isn't seen.
func TestUntrustedCopies(t *testing.T) {
	server, client := connect2(t, Options{Untrusted: true}, Options{})
	client.Writer().Send(forever, []byte("as it was"))
	rec, err := server.Reader().Next(forever)
	if err != nil {
		t.Fatal(err)
	}
	copy(client.w.payload(0, 2), "is")
	if string(rec) != "as it was" {
		t.Errorf("%q", rec)
	}
}

// Records are aligned to 8, as documents say, at any length and where they are copied, and the room
// for them is.
func TestAlignment(t *testing.T) {
	for _, o := range []Options{{}, {Untrusted: true}} {
		o.Capacity = 4096
		server, client := connect2(t, o, Options{})
		for n := range 1000 {
			room, err := client.Writer().Reserve(forever, n%300+1)
			if err != nil || uintptr(unsafe.Pointer(&room[0]))%8 != 0 {
				t.Fatalf("room for %d bytes at %p (%v)", n%300+1, room, err)
			}
			if err := client.Writer().Commit(n%300 + 1); err != nil {
				t.Fatal(err)
			}
			if err := client.Writer().Flush(); err != nil {
				t.Fatal(err)
			}
			rec, err := server.Reader().Next(forever)
			if err != nil || len(rec) != n%300+1 || uintptr(unsafe.Pointer(&rec[0]))%8 != 0 {
				t.Fatalf("a record of %d bytes at %p (%v)", len(rec), rec, err)
			}
		}
	}
}

// A context ends a wait, and the next one waits again.
func TestConnContext(t *testing.T) {
	for name, o := range waysToWake {
		t.Run(name, func(t *testing.T) {
			server, client := connect2(t, o, o)
			for range 20 {
				ctx, cancel := context.WithTimeout(forever, time.Millisecond)
				if _, err := server.Reader().Next(ctx); err != context.DeadlineExceeded {
					t.Fatal(err)
				}
				cancel()
			}
			go func() {
				time.Sleep(5 * time.Millisecond)
				client.Writer().Send(forever, []byte("x"))
			}()
			if rec, err := server.Reader().Next(forever); string(rec) != "x" {
				t.Errorf("%q, %v", rec, err)
			}
			ctx, cancel := context.WithTimeout(forever, 5*time.Millisecond)
			defer cancel()
			var err error
			for err == nil {
				err = server.Writer().Send(ctx, make([]byte, 1000))
			}
			if err != context.DeadlineExceeded {
				t.Error(err)
			}
		})
	}
}

// A deadline that the socket had before the set-up doesn't end the connection, nor keep
// one end from waking the other.
func TestSocketHadDeadline(t *testing.T) {
	for name, o := range waysToWake {
		t.Run(name, func(t *testing.T) {
			o.Spin = -1
			var server, client *Conn
			var soon time.Time
			for within := time.Second; server == nil; within *= 4 { // on a machine that stalls it may come before the end of the set-up
				a, b := sockets(t)
				soon = time.Now().Add(within)
				a.SetDeadline(soon)
				b.SetDeadline(soon)
				served := make(chan error, 1)
				go func() {
					var err error
					server, err = Serve(forever, a, o)
					served <- err
				}()
				var err error
				client, err = Connect(forever, b, o)
				if err = errors.Join(err, <-served); err != nil {
					if within > time.Minute || !errors.Is(err, os.ErrDeadlineExceeded) && !errors.Is(err, io.EOF) {
						t.Fatal(err)
					}
					server = nil
				}
			}
			defer server.Close()
			defer client.Close()
			time.Sleep(time.Until(soon))
			go func() {
				time.Sleep(5 * time.Millisecond)
				client.Writer().Send(forever, []byte("late"))
			}()
			if rec, err := server.Reader().Next(forever); string(rec) != "late" {
				t.Errorf("%q, %v", rec, err)
			}
		})
	}
}

// Close ends the waits of its own side, and the peer reads what there is and gets io.EOF.
func TestConnClose(t *testing.T) {
	for name, o := range waysToWake {
		t.Run(name, func(t *testing.T) {
			server, client := connect2(t, o, o)
			server.Writer().Send(forever, []byte("last"))
			ended := make(chan error)
			go func() {
				_, err := server.Reader().Next(forever)
				ended <- err
			}()
			time.Sleep(2 * time.Millisecond)
			server.Close()
			server.Close()
			if err := <-ended; err != ErrClosed {
				t.Errorf("here: %v", err)
			}
			if err := server.Writer().Send(forever, nil); err != ErrClosed {
				t.Errorf("here, to write: %v", err)
			}
			if rec, err := client.Reader().Next(forever); string(rec) != "last" {
				t.Errorf("there: %q, %v", rec, err)
			}
			if _, err := client.Reader().Next(forever); err != io.EOF {
				t.Errorf("there, after the last: %v", err)
			}
			var err error
			for err == nil {
				err = client.Writer().Send(forever, make([]byte, 100))
			}
			if err != ErrGone {
				t.Errorf("there, to write: %v", err)
			}
		})
	}
}

// Close is what all calls return from then on, whatever the peer did before and no matter who
// has been told of that.
func TestConnCloseAfterPeer(t *testing.T) {
	for name, o := range waysToWake {
		for _, told := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				server, client := connect2(t, o, o)
				client.Close()
				for told {
					// EOF: it has closed. ErrGone is for a writer.
					if _, err := server.Reader().Next(forever); err != io.EOF {
						t.Fatal(err)
					}
					if err := server.Writer().Send(forever, make([]byte, 100)); err == ErrGone {
						break
					} else if err != nil {
						t.Fatal(err)
					}
				}
				server.Close()
				if _, err := server.Reader().Next(forever); err != ErrClosed {
					t.Errorf("to read: %v", err)
				}
				if err := server.Writer().Send(forever, nil); err != ErrClosed {
					t.Errorf("to write: %v", err)
				}
			})
		}
	}
}

// mappings counts the rings that are mapped.
func mappings(t *testing.T) int {
	t.Helper()
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Count(string(maps), "memfd:seam-ring")
}

// descriptors counts what this process has open.
func descriptors(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

// Nothing is left of connections that are closed, however they are.
func TestNothingIsLeft(t *testing.T) {
	collected(t)
	fds := descriptors(t)
	for range 10 {
		server, client := connect2(t, Options{}, Options{})
		rec := func() []byte {
			server.Writer().Send(forever, []byte("kept"))
			rec, _ := client.Reader().Next(forever)
			return rec
		}()
		client.Close()
		client.Reader().Close()
		client.Writer().Close()
		if string(rec) != "kept" {
			t.Fatal("a record went away with its reader")
		}
		client.Reader().Release()
		server.Close()
		if _, err := server.Reader().Next(forever); err == nil {
			t.Fatal("a record from a closed connection")
		}
		server.Writer().Close()
	}
	if n := mappings(t); n != 0 {
		t.Errorf("%d rings are still mapped", n)
	}
	if n := descriptors(t); n > fds {
		t.Errorf("%d descriptors are still open", n-fds)
	}
}

// collected returns when the rings of connections that are closed, and of which nothing
// else is left, are unmapped.
func collected(t *testing.T) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); mappings(t) > 0; runtime.GC() {
		if time.Now().After(deadline) {
			t.Fatal("rings are still mapped")
		}
		time.Sleep(time.Millisecond)
	}
}

// Ends that nobody calls after Close are collected.
func TestCollected(t *testing.T) {
	collected(t)
	func() {
		a, b := sockets(t)
		served := make(chan *Conn, 1)
		go func() {
			c, _ := Serve(forever, a, Options{})
			served <- c
		}()
		client, err := Connect(forever, b, Options{})
		server := <-served
		if err != nil || server == nil {
			t.Fatal(err)
		}
		if n := mappings(t); n != 2 {
			t.Errorf("%d rings are mapped, want those of both sides", n)
		}
		client.Close()
		server.Close()
	}()
	collected(t)
}

// A peer that can't be a peer is refused, and both sides say why.
func TestRefused(t *testing.T) {
	good := Options{}.hello()
	with := func(change func(*hello)) hello { h := good; change(&h); return h }
	for _, c := range []struct {
		name  string
		hello []byte
		want  string
	}{
		{"another protocol", make([]byte, helloSize), "doesn't speak this protocol"},
		{"another version", with(func(h *hello) { h.version = 7 }).bytes(), "version 7"},
		{"another layout", with(func(h *hello) { h.layout = 7 }).bytes(), "layout 0x7"},
		{"unknown features", with(func(h *hello) { h.features = 1 << 40 }).bytes(), "0x10000000000"},
		{"refuses", with(func(h *hello) { h.status = badMemory }).bytes(), "can't use the memory"},
	} {
		t.Run("server/"+c.name, func(t *testing.T) {
			a, b := sockets(t)
			defer b.Close()
			b.Write(c.hello)
			if _, err := Serve(forever, a, Options{}); !errors.Is(err, ErrMismatch) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v", err)
			}
		})
		t.Run("client/"+c.name, func(t *testing.T) {
			a, b := sockets(t)
			defer b.Close()
			b.Write(c.hello)
			if _, err := Connect(forever, a, Options{}); !errors.Is(err, ErrMismatch) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v", err)
			}
		})
	}
	t.Run("both know", func(t *testing.T) {
		a, b := sockets(t)
		ended := make(chan error)
		go func() {
			_, err := Serve(forever, a, Options{Capacity: 8192})
			ended <- err
		}()
		if _, err := Connect(forever, b, Options{MaxCapacity: 4096}); !errors.Is(err, ErrMismatch) {
			t.Errorf("client: %v", err)
		}
		if err := <-ended; !errors.Is(err, ErrMismatch) {
			t.Errorf("server: %v", err)
		}
	})
	t.Run("silence", func(t *testing.T) {
		a, b := sockets(t)
		defer b.Close()
		ctx, cancel := context.WithTimeout(forever, 5*time.Millisecond)
		defer cancel()
		if _, err := Serve(ctx, a, Options{}); err != context.DeadlineExceeded {
			t.Errorf("%v", err)
		}
	})
}

// What a serving peer hands over is checked: its size can't change, it is as large as it
// must be, and no larger than the limit.
func TestRefusedMemory(t *testing.T) {
	const capacity = 4096
	make1 := func(t *testing.T, size int64, seals int) int {
		fd, err := memfd(size)
		if err != nil {
			t.Fatal(err)
		}
		if seals != sealed { // another one, without them
			f, err := os.CreateTemp(t.TempDir(), "")
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if err := f.Truncate(size); err != nil {
				t.Fatal(err)
			}
			syscall.Close(fd)
			if fd, err = syscall.Dup(int(f.Fd())); err != nil {
				t.Fatal(err)
			}
		}
		return fd
	}
	for _, c := range []struct {
		name     string
		capacity uint64
		size     int64
		seals    int
		count    int
		want     string
	}{
		{"a file", capacity, int64(2 * stride(capacity)), 0, fdCount, "seal"},
		{"too small", capacity, 4096, sealed, fdCount, "has 4096 bytes"},
		{"no power of two", 3000, int64(2 * stride(3000)), sealed, fdCount, "power of two"},
		{"none", 0, 8192, sealed, fdCount, "power of two"},
		{"huge", 1 << 63, 8192, sealed, fdCount, "power of two"},
		{"above the limit", 1 << 20, int64(2 * stride(1<<20)), sealed, fdCount, "limit is 65536"},
		{"descriptors missing", capacity, int64(2 * stride(capacity)), sealed, 2, "2 descriptors"},
		{"nothing to sleep on", capacity, int64(2 * stride(capacity)), sealed, -fdCount, "to sleep on"},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := descriptors(t)
			a, b := sockets(t)
			h := Options{}.hello()
			h.capacity = c.capacity
			fds := []int{make1(t, c.size, c.seals)}
			for len(fds) < max(c.count, -c.count) {
				fd, err := eventfd()
				if c.count < 0 {
					syscall.Close(fd)
					fd, err = syscall.Open("/dev/null", syscall.O_RDWR, 0)
				}
				if err != nil {
					t.Fatal(err)
				}
				fds = append(fds, fd)
			}
			if _, _, err := b.WriteMsgUnix(h.bytes(), syscall.UnixRights(fds...), nil); err != nil {
				t.Fatal(err)
			}
			if _, err := Connect(forever, a, Options{MaxCapacity: 65536}); !errors.Is(err, ErrMismatch) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v", err)
			}
			b.Close()
			closeAll(fds)
			if n := descriptors(t); n > before {
				t.Errorf("%d descriptors are left", n-before)
			}
		})
	}
}

// Descriptors that come in small pieces are counted as they come, so that a peer can't use
// up all that this process may have.
func TestRefusedTrickle(t *testing.T) {
	before := descriptors(t)
	a, b := sockets(t)
	fd, err := eventfd()
	if err != nil {
		t.Fatal(err)
	}
	rights := syscall.UnixRights(fd, fd, fd)
	for _, c := range (Options{}).hello().bytes()[:2] {
		if _, _, err := b.WriteMsgUnix([]byte{c}, rights, nil); err != nil {
			t.Fatal(err)
		}
	}
	syscall.Close(fd)
	ctx, cancel := context.WithTimeout(forever, 2*time.Minute)
	defer cancel()
	if _, err := Connect(ctx, a, Options{}); !errors.Is(err, ErrMismatch) {
		t.Error(err)
	}
	b.Close()
	if n := descriptors(t); n > before {
		t.Errorf("%d descriptors are left", n-before)
	}
}

// Where this process can't take the descriptors the error says so.
func TestTooManyOpen(t *testing.T) {
	a, b := sockets(t)
	defer b.Close()
	fd, err := eventfd()
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = b.WriteMsgUnix(Options{}.hello().bytes(), syscall.UnixRights(fd, fd, fd, fd, fd), nil)
	syscall.Close(fd)
	if err != nil {
		t.Fatal(err)
	}
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	few := limit
	few.Cur = uint64(fd) + 2
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &few); err != nil {
		t.Fatal(err)
	}
	_, err = Connect(forever, a, Options{})
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	if !errors.Is(err, syscall.EMFILE) {
		t.Error(err)
	}
}

// The peer can't change the size of the memory.
func TestMemoryKeepsItsSize(t *testing.T) {
	fd, err := memfd(8192)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(fd)
	for _, size := range []int64{0, 4096, 16384} {
		if err := syscall.Ftruncate(fd, size); err != syscall.EPERM {
			t.Errorf("to %d bytes: %v", size, err)
		}
	}
	if _, err := fcntl(fd, fAddSeals, 8); err != syscall.EPERM {
		t.Errorf("another seal: %v", err)
	}
}

// What a goroutine did before it sent a record comes before what the receiver does: the
// race detector knows that too.
func TestHappensBefore(t *testing.T) {
	for name, o := range waysToWake {
		t.Run(name, func(t *testing.T) {
			server, client := connect2(t, o, o)
			values := make([]int, 1000)
			go func() {
				for i := range values {
					values[i] = i
					client.Writer().Send(forever, []byte{byte(i)})
				}
			}()
			for i := range values {
				if _, err := server.Reader().Next(forever); err != nil || values[i] != i {
					t.Fatalf("value %d is %d, %v", i, values[i], err)
				}
				values[i] = -1
			}
		})
	}
}
