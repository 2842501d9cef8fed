//go:build cgo && linux && (amd64 || arm64) && !msan

//seam:test race nocgo toolchains arm64

package netio_test

import (
	"os"
	"syscall"
	"testing"

	"github.com/seamgo/seam/coro/internal/native"
	"github.com/seamgo/seam/coro/netio/internal/ctest"
	"github.com/seamgo/seam/internal/child"
)

// A wait that begins just before its descriptor's number gets another file is a wait for
// that file: the announcement that came before the wait says nothing about it.
func TestReplacedAfterAnnouncement(t *testing.T) {
	needCoroutines(t)
	for name, r := range runners(t) {
		t.Run(name, func(t *testing.T) {
			a, _ := pair(t, syscall.SOCK_STREAM)
			c, d := pair(t, syscall.SOCK_STREAM)
			ctest.Closing(a)
			op := newOp(t, ctest.Recv, 5)
			op.FD = int32(a)
			p := start(t, r, op)
			untilWaiting(t, 1)
			check(t, syscall.Dup3(c, a, syscall.O_CLOEXEC))
			ctest.Closed(a)
			write(t, d, "hello")
			p.want(t, 5, ctest.Errno)
		})
	}
}

// dup2 and dup3 announce what they close if a coroutine waits for it, and otherwise cost nothing more.
func TestReplaceAnnounces(t *testing.T) {
	needCoroutines(t)
	for _, kind := range []int{ctest.Dup2, ctest.Dup3} {
		r, _ := pipe(t)
		waiting := newOp(t, ctest.Read, 1)
		waiting.FD = int32(r)
		p := start(t, runners(t)["locked"], waiting)
		untilWaiting(t, 1)
		for _, to := range []struct {
			fd     int
			waited bool
		}{{file(t, ""), false}, {r, true}} {
			before := native.Closing()
			op := newOp(t, kind, 0)
			op.FD, op.FD2 = int32(file(t, "")), int32(to.fd)
			op.Plain()
			want(t, op, int64(to.fd), ctest.Errno)
			// Before it, and after it, unless the wait has ended by then.
			if n := native.Closing() - before; (n > 0) != to.waited || n > 2 {
				t.Errorf("%s made %d announcements (waited for: %v)", ctest.Names[kind], n, to.waited)
			}
		}
		p.wait(t) // closed, or the file that has the number now: see TestReplacedAfterAnnouncement
	}
}

// A thread that has taken a number and never writes its announcement, since a signal has
// interrupted it or ended it, does not stop the others.
func TestUnwrittenAnnouncement(t *testing.T) {
	needCoroutines(t)
	for name, r := range runners(t) {
		t.Run(name, func(t *testing.T) {
			a, _ := pair(t, syscall.SOCK_STREAM)
			op := newOp(t, ctest.Recv, 5)
			op.FD = int32(a)
			p := start(t, r, op)
			untilWaiting(t, 1)
			ctest.TakeNumber()
			closer := newOp(t, ctest.Close, 0)
			closer.FD = int32(a)
			disown(a)
			closer.Plain()
			p.want(t, -1, int(syscall.EBADF))
		})
	}
}

// A writer that 256 others have overtaken leaves their announcements as they are.
func TestOvertakenAnnouncement(t *testing.T) {
	const which = "SEAM_TEST_NETIO_OVERTAKEN"
	if os.Getenv(which) == "" { // the listener is not told, and would find these at the next close
		cmd := child.Self(t, "-test.run=^TestOvertakenAnnouncement$", "-test.count=1")
		cmd.Env = append(os.Environ(), which+"=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	const fd, other = 5, 6
	late := ctest.TakeNumber()
	last := late
	for range native.ClosingRing {
		last = ctest.TakeNumber()
		ctest.Announce(last, fd)
	}
	ctest.Announce(late, other)
	if got, closed, ok := native.ClosingAt(last); got != fd || closed || !ok {
		t.Errorf("the announcement is %d, %v, %v", got, closed, ok)
	}
}
