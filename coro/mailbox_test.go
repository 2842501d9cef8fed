//go:build linux && !android && (amd64 || arm64) && gc && cgo && !asan && !msan && go1.25 && !go1.28

package coro

import (
	"sync/atomic"
	"testing"
	"unsafe"
)

// A worker that has ended may be told to again: an Executor may be closed twice.
func TestStoppedWorker(t *testing.T) {
	w, err := newWorker()
	if err != nil {
		t.Fatal(err)
	}
	go w.run()
	event := w.mail.event
	for range 3 {
		w.stop()
		if w.mail.event != event || w.mail.first != 0 {
			t.Fatalf("the mailbox is %+v, its eventfd was %d", *w.mail, event)
		}
	}
}

// A function that has returned leaves the shared mailbox, no matter who reads that otherwise.
func TestSettle(t *testing.T) {
	if Status().Path != PathAssembly {
		t.Skip("only where coroutines have stacks of their own")
	}
	c, err := takeStack(defaultClass)
	if err != nil {
		t.Fatal(err)
	}
	defer putStack(defaultClass, c)
	b := c.below()
	b.woken = 1
	b.next = atomic.SwapUint64(&sharedMailbox.first, uint64(uintptr(unsafe.Pointer(c))))
	k := &call{c: c}
	c.op, c.n = opPause, 0
	for range 1000 {
		if k.pauses(); atomic.LoadUint32(&b.woken) == 0 {
			return
		}
	}
	t.Error("it is still in the mailbox after 1,000 pauses")
}
