package mem

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"
)

// A Token lets C see a context.Context during one call: whether it was cancelled, and when
// its deadline is. C gets [Token.C], a const seam_token *, and asks with seam_cancelled,
// which is one load, and seam_deadline_ns. Make one with [Watch] and end it with
// [Token.Stop]. The zero Token is that of a context that is never cancelled.
type Token struct {
	cell *cell
	call uint64
	stop func() bool
}

// A cell is the memory of a token. Cells are reused, so each use has a number: a late
// cancellation finds that the number has changed.
type cell struct {
	c     *cToken
	state atomic.Uint64 // call << 1 | cancelling
}

// cToken is seam_token in a cache line of its own: the cancelling goroutine writes to it
// while C polls it.
type cToken struct {
	cancelled atomic.Int32
	_         int32
	deadline  int64
	_         [48]byte
}

// never is the token of a context that can't be cancelled.
var never cToken

// cells are the ones not in use. There are as many cells as there ever were calls at a
// time.
var cells struct {
	sync.Mutex
	free []*cell
	pins runtime.Pinner
}

// Watch makes ctx visible to C until Stop. It uses context.AfterFunc, which takes a
// goroutine only for contexts that package context did not make. For a context that can't
// end it costs nothing.
//
// Go needs a processor (P) to tell C. A leaf call that occupies the only one (GOMAXPROCS=1)
// never sees the cancellation: there, compare the deadline with the clock.
func Watch(ctx context.Context) Token {
	if ctx.Done() == nil {
		return Token{}
	}
	cells.Lock()
	if len(cells.free) == 0 {
		moreCells()
	}
	n := len(cells.free) - 1
	x := cells.free[n]
	cells.free = cells.free[:n]
	cells.Unlock()
	call := x.state.Load() >> 1
	x.c.deadline = 0
	if d, ok := ctx.Deadline(); ok {
		x.c.deadline = monotonic(time.Until(d))
	}
	if ctx.Err() != nil {
		x.c.cancelled.Store(1)
		return Token{cell: x, call: call}
	}
	return Token{x, call, context.AfterFunc(ctx, func() { x.cancel(call) })}
}

// moreCells allocates cells. The caller holds the lock.
func moreCells() {
	const n = 64
	memory := unsafe.Slice((*cToken)(unsafe.Pointer(unsafe.SliceData(aligned(n*int(unsafe.Sizeof(cToken{})))))), n)
	cells.pins.Pin(unsafe.SliceData(memory)) // for good
	for i := range memory {
		cells.free = append(cells.free, &cell{c: &memory[i]})
	}
}

// cancel tells C, unless the call has ended. Meanwhile the cell can't be reused.
func (x *cell) cancel(call uint64) {
	if x.state.CompareAndSwap(call<<1, call<<1|1) {
		x.c.cancelled.Store(1)
		x.state.Store(call << 1)
	}
}

// C returns the address of the token for C, a const seam_token *. It is pinned. C may read
// it until Stop.
func (t Token) C() unsafe.Pointer {
	if t.cell == nil {
		return unsafe.Pointer(&never)
	}
	return unsafe.Pointer(t.cell.c)
}

// Stop ends the token and reports whether C could have seen a cancellation. Call it after C
// has returned. A second Stop does nothing and returns false.
func (t Token) Stop() bool {
	if t.cell == nil {
		return false
	}
	if t.stop != nil {
		t.stop()
	}
	x := t.cell
	for !x.state.CompareAndSwap(t.call<<1, (t.call+1)<<1) {
		if x.state.Load()>>1 != t.call {
			return false // a second Stop
		}
		runtime.Gosched() // cancel is between its two stores
	}
	// The cell is ours alone now: nobody can cancel this call any more.
	told := x.c.cancelled.Swap(0) != 0
	cells.Lock()
	cells.free = append(cells.free, x)
	cells.Unlock()
	return told
}
