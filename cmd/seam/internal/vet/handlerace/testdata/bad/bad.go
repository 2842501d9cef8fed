// Package bad frees and changes what others have.
package bad

// #include <stdint.h>
// #include <stdlib.h>
// typedef struct decoder decoder;
// decoder *decoder_new(void);
// int decoder_decode(decoder *d);
// void decoder_free(decoder *d);
// int decoder_run(uintptr_t user);
import "C"

import (
	"fmt"
	"runtime/cgo"
	"sync"
	"unsafe"
)

// Start doesn't wait.
func Start() {
	d := C.decoder_new()
	go func() { C.decoder_decode(d) }()
	fmt.Println("started")
	C.decoder_free(d) // want error "d is freed here while the goroutine started above may still be in C with it"
}

// Deferred doesn't either.
func Deferred() {
	d := C.decoder_new()
	defer C.decoder_free(d) // want error "d is freed here"
	go decode(d)
}

func decode(d *C.decoder) { C.decoder_decode(d) }

// Handle deletes what the goroutine gives C.
func Handle(f func()) {
	h := cgo.NewHandle(f)
	defer h.Delete() // want error "h is freed here"
	go func() { C.decoder_run(C.uintptr_t(h)) }()
}

// Text frees a string too early.
func Text(s string) {
	cs := C.CString(s)
	defer func() { C.free(unsafe.Pointer(cs)) }() // want error "cs is freed here"
	go func() { C.decoder_decode((*C.decoder)(unsafe.Pointer(cs))) }()
}

// Codec is used by two goroutines (pion/mediadevices 76: Read and Close).
type Codec struct {
	mu sync.Mutex
	d  *C.decoder
}

// Read takes the lock.
func (c *Codec) Read() {
	c.mu.Lock()
	defer c.mu.Unlock()
	C.decoder_decode(c.d)
}

// Peek doesn't.
func (c *Codec) Peek() int {
	return int(C.decoder_decode(c.d)) // want warning "d is given to C without the lock under which Close frees it and Read uses it"
}

// Close does.
func (c *Codec) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	C.decoder_free(c.d)
	c.d = nil
}

// Open is closed without the lock.
type Open struct {
	sync.RWMutex
	d *C.decoder
}

// Read takes the lock.
func (o *Open) Read() {
	o.RLock()
	defer o.RUnlock()
	o.read()
}

func (o *Open) read() { C.decoder_decode(o.d) }

// Write takes it too.
func (o *Open) Write() {
	o.Lock()
	C.decoder_decode(o.d)
	o.Unlock()
}

// Close doesn't.
func (o *Open) Close() { C.decoder_free(o.d) } // want warning "d is freed without the lock under which"

// The table of falcosecurity/plugin-sdk-go 85.
var handles [256]any

// NewHandle finds a free place.
func NewHandle(v any) int {
	for i := range handles {
		if handles[i] == nil {
			handles[i] = v // want warning "handles is changed here while badRead, which C calls on any thread, may read it"
			return i
		}
	}
	return -1
}

//export badRead
func badRead(i C.int) { value(int(i)).(func())() }

func value(i int) any { return handles[i] }

var (
	mu    sync.Mutex
	calls = map[int]func(){}
)

// Put forgets the mutex.
func Put(i int, f func()) {
	calls[i] = f // want warning "hold a mutex in both, as other functions do"
}

// Remove doesn't.
func Remove(i int) {
	mu.Lock()
	defer mu.Unlock()
	delete(calls, i)
}

//export badCall
func badCall(i C.int) { calls[int(i)]() }
