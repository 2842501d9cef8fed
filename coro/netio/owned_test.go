//go:build cgo && linux && (amd64 || arm64) && !msan

package netio_test

import (
	"syscall"
	"testing"
	"unsafe"

	"github.com/seamgo/seam/coro"
	"github.com/seamgo/seam/coro/netio/internal/ctest"
)

// owns calls something of a lock in a coroutine of its own.
func owns(t *testing.T, r coro.Runner, kind, what int) syscall.Errno {
	n, err := r.Call(t.Context(), ctest.OwnedUse, unsafe.Pointer(ctest.NewOwned(kind, what)))
	check(t, err)
	return syscall.Errno(n)
}

var ownedKinds = []int{ctest.Recursive, ctest.ErrorCheck, ctest.ReadWrite, ctest.FileLock}

// oneThread are the ways to run coroutines in which they share a thread.
func oneThread(t *testing.T) map[string]coro.Runner {
	e, err := coro.NewExecutor(coro.ExecutorOptions{Threads: 1, Inline: -1})
	check(t, err)
	t.Cleanup(func() { check(t, e.Close()) })
	return map[string]coro.Runner{"executor": e.Runner(), "floating": coro.Floating}
}

// A lock that a coroutine has is no thread's: whichever way it was taken, nobody else on the thread has it.
func TestLockIsNoThreads(t *testing.T) {
	needCoroutines(t)
	for way, r := range oneThread(t) {
		for _, kind := range ownedKinds {
			if way == "floating" && kind == ctest.FileLock {
				continue // which belongs to the thread
			}
			for _, take := range []int{ctest.OwnedLock, ctest.OwnedTry} {
				name := ctest.LockKinds[kind]
				owns(t, r, kind, ctest.OwnedInit)
				if e := owns(t, r, kind, take); e != 0 {
					t.Errorf("%s, %s: it is not free: %v", way, name, e)
				}
				if e := owns(t, r, kind, ctest.OwnedTry); e != syscall.EBUSY {
					t.Errorf("%s, %s: another coroutine tries: %v", way, name, e)
				}
				if way == "floating" { // on this thread
					if e := syscall.Errno(ctest.OwnedPlainly(kind, ctest.OwnedLate)); e != syscall.ETIMEDOUT {
						t.Errorf("%s, %s: a cgo call waits for no time: %v", way, name, e)
					}
				}
				if e := syscall.Errno(ctest.OwnedByThread(kind, ctest.OwnedTry)); e != syscall.EBUSY {
					t.Errorf("%s, %s: a thread tries: %v", way, name, e)
				}
				// Its coroutine has ended. Another one may unlock it, which then has it no more.
				if e := owns(t, r, kind, ctest.OwnedUnlock); e != 0 {
					t.Errorf("%s, %s: another coroutine unlocks: %v", way, name, e)
				}
				for range 2 {
					if e := owns(t, r, kind, ctest.OwnedTry); e != 0 {
						t.Errorf("%s, %s: it was not unlocked: %v", way, name, e)
					}
					owns(t, r, kind, ctest.OwnedUnlock)
				}
				if e := syscall.Errno(ctest.OwnedByThread(kind, ctest.OwnedTry)); e != 0 {
					t.Errorf("%s, %s: no thread gets it: %v", way, name, e)
				}
			}
		}
	}
}

// What a coroutine has locked when it ends says nothing of a lock that is made at the same address.
func TestLockMadeAnew(t *testing.T) {
	needCoroutines(t)
	for way, r := range oneThread(t) {
		for _, kind := range ownedKinds[:3] {
			for range 3 {
				owns(t, r, kind, ctest.OwnedInit)
				if e := owns(t, r, kind, ctest.OwnedTry); e != 0 {
					t.Errorf("%s, %s: a new one is not free: %v", way, ctest.LockKinds[kind], e)
				}
			}
			owns(t, r, kind, ctest.OwnedInit)
			if e := syscall.Errno(ctest.OwnedByThread(kind, ctest.OwnedLock)); e != 0 {
				t.Errorf("%s, %s: no thread gets it: %v", way, ctest.LockKinds[kind], e)
			}
			if e := owns(t, r, kind, ctest.OwnedTry); e != syscall.EBUSY {
				t.Errorf("%s, %s: it is a thread's: %v", way, ctest.LockKinds[kind], e)
			}
		}
	}
}
