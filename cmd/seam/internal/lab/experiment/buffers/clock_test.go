package buffers

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"unsafe"

	"github.com/seamgo/seam/cmd/seam/internal/lab/labtest"

	"github.com/seamgo/seam/cmd/seam/internal/lab/subprocess"
)

// A mover counts the uses during which their goroutine's stack has moved.
type mover struct{ uses, moved int }

func (m *mover) watch(u use) use {
	return func(n int) {
		for range n {
			var here byte
			before := uintptr(unsafe.Pointer(&here))
			u(1)
			m.uses++
			if uintptr(unsafe.Pointer(&here)) != before {
				m.moved++
			}
		}
	}
}

// What the states are there for: a warm stack never grows, a fresh one and one
// that two collections have seen idle do so each time.
func TestStacksGrowWhereTheyShould(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // no collection makes them smaller but ours
	runtime.GC()
	for _, size := range sizes {
		t.Run(kb(size), func(t *testing.T) {
			uses, err := open(fromStack, []*job{testJob(t, size, false)})
			labtest.Measured(t, err)
			on := func(run func(*mover)) mover {
				var m mover
				done := make(chan struct{})
				go func() { // whose stack is small
					run(&m)
					close(done)
				}()
				<-done
				return m
			}
			if m := on(func(m *mover) { warm(m.watch(uses[0]))(5) }); m.uses != 6 || m.moved != 1 {
				t.Errorf("warm: the stack moved in %d of %d uses, want in the first", m.moved, m.uses)
			}
			if m := on(func(m *mover) { fresh(m.watch(uses[0]))(5) }); m.uses != 5 || m.moved != 5 && subprocess.StartingStack() == 2<<10 {
				t.Errorf("fresh: the stack moved in %d of %d uses, want in all", m.moved, m.uses)
			}
			if m := on(func(m *mover) { afterGC(m.watch(uses[0]))(5) }); m.uses != 6 || m.moved != 6 {
				t.Errorf("after GC: the stack moved in %d of %d uses, want in all", m.moved, m.uses)
			}
		})
	}
}

func allocated() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

func TestPoolIsEmptyAfterGC(t *testing.T) {
	const size = 64 << 10
	uses, err := open(fromPool, []*job{testJob(t, size, false)})
	if err != nil {
		t.Fatal(err)
	}
	uses[0](1)
	before := allocated()
	afterGC(uses[0])(3)
	if got := allocated() - before; got < 3*2*size {
		t.Errorf("three uses after collections allocate %d bytes, want at least %d", got, 3*2*size)
	}
}

func TestMakeIsTimedOverWholeCycles(t *testing.T) {
	const size = 64 << 10
	j := testJob(t, size, false)
	count := newCycleCount()
	before := count.read()
	if d := collecting(makes(j), size, 3)(1000); d <= 0 {
		t.Errorf("1000 uses take %v", d)
	}
	if n := count.read() - before; n < 4 {
		t.Errorf("%d collections, want one to begin with and three that count", n)
	}

	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	runtime.GC()
	before = count.read()
	if d := collecting(makes(j), size, 1)(1); d <= 0 {
		t.Errorf("without a collector: %v", d)
	}
	if n := count.read() - before; n != 0 {
		t.Errorf("%d collections though there is no collector", n)
	}
	runtime.GC()
}

func TestMakeWithoutCollections(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(77))
	j := testJob(t, 64<<10, false)
	runtime.GC() // none is under way
	count := newCycleCount()
	before := count.read()
	withoutGC(makes(j))(100) // 12 MB
	if n := count.read() - before; n != 2 {
		t.Errorf("%d collections, want the two that are not timed", n)
	}
	if now := debug.SetGCPercent(77); now != 77 {
		t.Errorf("GOGC is %d behind it, was 77", now)
	}
}
