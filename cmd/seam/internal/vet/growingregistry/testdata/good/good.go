// Package good takes out what it puts in.
package good

// #include <stdint.h>
// int lib_walk(uintptr_t user);
import "C"

import "sync"

var (
	mu    sync.Mutex
	calls = map[C.uintptr_t]func(int){}
	next  C.uintptr_t
	kinds = map[int]string{}
	names = map[string]func(){}
	own   = map[int]int{}
	lent  = map[int]func(){}
)

func init() { kinds[1] = "one" }

//export goodStep
func goodStep(user C.uintptr_t, n C.int) {
	mu.Lock()
	defer mu.Unlock()
	calls[user](int(n))
	_ = kinds[int(n)]
	names["x"]()
	lent[int(n)]()
}

// Walk walks.
func Walk(f func(int)) int {
	mu.Lock()
	next++
	id := next
	calls[id] = f
	mu.Unlock()
	defer func() {
		mu.Lock()
		defer mu.Unlock()
		delete(calls, id)
	}()
	return int(C.lib_walk(id))
}

// Named registers a kind of thing.
func Named(name string, f func()) { mu.Lock(); defer mu.Unlock(); names[name] = f }

// Own is read by nobody that C calls.
func Own(i int) { own[i] = i }

func remove(m map[int]func()) { clear(m) }

// Lend lends the table.
func Lend(i int, f func()) {
	mu.Lock()
	defer mu.Unlock()
	lent[i] = f
	remove(lent)
}
