//go:build cgo && linux && (amd64 || arm64) && !msan

package netio_test

import (
	"net"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/seamgo/seam/coro"
	"github.com/seamgo/seam/coro/netio/internal/ctest"
)

// C that waits on a stack which it has made itself waits as any other: a collection comes to its end
// meanwhile.
func TestOwnStack(t *testing.T) {
	needCoroutines(t)
	for name, runner := range runners(t) {
		for _, f := range []struct {
			name string
			fn   unsafe.Pointer
			want int64
		}{{"read", ctest.OwnStack, 1}, {"more", ctest.OwnStackMore, 3}} {
			t.Run(name+"/"+f.name, func(t *testing.T) {
				var wg sync.WaitGroup
				defer wg.Wait()
				for range 20 {
					r, w := pipe(t)
					fd := int32(r)
					wg.Go(func() {
						if n, err := runner.Call(t.Context(), f.fn, unsafe.Pointer(&fd)); n != f.want || err != nil {
							t.Errorf("%d, %v", n, err)
						}
					})
					runtime.GC()
					write(t, w, "x")
				}
			})
		}
	}
}

// busyArgs are seam_test_busy_args in ctest/odd.h.
type busyArgs struct {
	fd    int32
	stop  atomic.Int32
	bytes atomic.Int64
}

// C that calls libc all the time without ever having to wait lets others run: the collection here has
// to stop it, and it ends only after that.
func TestBusy(t *testing.T) {
	needCoroutines(t)
	for name, runner := range runners(t) {
		t.Run(name, func(t *testing.T) {
			for _, fn := range []unsafe.Pointer{ctest.BusyRead, ctest.BusyWrite, ctest.BusyPoll} {
				zero, err := syscall.Open("/dev/zero", syscall.O_RDWR|syscall.O_CLOEXEC, 0)
				check(t, err)
				keep(t, zero)
				a := &busyArgs{fd: int32(zero)}
				ended := make(chan error)
				go func() {
					_, err := runner.Call(t.Context(), fn, unsafe.Pointer(a))
					ended <- err
				}()
				until(t, "it runs", func() bool { return a.bytes.Load() > 0 })
				runtime.GC()
				a.stop.Store(1)
				check(t, <-ended)
			}
		})
	}
}

// Event loops of C's that one descriptor stops: the kernel lets no instance of epoll see hundreds of
// others that lead to the same file, nor those behind too many others.
func TestEventLoops(t *testing.T) {
	needCoroutines(t)
	for name, runner := range runners(t) {
		for _, f := range []struct {
			name string
			fn   unsafe.Pointer
			n    int
		}{{"shared", ctest.EventLoop, 600}, {"nested", ctest.NestedLoop, 3}} {
			if name == "locked" && f.n > 100 {
				f.n = 100 // threads
			}
			t.Run(name+"/"+f.name, func(t *testing.T) {
				r, w := pipe(t)
				fd := int32(r)
				var wg sync.WaitGroup
				for range f.n {
					wg.Go(func() {
						if n, err := runner.Call(t.Context(), f.fn, unsafe.Pointer(&fd)); n != 1 || err != nil {
							t.Errorf("epoll_wait: %d, %v", n, err)
						}
					})
				}
				untilWaiting(t, f.n)
				write(t, w, "x")
				wg.Wait()
			})
		}
	}
}

// What getaddrinfo does depends on its thread's resolver state, for C that has a thread.
func TestOwnNameServer(t *testing.T) {
	needCoroutines(t)
	session := coro.NewSession()
	defer session.Close()
	for name, runner := range map[string]coro.Runner{"locked": coro.Locked, "session": session.Runner()} {
		t.Run(name, func(t *testing.T) {
			server, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
			check(t, err)
			defer server.Close()
			var asked atomic.Int32
			go func() {
				b := make([]byte, 512)
				for {
					n, from, err := server.ReadFromUDP(b)
					if err != nil {
						return
					}
					asked.Add(1)
					server.WriteToUDP(answer(b[:n]), from)
				}
			}()
			port := int32(server.LocalAddr().(*net.UDPAddr).Port)
			n, err := runner.Call(t.Context(), ctest.OwnServer, unsafe.Pointer(&port)) // a context that may end
			if n != 0 || err != nil || asked.Load() == 0 {
				t.Errorf("getaddrinfo: %d, %v; the server was asked %d times", n, err, asked.Load())
			}
		})
	}
}

// answer is a name server's answer: an address of IPv4, and none of IPv6.
func answer(question []byte) []byte {
	end := 12
	for end < len(question) && question[end] != 0 {
		end += int(question[end]) + 1
	}
	if end+5 > len(question) {
		return nil
	}
	out := append([]byte{question[0], question[1], 0x81, 0x80, 0, 1, 0, 0, 0, 0, 0, 0}, question[12:end+5]...)
	if question[end+2] == 1 {
		out[7] = 1
		out = append(out, 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 10, 1, 2, 3)
	}
	return out
}

// One call that sends without a copy counts as one, however long it waits.
func TestZeroCopy(t *testing.T) {
	needCoroutines(t)
	for name, runner := range runners(t) {
		t.Run(name, func(t *testing.T) {
			a, b := tcp(t)
			check(t, syscall.SetNonblock(a, false))
			go func() {
				buf := make([]byte, 64<<10)
				for {
					if n, err := syscall.Read(b, buf); n <= 0 && err != syscall.EINTR && err != syscall.EAGAIN {
						return
					}
					time.Sleep(time.Microsecond)
				}
			}()
			fd := int32(a)
			switch n, err := runner.Call(t.Context(), ctest.ZeroCopy, unsafe.Pointer(&fd)); {
			case n == -int64(syscall.ENOPROTOOPT) || n == -int64(syscall.EINVAL) || n == -int64(syscall.ENOTSUP) || n == -int64(syscall.ENOBUFS):
				t.Skip("no MSG_ZEROCOPY here: ", syscall.Errno(-n))
			case n != 1 || err != nil:
				t.Errorf("the kernel tells of %d calls, %v", n, err)
			}
			check(t, syscall.Shutdown(a, syscall.SHUT_RDWR))
		})
	}
}
