// Package good has no large frames where it matters.
package good

import (
	"io"
	"os"
	"sync"
)

var buffers = sync.Pool{New: func() any { return new([32 << 10]byte) }}

// Serve takes buffers from a pool.
func Serve(files chan *os.File) {
	for f := range files {
		go func() {
			buf := buffers.Get().(*[32 << 10]byte)
			defer buffers.Put(buf)
			f.Read(buf[:])
			var small [512]byte
			f.Read(small[:])
			var onHeap [1 << 20]byte // too large for a stack
			f.Read(onHeap[:])
		}()
		go heap(f)
	}
}

// heap gives the array to an interface, so it isn't on the stack.
func heap(r io.Reader) {
	var buf [8192]byte
	r.Read(buf[:])
}

// Once starts a single goroutine.
func Once(f *os.File) {
	go func() {
		var buf [32 << 10]byte
		f.Read(buf[:])
	}()
}

// Group takes a buffer from the pool, and starts one that isn't in the loop.
func Group(files []*os.File) {
	var wg sync.WaitGroup
	for _, f := range files {
		wg.Go(func() {
			buf := buffers.Get().(*[32 << 10]byte)
			defer buffers.Put(buf)
			f.Read(buf[:])
		})
	}
	wg.Go(func() {
		var buf [32 << 10]byte
		files[0].Read(buf[:])
	})
	wg.Wait()
}
