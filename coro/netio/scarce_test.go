//go:build cgo && linux && (amd64 || arm64) && !msan

package netio_test

import (
	"os"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/seamgo/seam/coro"
	"github.com/seamgo/seam/coro/netio/internal/ctest"
	"github.com/seamgo/seam/internal/child"
)

// limitDescriptors sets how many descriptors the process may have, and returns what sets
// that back.
func limitDescriptors(t *testing.T, n int) (restore func()) {
	t.Helper()
	var limit syscall.Rlimit
	check(t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit))
	check(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: uint64(n), Max: limit.Max}))
	return func() {
		t.Helper()
		check(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit))
	}
}

// poll takes as many descriptors as the limit allows, which are not all different: a waiter
// needs one of its own besides.
func TestPollAtLimit(t *testing.T) {
	needCoroutines(t)
	const n = 512
	for name, r := range runners(t) {
		for what, rest := range map[string]func(fd int32) ctest.PollFD{
			"unused": func(int32) ctest.PollFD { return ctest.PollFD{FD: -1, Events: 1} },
			"twice":  func(fd int32) ctest.PollFD { return ctest.PollFD{FD: fd} },
		} {
			for _, kind := range []int{ctest.Poll, ctest.PPoll} {
				t.Run(name+"/"+ctest.Names[kind]+"/"+what, func(t *testing.T) {
					rd, w := pipe(t)
					begin := func() (*pending, []ctest.PollFD) {
						op := newOp(t, kind, n*int(unsafe.Sizeof(ctest.PollFD{})))
						list := unsafe.Slice((*ctest.PollFD)(op.Buf), n)
						for i := range list {
							list[i] = rest(int32(rd))
						}
						list[n/2] = ctest.PollFD{FD: int32(rd), Events: 1}
						op.NFDs = n
						p := start(t, r, op)
						untilWaiting(t, 1)
						return p, list
					}
					defer limitDescriptors(t, n)()
					p, _ := begin()
					p.cancel(errTest)
					p.want(t, -1, int(syscall.ECANCELED))
					p, list := begin()
					write(t, w, "x")
					p.want(t, 1, ctest.Errno)
					for i, f := range list {
						if (f.Revents == 1) != (i == n/2) {
							t.Fatalf("entry %d: %+v", i, f)
						}
					}
				})
			}
		}
	}
}

// When no descriptor is left, a wait takes a thread. Once there are some again, it does not.
func TestDescriptorsScarceForAMoment(t *testing.T) {
	needCoroutines(t)
	const which = "SEAM_TEST_NETIO_SCARCE"
	if os.Getenv(which) == "" { // a process in which nobody has waited before
		cmd := child.Self(t, "-test.run=^TestDescriptorsScarceForAMoment$", "-test.count=1")
		cmd.Env = append(os.Environ(), which+"=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	const scarce, many = 8, 100
	type wait struct {
		*pending
		w int
	}
	open := func(n int) (list []wait) {
		for range n {
			r, w := pipe(t)
			op := newOp(t, ctest.Read, 5)
			op.FD = int32(r)
			list = append(list, wait{&pending{op: op}, w})
		}
		return list
	}
	begin := func(list []wait) {
		before := coro.ReadStats().Waiting
		for i := range list {
			list[i].pending = start(t, coro.Floating, list[i].op)
		}
		untilWaiting(t, before+len(list))
	}
	end := func(list []wait) {
		for _, p := range list {
			write(t, p.w, "hello")
			p.want(t, 5, ctest.Errno)
		}
	}
	few, rest := open(scarce), open(many)
	time.Sleep(time.Millisecond) // Go's own poller can't start without descriptors
	restore := limitDescriptors(t, 3)
	begin(few)
	restore()
	before := threads(t)
	begin(rest)
	if n := threads(t); n > before+many/2 {
		t.Errorf("%d coroutines wait, and there are %d threads more", many, n-before)
	}
	closer := newOp(t, ctest.Close, 0)
	closer.FD = rest[0].op.FD
	disown(int(closer.FD))
	closer.Plain()
	rest[0].want(t, -1, int(syscall.EBADF))
	end(few)
	end(rest[1:])
}

// select takes descriptors beyond FD_SETSIZE also when the size of the kernel's table can't be
// asked. What is closed is an error then too.
func TestSelectWithoutDescriptors(t *testing.T) {
	needCoroutines(t)
	notEmulated(t, "select, which it can only do below FD_SETSIZE")
	for name, r := range runners(t) {
		t.Run(name, func(t *testing.T) {
			const high = 3000
			fds := [2]int{}
			check(t, syscall.Pipe2(fds[:], syscall.O_CLOEXEC))
			keep(t, fds[1])
			check(t, syscall.Dup3(fds[0], high, syscall.O_CLOEXEC))
			check(t, syscall.Close(fds[0]))
			keep(t, high)
			question := func() *ctest.Op {
				op := newOp(t, ctest.Select, 0)
				op.FDs[0], op.NFDs = ctest.PollFD{FD: high, Events: 1}, 1
				return op
			}
			restore := limitDescriptors(t, 3)
			defer restore()
			p := start(t, r, question())
			untilWaiting(t, 1)
			write(t, fds[1], "x")
			p.want(t, 1, ctest.Errno)
			shut(t, high)
			start(t, r, question()).want(t, -1, int(syscall.EBADF))
		})
	}
}
