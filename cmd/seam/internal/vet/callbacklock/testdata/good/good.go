// Package good lets go first.
package good

/*
void goodChange(void);
static void set(int n) { if (n) goodChange(); }
static int get(void) { return 1; }
*/
import "C"

import "sync"

var (
	mu, other sync.Mutex
	count     int
)

//export goodChange
func goodChange() {
	mu.Lock()
	count++
	mu.Unlock()
}

func before(n int) {
	mu.Lock()
	count = n
	mu.Unlock()
	C.set(C.int(n))
}

func another(n int) {
	other.Lock()
	defer other.Unlock()
	C.set(C.int(n))
}

func noCallback() int {
	mu.Lock()
	defer mu.Unlock()
	return int(C.get())
}

func later(n int) {
	mu.Lock()
	defer mu.Unlock()
	go C.set(C.int(n))
}
