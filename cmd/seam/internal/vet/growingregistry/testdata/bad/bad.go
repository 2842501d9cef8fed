// Package bad never takes anything out.
package bad

// #include <stdint.h>
// int lib_walk(uintptr_t user);
import "C"

import "sync"

var (
	mu    sync.Mutex
	calls = map[C.uintptr_t]func(int){}
	next  C.uintptr_t
)

func register(f func(int)) C.uintptr_t {
	mu.Lock()
	defer mu.Unlock()
	next++
	calls[next] = f // want warning "calls gets entries, which badStep looks up for C, and none is ever taken out"
	return next
}

//export badStep
func badStep(user C.uintptr_t, n C.int) {
	mu.Lock()
	f := calls[user]
	mu.Unlock()
	f(int(n))
}

// Walk walks.
func Walk(f func(int)) int { return int(C.lib_walk(register(f))) }
