//go:build cgo

package coro_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/seamgo/seam/coro"
	"github.com/seamgo/seam/coro/internal/ctest"
)

func TestUpcalls(t *testing.T) {
	everyWay(t, func(t *testing.T, r coro.Runner) {
		f := coro.Register(addOne)
		defer f.Free()
		args := &ctest.Args{Func: f.ID(), N: 1000}
		if n, err := r.Call(t.Context(), ctest.Upcalls, at(args)); n != 0 || err != nil {
			t.Fatal(n, err)
		}
		if args.Sum != 1000*1001/2 || args.Cleaned != 1 {
			t.Errorf("C has %+v", *args)
		}
	})
}

func TestFunc(t *testing.T) {
	everyWay(t, func(t *testing.T, r coro.Runner) {
		f := coro.Register(addOne)
		defer f.Free()
		upcalls := coro.Of[ctest.Args]("upcalls", ctest.Upcalls).On(r)
		args := ctest.Args{Func: f.ID(), N: 10}
		if n, err := upcalls.Call(t.Context(), &args); n != 0 || err != nil || args.Sum != 55 {
			t.Errorf("%d, %v, %+v", n, err, args)
		}
	})
}

func TestOfRefusesNil(t *testing.T) {
	const want = "coro: the C function weak has no address: link what defines it, or test a weak symbol for nil before Of"
	defer func() {
		if got := recover(); got != want {
			t.Errorf("Of(nil) panicked with %v, want %q", got, want)
		}
	}()
	coro.Of[ctest.Args]("weak", nil)
}

func TestUnknownFunction(t *testing.T) {
	const eNoFunc = -5
	everyWay(t, func(t *testing.T, r coro.Runner) {
		freed := coro.Register(addOne)
		freed.Free()
		freed.Free() // again: nothing happens
		other := coro.Register(addOne)
		defer other.Free()
		for _, id := range []uint64{0, 1, 1 << 40, ^uint64(0), freed.ID(), other.ID() + 1<<32, other.ID() + 1000} {
			args := &ctest.Args{Func: id, N: 3}
			n, err := r.Call(t.Context(), ctest.Upcalls, at(args))
			if n != eNoFunc || err != nil {
				t.Errorf("id %#x: %d, %v", id, n, err)
			}
		}
	})
}

func TestRegisterMany(t *testing.T) {
	const many = 100_000
	list := make([]*coro.Registered, many)
	seen := map[uint64]bool{}
	for i := range list {
		list[i] = coro.Register(func(item *ctest.Item) { item.Y = int64(i) })
		if id := list[i].ID(); id == 0 || seen[id] {
			t.Fatalf("function %d has id %d", i, id)
		}
		seen[list[i].ID()] = true
	}
	for i := 0; i < many; i += 997 {
		args := &ctest.Args{Func: list[i].ID(), N: 1}
		if _, err := coro.Call(t.Context(), ctest.Upcalls, at(args)); err != nil || args.Sum != int64(i) {
			t.Fatalf("function %d gave %d, %v", i, args.Sum, err)
		}
	}
	for _, f := range list {
		f.Free()
	}
	if f := coro.Register(addOne); seen[f.ID()] {
		t.Error("an id was given twice")
	} else {
		f.Free()
	}
}

func TestRegisterContext(t *testing.T) {
	type key struct{}
	failure := errors.New("no more")
	everyWay(t, func(t *testing.T, r coro.Runner) {
		f := coro.RegisterContext(func(ctx context.Context, i *ctest.Item) error {
			if ctx.Value(key{}) != "here" {
				t.Error("not the context of the call")
			}
			if i.X == 5 {
				return failure
			}
			i.Y = i.X
			return nil
		})
		defer f.Free()
		args := &ctest.Args{Func: f.ID(), N: 10}
		n, err := r.Call(context.WithValue(t.Context(), key{}, "here"), ctest.Upcalls, at(args))
		if n != -6 || !errors.Is(err, failure) || args.Sum != 10 || args.Cleaned != 1 {
			t.Errorf("%d, %v, %+v", n, err, *args)
		}
	})
}

// An upcall may do anything that Go code does.
func TestUpcallsMayDoAnything(t *testing.T) {
	everyWay(t, func(t *testing.T, r coro.Runner) {
		channel := make(chan int64)
		go func() {
			for i := range int64(100) {
				channel <- i
			}
		}()
		inner := coro.Register(addOne)
		defer inner.Free()
		f := coro.Register(func(i *ctest.Item) {
			i.Y = <-channel
			growStack(200)
			runtime.GC()
			args := &ctest.Args{Func: inner.ID(), N: 2}
			if n, err := coro.Call(t.Context(), ctest.Upcalls, at(args)); n != 0 || err != nil || args.Sum != 3 {
				t.Errorf("a call inside an upcall: %d, %v, %+v", n, err, *args)
			}
		})
		defer f.Free()
		args := &ctest.Args{Func: f.ID(), N: 100}
		if n, err := r.Call(t.Context(), ctest.Upcalls, at(args)); n != 0 || err != nil || args.Sum != 4950 {
			t.Errorf("%d, %v, %+v", n, err, *args)
		}
	})
}

//go:noinline
func growStack(depth int) int {
	var a [256]byte
	if depth == 0 {
		return int(a[0])
	}
	a[depth%256] = byte(depth)
	return growStack(depth-1) + int(a[0])
}

func TestPanicInUpcall(t *testing.T) {
	everyWay(t, func(t *testing.T, r coro.Runner) {
		f := coro.Register(func(i *ctest.Item) {
			if i.X == 3 {
				panic("at three")
			}
			i.Y = 1
		})
		defer f.Free()
		args := &ctest.Args{Func: f.ID(), N: 10}
		func() {
			defer func() {
				if v := recover(); v != "at three" {
					t.Errorf("recovered %v", v)
				}
			}()
			r.Call(t.Context(), ctest.Upcalls, at(args))
			t.Error("the call returned")
		}()
		if args.Code != -2 || args.Cleaned != 1 || args.Sum != 3 {
			t.Errorf("C was told %+v", *args)
		}
		if n, err := r.Call(t.Context(), ctest.Return, at(&ctest.Args{A: 1})); n != 1 || err != nil {
			t.Errorf("the next call: %d, %v", n, err)
		}
	})
}

func TestGoexitInUpcall(t *testing.T) {
	everyWay(t, func(t *testing.T, r coro.Runner) {
		if coro.Status().Path != coro.PathAssembly && strings.HasSuffix(t.Name(), "/session") {
			t.Skip("in the fallback it leaves C behind, see Session")
		}
		f := coro.Register(func(*ctest.Item) { runtime.Goexit() })
		defer f.Free()
		args := &ctest.Args{Func: f.ID(), N: 10}
		var wg sync.WaitGroup
		wg.Add(1)
		go func() {
			defer wg.Done()
			r.Call(t.Context(), ctest.Upcalls, at(args))
			t.Error("the call returned")
		}()
		wg.Wait()
		if args.Code != -3 || args.Cleaned != 1 {
			t.Errorf("C was told %+v", *args)
		}
	})
}

// C that goes on after the panic is refused everything, at once.
func TestStubbornCIsRefused(t *testing.T) {
	everyWay(t, func(t *testing.T, r coro.Runner) {
		calls := 0
		f := coro.Register(func(*ctest.Item) { calls++; panic("once") })
		defer f.Free()
		args := &ctest.Args{Func: f.ID(), N: 1000}
		func() {
			defer func() { recover() }()
			r.Call(t.Context(), ctest.Stubborn, at(args))
		}()
		if calls != 1 || args.Sum != 999 || args.Code != -2 || args.Cleaned != 1 {
			t.Errorf("%d Go calls, C has %+v", calls, *args)
		}
	})
}
