// Package bad loses its thread.
package bad

/*
static __thread int current;
static void make_current(int c) { current = c; }
static int draw(void) { return current; }
int glfwMakeContextCurrent(void *w);
int glfwSwap(void);
int grow(int n);
*/
import "C"

import (
	"errors"
	"runtime"
)

func deferred() {
	runtime.LockOSThread()
	defer runtime.LockOSThread() // want warning "UnlockOSThread is meant"
	C.grow(1)
}

func early(n int) error {
	runtime.LockOSThread() // want warning "the thread is not unlocked on the way to line"
	if n < 0 {
		return errors.New("negative")
	}
	C.grow(1)
	runtime.UnlockOSThread()
	return nil
}

func seen() int {
	C.make_current(1)
	return int(C.draw()) // want warning "C.make_current sets what counts for its thread, and C.draw may run on another"
}

func contract() {
	C.glfwMakeContextCurrent(nil)
	C.glfwSwap() // want warning "C.glfwMakeContextCurrent sets what counts for its thread"
}
