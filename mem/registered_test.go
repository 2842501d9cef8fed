//go:build cgo && unix

package mem_test

import (
	"context"
	"encoding/binary"
	"errors"
	"testing"
	"time"
	"unsafe"

	"github.com/seamgo/seam/leaf"
	"github.com/seamgo/seam/mem"
	"github.com/seamgo/seam/mem/internal/ctest"
)

func callBuffer(fn unsafe.Pointer, p *mem.Pool, handle uint64, n int64) (result int64, err int) {
	args := ctest.Buffer{Pool: p.C(), Buffer: handle, N: n}
	e := leaf.Call(fn, unsafe.Pointer(&args))
	return args.Result, int(e)
}

func cError(fn unsafe.Pointer, p *mem.Pool, handle uint64) int {
	_, err := callBuffer(fn, p, handle, 0)
	return err
}

// C writes into a buffer that it knows by its handle only.
func TestBufferInC(t *testing.T) {
	p := newPool(t, mem.Class{Size: 64, Count: 4})
	b := get(t, p, 64)
	for n, fill := range []func(n int64) (int64, int){
		func(n int64) (int64, int) { return callBuffer(ctest.BufFillFn, p, b.Handle(), n) },
		func(n int64) (int64, int) { return ctest.CgoFill(p.C(), b.Handle(), n) },
	} {
		if written, err := fill(int64(n)); written != 64 || err != 0 {
			t.Fatalf("%d bytes, error %d", written, err)
		}
		s, err := b.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < 64; i += 8 {
			if got := binary.NativeEndian.Uint64(s[i:]); got != b.Handle()^uint64(n) {
				t.Fatalf("%#x at %d", got, i)
			}
		}
	}
	if size, err := callBuffer(ctest.BufDataFn, p, b.Handle(), 0); size != 64 || err != 0 {
		t.Errorf("capacity %d, error %d", size, err)
	}
}

// Whatever C is given that is no buffer is an error there.
func TestWrongHandles(t *testing.T) {
	p, other := newPool(t, mem.Class{Size: 64, Count: 1}), newPool(t, mem.Class{Size: 64, Count: 1})
	b, foreign := get(t, p, 64), get(t, other, 64)
	released := b.Handle()
	if err := b.Release(); err != nil {
		t.Fatal(err)
	}
	b = get(t, p, 64) // the same memory
	for _, fn := range []unsafe.Pointer{ctest.BufDataFn, ctest.BufHoldFn, ctest.BufFreeFn} {
		for _, test := range []struct {
			name   string
			handle uint64
			want   int
		}{
			{"released", released, ctest.Stale},
			{"of the future", b.Handle() + 1<<32, ctest.Stale},
			{"none", 0, ctest.NoHandle},
			{"of another pool", foreign.Handle(), ctest.NoHandle},
			{"of no buffer", b.Handle() + 1, ctest.NoHandle},
		} {
			want := test.want
			if test.handle == 0 && uint32(b.Handle()) == 0 { // the first pool's first buffer is numbered 0
				want = ctest.Stale
			}
			if got := cError(fn, p, test.handle); got != want {
				t.Errorf("a handle that was %s: %d, want %d", test.name, got, want)
			}
		}
	}
	if got := cError(ctest.BufFreeFn, p, b.Handle()); got != ctest.NotHeld {
		t.Errorf("a release without a hold: %d", got)
	}
	_ = b.Release()
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if got := cError(ctest.BufDataFn, p, b.Handle()); got != ctest.Closed {
		t.Errorf("a closed pool: %d", got)
	}
}

// What C answers is an error in Go.
func TestCError(t *testing.T) {
	for code, want := range map[int32]error{0: nil, ctest.Stale: mem.ErrStale, ctest.NoHandle: mem.ErrHandle,
		ctest.NotHeld: mem.ErrReleased, ctest.Limit: mem.ErrLimit, ctest.Closed: mem.ErrClosed} {
		if err := mem.CError(code); !errors.Is(err, want) {
			t.Errorf("%d is %v, want %v", code, err, want)
		}
	}
	if err := mem.CError(7); err == nil {
		t.Error("7 is no error")
	}
}

// What C holds is not given to others before C has released it.
func TestHold(t *testing.T) {
	p := newPool(t, mem.Class{Size: 64, Count: 1})
	b := get(t, p, 64)
	for range 3 {
		if err := cError(ctest.BufHoldFn, p, b.Handle()); err != 0 {
			t.Fatal(err)
		}
	}
	if err := b.Release(); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Bytes(); !errors.Is(err, mem.ErrReleased) {
		t.Errorf("Bytes after the release: %v", err)
	}
	if err := b.Release(); !errors.Is(err, mem.ErrReleased) {
		t.Errorf("second Release: %v", err)
	}
	if err := p.Close(); !errors.Is(err, mem.ErrBusy) {
		t.Errorf("Close: %v", err)
	}
	for range 3 {
		if _, err := p.Get(64); !errors.Is(err, mem.ErrExhausted) {
			t.Fatalf("Get of what C holds: %v", err)
		}
		if size, err := callBuffer(ctest.BufDataFn, p, b.Handle(), 0); size != 64 || err != 0 {
			t.Errorf("C may use what it holds: %d, %d", size, err)
		}
		if err := cError(ctest.BufFreeFn, p, b.Handle()); err != 0 {
			t.Fatal(err)
		}
	}
	if err := cError(ctest.BufFreeFn, p, b.Handle()); err != ctest.Stale {
		t.Errorf("a release too many: %d", err)
	}
	if err := get(t, p, 64).Release(); err != nil {
		t.Error(err)
	}
	// Released by C first, the buffer stays Go's.
	b = get(t, p, 64)
	_ = cError(ctest.BufHoldFn, p, b.Handle())
	_ = cError(ctest.BufFreeFn, p, b.Handle())
	if _, err := b.Bytes(); err != nil {
		t.Errorf("after C's release: %v", err)
	}
	_ = b.Release()
}

// A thread of C's own keeps a buffer beyond Go's release, and who waits gets it after
// that.
func TestHoldByThread(t *testing.T) {
	p := newPool(t, mem.Class{Size: 64, Count: 1})
	for range 5 {
		b := get(t, p, 64)
		thread := ctest.Hold(p.C(), b.Handle(), int64(3*time.Millisecond))
		if !thread.Started() {
			t.Fatal("no thread")
		}
		if err := b.Release(); err != nil {
			t.Fatal(err)
		}
		next, err := p.GetWait(context.Background(), 64)
		if err != nil {
			t.Fatal(err)
		}
		want := byte(0xab)
		if debugging() {
			want = 0xdb // which the release has filled it with
		}
		s, _ := next.Bytes()
		for i, c := range s {
			if c != want {
				t.Fatalf("byte %d is %#x: the thread has not been here yet", i, c)
			}
		}
		if err := thread.End(); err != 0 {
			t.Errorf("in the thread: %d", err)
		}
		_ = next.Release()
	}
}

// What a cache keeps can't be used by its old handle, and what C holds it does not keep.
func TestCacheInC(t *testing.T) {
	p := newPool(t, mem.Class{Size: 64, Count: 2})
	c, err := p.NewCache(64, 2)
	if err != nil {
		t.Fatal(err)
	}
	b, _ := c.Get()
	_ = c.Put(b)
	if err := cError(ctest.BufDataFn, p, b.Handle()); err != ctest.Stale {
		t.Errorf("a handle of what is in the cache: %d", err)
	}
	b, _ = c.Get()
	if err := cError(ctest.BufDataFn, p, b.Handle()); err != 0 {
		t.Errorf("a handle from the cache: %d", err)
	}
	_ = cError(ctest.BufHoldFn, p, b.Handle())
	if err := c.Put(b); err != nil {
		t.Fatal(err)
	}
	if s := p.Stats(); s.HeldByC != 1 {
		t.Errorf("%d held by C", s.HeldByC)
	}
	if err := cError(ctest.BufFreeFn, p, b.Handle()); err != 0 {
		t.Error(err)
	}
	c.Close()
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}
