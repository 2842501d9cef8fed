//go:build cgo && unix

package offload_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/seamgo/seam/offload"
	"github.com/seamgo/seam/offload/internal/ctest"
)

// patience is how long a test waits for what must happen. Go 1.26 and 1.27 may take one or
// two minutes to stop the world when a thread enters C at that very moment; see docs/design/offload.md.
const patience = 150 * time.Second

var background = context.Background()

// start returns a pool that the end of the test closes.
func start(t testing.TB, o offload.Options) *offload.Pool {
	t.Helper()
	p, err := offload.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeNow(t, p) })
	return p
}

func closeNow(t testing.TB, p *offload.Pool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(background, patience)
	defer cancel()
	if err := p.Close(ctx); err != nil {
		t.Errorf("Close returned %v, with %v", err, p.Stats())
	}
}

// eventually waits until something is true.
func eventually(t testing.TB, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("after %v it is not true that %s", patience, what)
		}
	}
}

type outcome struct {
	result int64
	err    error
}

// begin makes a call in a goroutine of its own.
func begin(ctx context.Context, p *offload.Pool, fn, arg unsafe.Pointer) <-chan outcome {
	end := make(chan outcome, 1)
	go func() {
		result, err := p.Do(ctx, fn, arg)
		end <- outcome{result, err}
	}()
	return end
}

// want waits for the end of a call.
func want(t testing.TB, end <-chan outcome, result int64, err error) {
	t.Helper()
	select {
	case got := <-end:
		if got.result != result || got.err != err {
			t.Errorf("the call returned %d, %v; want %d, %v", got.result, got.err, result, err)
		}
	case <-time.After(patience):
		t.Fatalf("the call has not returned for %v", patience)
	}
}

// A gate holds calls in C.
type gate struct{ ctest.Gate }

func newGate() *gate { return new(gate) }

func (g *gate) arg() unsafe.Pointer { return unsafe.Pointer(&g.Gate) }
func (g *gate) entered() int        { return int(atomic.LoadInt32(&g.Entered)) }
func (g *gate) open()               { atomic.StoreInt32(&g.Open, 1) }

// occupy makes calls that hold n threads until the gate opens.
func occupy(t testing.TB, p *offload.Pool, n int) (*gate, []<-chan outcome) {
	t.Helper()
	g := newGate()
	t.Cleanup(g.open)
	var ends []<-chan outcome
	for range n {
		ends = append(ends, begin(background, p, ctest.GateFn, g.arg()))
	}
	eventually(t, "the threads are in C", func() bool { return g.entered() == n })
	return g, ends
}
