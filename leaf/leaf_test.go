//go:build cgo && unix

//seam:test race nocgo toolchains metal arm asan pointers

package leaf_test

import (
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/seamgo/seam/leaf"
	"github.com/seamgo/seam/leaf/internal/ctest"
)

var (
	add   = leaf.Of[ctest.Add]("add", ctest.AddFn)
	walk  = leaf.Of[ctest.Walk]("walk", ctest.WalkFn)
	frame = leaf.Of[ctest.Frame]("frame", ctest.FrameFn)
	spin  = leaf.Of[ctest.Spin]("spin", ctest.SpinFn)
)

func TestCall(t *testing.T) {
	args := ctest.Add{A: 40, B: 2}
	if got := leaf.Call(ctest.AddFn, unsafe.Pointer(&args)); got != 7 {
		t.Errorf("Call returned %d, C returned 7", got)
	}
	if args.Sum != 42 {
		t.Errorf("C computed %d from 40 and 2", args.Sum)
	}
	if got := leaf.Call(ctest.EmptyFn, nil); got != 0 {
		t.Errorf("Call with a nil argument returned %d", got)
	}
}

func TestFunc(t *testing.T) {
	for _, c := range []struct{ a, b int64 }{{0, 0}, {1, -1}, {1 << 62, 1 << 61}, {-5, 3}} {
		args := ctest.Add{A: c.a, B: c.b}
		add.Call(&args)
		if args.Sum != c.a+c.b {
			t.Errorf("add(%d, %d) = %d", c.a, c.b, args.Sum)
		}
	}
}

// C may follow pointers from Go memory to Go memory, which cgo forbids.
func TestCallReadsGoMemoryInPlace(t *testing.T) {
	var head *ctest.List
	for i := range int64(100) {
		head = &ctest.List{Value: i, Next: head}
	}
	args := ctest.Walk{Head: head}
	walk.Call(&args)
	runtime.KeepAlive(head)
	if args.Sum != 4950 {
		t.Errorf("C found a sum of %d in the list, want 4950", args.Sum)
	}
}

// pointer does nothing with p. Under asan and -d=checkptr=2 the compiler moves
// whatever becomes an unsafe.Pointer to the heap; this shows it.
//
//go:noinline
func pointer(p unsafe.Pointer) {}

func TestArgumentsDoNotEscape(t *testing.T) {
	var sum int64
	want := testing.AllocsPerRun(1000, func() {
		args := ctest.Add{A: 1, B: 2}
		pointer(unsafe.Pointer(&args))
		sum += args.Sum
	})
	if want != 0 && leaf.Status().Guard != "" {
		t.Skip("built with checkptr or asan, the guard's own tables allocate on every call")
	}
	got := testing.AllocsPerRun(1000, func() {
		args := ctest.Add{A: 1, B: 2}
		add.Call(&args)
		sum += args.Sum
	})
	if got != want {
		t.Errorf("%v allocations for each call, want %v as without one", got, want)
	}
}

func TestAssemblyRunsOnSystemStack(t *testing.T) {
	if leaf.Status().Path != leaf.PathAssembly {
		t.Skip("this build calls through cgo: ", leaf.Status())
	}
	var here byte
	var sp uintptr
	leaf.Call(ctest.StackFn, unsafe.Pointer(&sp))
	if d := int64(sp) - int64(uintptr(unsafe.Pointer(&here))); d > -1<<20 && d < 1<<20 {
		t.Errorf("C ran %d bytes from the goroutine's stack", d)
	}
}

func TestOfRefusesNil(t *testing.T) {
	const want = "leaf: the C function weak has no address: link what defines it, or test a weak symbol for nil before Of"
	defer func() {
		if got := recover(); got != want {
			t.Errorf("Of(nil) panicked with %v, want %q", got, want)
		}
	}()
	leaf.Of[int]("weak", nil)
}

// CI sets SEAM_WANT_LEAF to the path that the build under test must take, so
// that a silent fallback fails.
func TestStatus(t *testing.T) {
	s := leaf.Status()
	t.Log(s)
	if want := os.Getenv("SEAM_WANT_LEAF"); want != "" && s.Path != want {
		t.Errorf("calls go by %q, want %q: %s", s.Path, want, s.Reason)
	}
	if (s.Reason == "") != (s.Path == leaf.PathAssembly) {
		t.Errorf("path %q with reason %q", s.Path, s.Reason)
	}
	if !strings.HasPrefix(s.String(), "leaf: "+s.Path) {
		t.Errorf("String is %q", s)
	}
}

// A callback that starts on a thread's system stack calls a leaf further down
// the same stack.
func TestCallInsideCallback(t *testing.T) {
	var sum int64
	ctest.FromC(func(i int64) {
		args := ctest.Add{A: i, B: 1}
		add.Call(&args)
		sum += args.Sum
		grow(64)
	}, 100)
	if sum != 5050 {
		t.Errorf("100 leaf calls inside callbacks summed to %d, want 5050", sum)
	}
}

// On a thread that Go did not create the system stack is that thread's, below
// the C frames that called into Go.
func TestCallOnForeignThreads(t *testing.T) {
	var sum atomic.Int64
	ok := ctest.FromThreads(func(i int64) {
		args := ctest.Add{A: i, B: 1}
		add.Call(&args)
		sum.Add(args.Sum + grow(32) - 42)
		if i%10 == 0 {
			runtime.GC()
		}
	}, 8, 100)
	if !ok || sum.Load() != 8*5050 {
		t.Errorf("leaf calls on 8 foreign threads summed to %d, want %d", sum.Load(), 8*5050)
	}
}

// grow makes the goroutine's stack at least n frames of 256 bytes deep, so that
// it moves, and calls a leaf at the bottom with an argument on that stack.
//
//go:noinline
func grow(n int) int64 {
	var pad [256]byte
	if n > 0 {
		pad[n%256] = byte(n)
		return grow(n-1) + int64(pad[(n+1)%256])
	}
	args := ctest.Add{A: 20, B: 22}
	add.Call(&args)
	return args.Sum
}

func TestStackGrowth(t *testing.T) {
	for n := 1; n < 4096; n *= 2 {
		done := make(chan int64)
		go func() { done <- grow(n) }()
		if got := <-done; got != 42 {
			t.Errorf("at depth %d the sum is %d", n, got)
		}
	}
}
