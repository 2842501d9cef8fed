//go:build cgo && unix

package callback

// #cgo CFLAGS: -O2 -Wall -Wextra -pthread -I${SRCDIR}/../../../../../../include
// #cgo LDFLAGS: -pthread
// #include "callback.h"
import "C"

import (
	"context"
	"fmt"
	"runtime/cgo"
	"syscall"
	"unsafe"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/coro"
)

type (
	item  = C.struct_seam_callback_item
	batch = C.struct_seam_callback_batch
	loop  = C.struct_seam_callback_loop
)

func serve(i *item) { i.result = i.value + 1 }

func serveBatch(b *batch) {
	for k := range b.items[:b.n] {
		serve(&b.items[k])
	}
}

//export seamCallbackItem
func seamCallbackItem(i *C.struct_seam_callback_item) { serve(i) }

//export seamCallbackBatch
func seamCallbackBatch(b *C.struct_seam_callback_batch) { serveBatch(b) }

//export seamCallbackAsk
func seamCallbackAsk(h C.uint64_t, i *C.struct_seam_callback_item) {
	cgo.Handle(h).Value().(*answerer).ask(i)
}

// An answerer is a goroutine that serves items for others.
type answerer struct {
	asked  chan *item
	served chan struct{}
}

func newAnswerer() *answerer {
	a := &answerer{make(chan *item), make(chan struct{})}
	go func() {
		defer close(a.served)
		for i := range a.asked {
			serve(i)
			a.served <- struct{}{}
		}
	}()
	return a
}

func (a *answerer) ask(i *item) {
	a.asked <- i
	<-a.served
}

// end returns when the goroutine has ended.
func (a *answerer) end() {
	close(a.asked)
	<-a.served
}

// op makes an operation of a loop in C. The loop is memory of the heap: C may
// be resumed on another stack than the one it was started from.
func op(function uint64, run func(*loop) error, end func()) *lab.Op {
	l := new(loop)
	l._go = C.uint64_t(function)
	return &lab.Op{
		Run: func(n int) {
			l.n, l.sum = C.int64_t(n), 0
			if err := run(l); err != nil {
				panic(fmt.Errorf("callback: %w", err)) // a wrong price must not be shown
			}
			if want := int64(n) * int64(n+1) / 2; int64(l.sum) != want {
				panic(fmt.Errorf("callback: Go answered C with a sum of %d, want %d", l.sum, want))
			}
		},
		Close: end,
	}
}

// cgoOp is op of a loop that cgo calls.
func cgoOp(run func(*loop)) *lab.Op {
	return op(0, func(l *loop) error { run(l); return nil }, nil)
}

func setupExport() (*lab.Op, error) {
	return cgoOp(func(l *loop) { C.seam_callback_export(l) }), nil
}

func setupBare() (*lab.Op, error) {
	run := func(l *loop) error {
		if e := C.seam_callback_bare(l); e != 0 {
			return syscall.Errno(e)
		}
		return nil
	}
	if err := run(new(loop)); err != nil {
		return nil, lab.Skip("can't switch stacks here: %v", err)
	}
	return op(0, run, nil), nil
}

func setupExportBatch() (*lab.Op, error) {
	return cgoOp(func(l *loop) { C.seam_callback_export_batch(l) }), nil
}

func setupExportChannel() (*lab.Op, error) {
	a := newAnswerer()
	h := cgo.NewHandle(a)
	run := func(l *loop) error { C.seam_callback_export_channel(l); return nil }
	return op(uint64(h), run, func() {
		h.Delete()
		a.end()
	}), nil
}

func setupThread() (*lab.Op, error) {
	var t *C.struct_seam_callback_thread
	if e := C.seam_callback_thread_new(&t); e != 0 {
		return nil, lab.Skip("can't start a thread: %v", syscall.Errno(e))
	}
	run := func(l *loop) error { C.seam_callback_thread_run(t, l); return nil }
	return op(0, run, func() { C.seam_callback_thread_free(t) }), nil
}

// upcallOp is op of a loop that is a coroutine and calls f.
func upcallOp(mode string, fn unsafe.Pointer, f *coro.Registered, end func()) (*lab.Op, error) {
	if s := coro.Status(); s.Path != "assembly" {
		f.Free()
		return nil, lab.Skip("coroutines take the slow path here (%s): %s", s.Path, s.Reason)
	}
	runner := coro.Locked
	if mode == floating {
		runner = coro.Floating
	}
	ctx := context.Background()
	run := func(l *loop) error {
		failed, err := runner.Call(ctx, fn, unsafe.Pointer(l))
		if err == nil && failed != 0 {
			err = fmt.Errorf("an upcall failed with %d", failed)
		}
		return err
	}
	return op(f.ID(), run, func() {
		f.Free()
		if end != nil {
			end()
		}
	}), nil
}

func setupUpcall(mode string) (*lab.Op, error) {
	return upcallOp(mode, C.seam_callback_upcall_address(), coro.Register(serve), nil)
}

func setupUpcallBatch() (*lab.Op, error) {
	return upcallOp(locked, C.seam_callback_upcall_batch_address(), coro.Register(serveBatch), nil)
}

func setupUpcallChannel(mode string) (*lab.Op, error) {
	a := newAnswerer()
	op, err := upcallOp(mode, C.seam_callback_upcall_address(), coro.Register(a.ask), a.end)
	if err != nil {
		a.end()
	}
	return op, err
}
