//go:build linux && !android && gc && !asan && !msan && go1.25 && !go1.28

package abi

import (
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
)

// maxTLS bounds the search. The thread's control block and the executable's thread-local
// variables, the runtime's slot among them, follow the thread pointer. The C library's own
// share is a few hundred bytes.
const maxTLS = 64 << 10

// GSlot returns the distance from the thread pointer to the word in which a cgo program
// keeps the current g while C runs. The runtime names it by a symbol that we must not use,
// so it is found by its value: the one word near the thread pointer that equals g, on
// several threads with different g. Anything but exactly one such word is an error.
var GSlot = sync.OnceValues(findGSlot)

func findGSlot() (uintptr, error) {
	const threads = 3
	var (
		common map[uintptr]bool
		mu     sync.Mutex
		wg     sync.WaitGroup
		ready  sync.WaitGroup
	)
	// All goroutines hold their threads at the same time, so no two share one.
	ready.Add(threads)
	for range threads {
		wg.Add(1)
		go func() {
			defer wg.Done()
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			ready.Done()
			ready.Wait()
			found := slotsEqualTo(threadPointer(), currentG())
			mu.Lock()
			defer mu.Unlock()
			if common == nil {
				common = found
				return
			}
			for off := range common {
				if !found[off] {
					delete(common, off)
				}
			}
		}()
	}
	wg.Wait()
	switch len(common) {
	case 0:
		return 0, errors.New("the thread-local slot of the current goroutine was not found near the thread pointer")
	case 1:
		for off := range common {
			return off, nil
		}
	}
	return 0, fmt.Errorf("the thread-local slot of the current goroutine is one of %d places", len(common))
}

// slotsEqualTo returns the offsets from base of words equal to want, up to the first page
// that can't be read. If another thread unmaps a page after the kernel has read it and
// before we do, the search ends there.
func slotsEqualTo(base, want uintptr) (found map[uintptr]bool) {
	const page = 4096 // no arm64 kernel has smaller ones
	found = make(map[uintptr]bool)
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() { _ = recover() }()
	var r reader
	for off := uintptr(0); off < maxTLS; off += 8 {
		if addr := base + off; off == 0 || addr%page == 0 {
			r.word("thread-local storage", addr)
			if r.err != nil {
				break
			}
		}
		if binary.NativeEndian.Uint64(load(base+off)) == uint64(want) {
			found[off] = true
		}
	}
	return found
}

// threadPointer returns TPIDR_EL0.
//
//go:noescape
func threadPointer() uintptr
