// Package good keeps its thread.
package good

/*
static __thread int current;
static int shared;
static void make_current(int c) { current = c; }
static void share(int c) { shared = c; }
static int draw(void) { return current; }
static int show(void) { return shared; }
int grow(int n);
*/
import "C"

import (
	"errors"
	"runtime"
)

func init() { runtime.LockOSThread() } // for ever

func deferred(n int) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if n < 0 {
		return errors.New("negative")
	}
	C.grow(1)
	return nil
}

func byLiteral() {
	runtime.LockOSThread()
	defer func() {
		C.grow(0)
		runtime.UnlockOSThread()
	}()
	C.grow(1)
}

func always(n int) int {
	runtime.LockOSThread()
	r := C.grow(1)
	runtime.UnlockOSThread()
	if n < 0 {
		return 0
	}
	return int(r)
}

func kept() int {
	runtime.LockOSThread()
	C.make_current(1)
	return int(C.draw())
}

func inner() int {
	C.make_current(1)
	return int(C.draw())
}

func outer() int {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return inner()
}

func ofAll() int {
	C.share(1)
	return int(C.show())
}

// begin leaves the thread locked for commit.
func begin() (int, error) {
	runtime.LockOSThread()
	if r := C.grow(1); r < 0 {
		runtime.UnlockOSThread()
		return 0, errors.New("negative")
	}
	return 1, nil
}

func commit() { runtime.UnlockOSThread() }
