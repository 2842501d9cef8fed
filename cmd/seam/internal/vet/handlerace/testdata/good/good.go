// Package good waits, and locks.
package good

// #include <stdint.h>
// #include <stdlib.h>
// typedef struct decoder decoder;
// decoder *decoder_new(void);
// int decoder_decode(decoder *d);
// void decoder_stop(decoder *d);
// void decoder_free(decoder *d);
import "C"

import (
	"sync"
	"sync/atomic"
)

// Start waits for the goroutine.
func Start() {
	d := C.decoder_new()
	done := make(chan struct{})
	go func() { defer close(done); C.decoder_decode(d) }()
	<-done
	C.decoder_free(d)
}

// Deferred waits in a deferred function.
func Deferred() {
	d := C.decoder_new()
	var wg sync.WaitGroup
	defer func() { wg.Wait(); C.decoder_free(d) }()
	wg.Add(1)
	go func() { defer wg.Done(); C.decoder_decode(d) }()
}

// Stop lets C end the goroutine's call.
func Stop() {
	d := C.decoder_new()
	go func() { C.decoder_decode(d) }()
	C.decoder_stop(d)
	C.decoder_free(d)
}

// Given is freed by the goroutine.
func Given() {
	d := C.decoder_new()
	go func() {
		C.decoder_decode(d)
		C.decoder_free(d)
	}()
}

// Before frees another object.
func Before() {
	d := C.decoder_new()
	C.decoder_free(d)
	e := C.decoder_new()
	go func() { C.decoder_decode(e) }()
}

// Believed calls what may wait.
func Believed(wait func()) {
	d := C.decoder_new()
	go func() { C.decoder_decode(d) }()
	wait()
	C.decoder_free(d)
}

// Codec locks everywhere.
type Codec struct {
	mu sync.Mutex
	d  *C.decoder
}

// Read takes the lock.
func (c *Codec) Read() { c.mu.Lock(); defer c.mu.Unlock(); c.decode() }

func (c *Codec) decode() { C.decoder_decode(c.d) }

// Close takes it.
func (c *Codec) Close() { c.mu.Lock(); defer c.mu.Unlock(); C.decoder_free(c.d) }

// Counted counts its users.
type Counted struct {
	mu    sync.Mutex
	users atomic.Int32
	d     *C.decoder
}

// Read is counted.
func (c *Counted) Read() { c.users.Add(1); defer c.users.Add(-1); C.decoder_decode(c.d) }

// Write takes the lock.
func (c *Counted) Write() { c.mu.Lock(); defer c.mu.Unlock(); C.decoder_decode(c.d) }

// Close takes the lock.
func (c *Counted) Close() { c.mu.Lock(); defer c.mu.Unlock(); C.decoder_free(c.d) }

// Free has a mutex for something else.
type Free struct {
	mu   sync.Mutex
	name string
	d    *C.decoder
}

// Name takes the lock.
func (f *Free) Name() string { f.mu.Lock(); defer f.mu.Unlock(); return f.name }

// Read takes none.
func (f *Free) Read() { C.decoder_decode(f.d) }

// Close takes none.
func (f *Free) Close() { C.decoder_free(f.d) }

var (
	mu    sync.Mutex
	calls = map[int]func(){}
	kinds = map[int]string{}
	own   = map[int]func(){}
)

func init() { kinds[1] = "one" }

// Put takes the lock.
func Put(i int, f func()) { mu.Lock(); defer mu.Unlock(); put(i, f) }

func put(i int, f func()) { calls[i] = f }

// Drop takes it too.
func Drop(i int) { mu.Lock(); defer mu.Unlock(); delete(calls, i) }

// Own is read by Go alone.
func Own(i int, f func()) { own[i] = f }

//export goodCall
func goodCall(i C.int) {
	mu.Lock()
	f := calls[int(i)]
	mu.Unlock()
	f()
	_ = kinds[int(i)]
}
