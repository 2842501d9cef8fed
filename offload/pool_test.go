//go:build cgo && unix

package offload_test

import (
	"context"
	"math"
	"runtime"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/seamgo/seam/internal/testenv"
	"github.com/seamgo/seam/offload"
	"github.com/seamgo/seam/offload/internal/ctest"
)

func TestDo(t *testing.T) {
	p := start(t, offload.Options{})
	args := &ctest.Add{A: 40, B: 2}
	if got, err := p.Do(background, ctest.AddFn, unsafe.Pointer(args)); got != 42 || err != nil || args.Sum != 42 {
		t.Errorf("Do returned %d, %v and C left %d; want 42", got, err, args.Sum)
	}
	args.A = math.MinInt64
	if got, err := p.TryDo(background, ctest.AddFn, unsafe.Pointer(args)); got != math.MinInt64+2 || err != nil {
		t.Errorf("TryDo returned %d, %v", got, err)
	}
	if got, err := p.Do(background, ctest.TokenFn, nil); got != 0 || err != nil {
		t.Errorf("a call without an argument returned %d, %v", got, err)
	}
}

func TestDefaults(t *testing.T) {
	p := start(t, offload.Options{})
	s := p.Stats()
	if want := max(2, runtime.GOMAXPROCS(0)); s.Threads != want || s.Name != "offload" {
		t.Errorf("a pool has %d threads and the name %q, want %d and %q", s.Threads, s.Name, want, "offload")
	}
}

func TestOptionsOutOfRange(t *testing.T) {
	for _, c := range []struct {
		o    offload.Options
		want string
	}{
		{offload.Options{Threads: -1}, "Options.Threads is -1: want 1 to "},
		{offload.Options{Threads: math.MaxInt32}, "Options.Threads is 2147483647: want 1 to "},
		{offload.Options{Queue: -2}, "Options.Queue is -2: want 1 to "},
		{offload.Options{Queue: math.MaxInt32}, "Options.Queue is 2147483647: want 1 to "},
	} {
		if p, err := offload.New(c.o); p != nil || err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("New(%+v) returned %v, %v; want an error with %q", c.o, p, err, c.want)
		}
	}
}

func TestMisuse(t *testing.T) {
	p := start(t, offload.Options{})
	for _, c := range []struct {
		name string
		err  func() error
		want string
	}{
		{"nil function", func() error { _, err := p.Do(background, nil, nil); return err }, "the C function has no address"},
		{"zero Func", func() error { _, err := offload.Func[int]{}.Call(background, p, nil); return err }, "the C function has no address"},
		{"zero Pool", func() error { _, err := new(offload.Pool).TryDo(background, ctest.AddFn, nil); return err }, "not made by New"},
		{"nil Pool", func() error { _, err := (*offload.Pool)(nil).Do(background, ctest.AddFn, nil); return err }, "not made by New"},
		{"nil Pool closed", func() error { return (*offload.Pool)(nil).Close(background) }, "not made by New"},
	} {
		if err := c.err(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: the error is %v, want one with %q", c.name, err, c.want)
		}
	}
}

func TestOfRefusesNil(t *testing.T) {
	const want = "offload: the C function weak has no address: link what defines it, or test a weak symbol for nil before Of"
	defer func() {
		if got := recover(); got != want {
			t.Errorf("Of(nil) panicked with %v, want %q", got, want)
		}
	}()
	offload.Of[int]("weak", nil)
}

func TestFunc(t *testing.T) {
	p := start(t, offload.Options{})
	add := offload.Of[ctest.Add]("add", ctest.AddFn)
	args := ctest.Add{A: 1, B: 2}
	if got, err := add.Call(background, p, &args); got != 3 || err != nil || args.Sum != 3 {
		t.Errorf("Call returned %d, %v and C left %d; want 3", got, err, args.Sum)
	}
	if got, err := add.TryCall(background, p, &ctest.Add{A: -1, B: 1}); got != 0 || err != nil {
		t.Errorf("TryCall returned %d, %v", got, err)
	}
}

// TryDo must not wait, Do must, and the queue must hold what it says.
func TestFullQueue(t *testing.T) {
	p := start(t, offload.Options{Threads: 2, Queue: 3})
	g, running := occupy(t, p, 2)
	var queued []<-chan outcome
	for range 3 {
		queued = append(queued, begin(background, p, ctest.GateFn, g.arg()))
	}
	eventually(t, "the queue is full", func() bool { return p.Stats().Queued == 3 })
	if _, err := p.TryDo(background, ctest.TokenFn, nil); err != offload.ErrFull {
		t.Errorf("TryDo with a full queue returned %v", err)
	}
	waits := begin(background, p, ctest.TokenFn, nil)
	eventually(t, "Do waits for room", func() bool { return p.Stats().Waiting == 1 })
	ctx, cancel := context.WithCancel(background)
	given := begin(ctx, p, ctest.AddFn, unsafe.Pointer(&ctest.Add{}))
	eventually(t, "the other one too", func() bool { return p.Stats().Waiting == 2 })
	cancel()
	want(t, given, 0, context.Canceled)
	if g.entered() != 2 {
		t.Errorf("%d calls are in C on 2 threads", g.entered())
	}
	g.open()
	for _, end := range append(running, queued...) {
		want(t, end, 0, nil)
	}
	want(t, waits, 0, nil)
	if s := p.Stats(); s.Done != 6 || s.Rejected != 1 || s.Cancelled != 1 || s.Busy != 0 || s.Queued != 0 || s.Waiting != 0 {
		t.Errorf("afterwards the figures are %v", s)
	}
}

func TestOrder(t *testing.T) {
	p := start(t, offload.Options{Threads: 1})
	g, _ := occupy(t, p, 1)
	var order []int64
	ctest.Callback = func(x int64) int64 { order = append(order, x); return x }
	var ends []<-chan outcome
	for i := range 10 {
		x := int64(i)
		ends = append(ends, begin(background, p, ctest.CallbackFn, unsafe.Pointer(&x)))
		eventually(t, "the call is queued", func() bool { return p.Stats().Queued == i+1 })
	}
	g.open()
	for i, end := range ends {
		want(t, end, int64(i), nil)
	}
	for i, x := range order {
		if int64(i) != x {
			t.Fatalf("calls were run in the order %v", order)
		}
	}
}

// C on a pool thread may call exported Go functions, which may block and make calls
// themselves.
func TestCallback(t *testing.T) {
	p := start(t, offload.Options{Threads: 2})
	ctest.Callback = func(x int64) int64 {
		runtime.GC()
		time.Sleep(time.Microsecond)
		sum, err := p.Do(background, ctest.AddFn, unsafe.Pointer(&ctest.Add{A: x, B: 1}))
		if err != nil {
			t.Error(err)
		}
		return sum
	}
	for x := int64(0); x < 20; x++ {
		if got, err := p.Do(background, ctest.CallbackFn, unsafe.Pointer(&x)); got != x+1 || err != nil {
			t.Errorf("C and Go returned %d, %v for %d", got, err, x)
		}
	}
}

func TestAllocations(t *testing.T) {
	testenv.Allocations(t)
	p := start(t, offload.Options{Threads: 2, Queue: 4})
	args := &ctest.Add{A: 1, B: 2}
	ctx, cancel := context.WithCancel(background)
	defer cancel()
	deadline, stop := context.WithTimeout(background, time.Hour)
	defer stop()
	add := offload.Of[ctest.Add]("add", ctest.AddFn)
	for name, ctx := range map[string]context.Context{"background": background, "cancel": ctx, "deadline": deadline} {
		call := func() {
			if _, err := add.Call(ctx, p, args); err != nil {
				t.Error(err)
			}
		}
		for range 20 { // every place of the queue makes what it needs once
			call()
		}
		if n := testing.AllocsPerRun(500, call); n != 0 {
			t.Errorf("with a %s context a call allocates %v times", name, n)
		}
	}
}
