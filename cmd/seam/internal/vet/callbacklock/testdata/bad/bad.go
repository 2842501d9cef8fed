// Package bad waits for itself.
package bad

/*
void badChange(void);
void badField(void);
static void set(int n) { if (n) badChange(); }
static void deep(int n) { set(n); }
static void field(void) { badField(); }
*/
import "C"

import "sync"

var (
	mu    sync.Mutex
	count int
)

func add() {
	mu.Lock()
	count++
	mu.Unlock()
}

//export badChange
func badChange() { add() }

func deferred(n int) {
	mu.Lock()
	defer mu.Unlock()
	C.set(C.int(n)) // want error "mu is locked, and this call comes back to Go (set → badChange), which locks it too"
}

func plain(n int) {
	mu.Lock()
	C.deep(C.int(n)) // want error "(deep → set → badChange)"
	mu.Unlock()
}

type table struct {
	mu sync.RWMutex
	n  int
}

var shared table

//export badField
func badField() {
	shared.mu.RLock()
	shared.mu.RUnlock()
}

func (t *table) set() {
	t.mu.Lock()
	defer t.mu.Unlock()
	C.field() // want warning "if it is the same one"
}
