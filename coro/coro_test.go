//go:build cgo

//seam:test race nocgo toolchains metal arm64 arm asan pointers

package coro_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/seamgo/seam/coro"
	"github.com/seamgo/seam/coro/internal/ctest"
)

func at(a *ctest.Args) unsafe.Pointer { return unsafe.Pointer(a) }

// addOne is what most tests have C call.
func addOne(i *ctest.Item) { i.Y = i.X + 1 }

// runners are the ways to run, by name.
func runners(t testing.TB) map[string]coro.Runner {
	list := map[string]coro.Runner{"locked": coro.Locked, "floating": coro.Floating}
	for name, o := range map[string]coro.ExecutorOptions{
		"executor":          {Threads: 2, Inline: -1},
		"executor-one":      {Threads: 1, Inline: -1},
		"executor-inline":   {Threads: 1, Inline: 1},
		"executor-bounded":  {Threads: 2, Inline: 1, Queue: 8},
		"executor-own":      {Threads: 64, OnePerThread: true},
		"executor-defaults": {},
	} {
		x, err := coro.NewExecutor(o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := x.Close(); err != nil {
				t.Error(err)
			}
		})
		list[name] = x.Runner()
	}
	session := coro.NewSession()
	t.Cleanup(func() {
		if err := session.Close(); err != nil {
			t.Error(err)
		}
	})
	list["session"] = session.Runner()
	return list
}

// everyWay runs a test with each runner.
func everyWay(t *testing.T, f func(*testing.T, coro.Runner)) {
	for name, r := range runners(t) {
		t.Run(name, func(t *testing.T) { f(t, r) })
	}
}

// everyWayAtOnce runs a test whose calls must run at the same time.
func everyWayAtOnce(t *testing.T, f func(*testing.T, coro.Runner)) {
	everyWay(t, func(t *testing.T, r coro.Runner) {
		if !strings.HasSuffix(t.Name(), "/session") { // which has one at a time
			f(t, r)
		}
	})
}

func TestCall(t *testing.T) {
	everyWay(t, func(t *testing.T, r coro.Runner) {
		if n, err := r.Call(t.Context(), ctest.Return, at(&ctest.Args{A: 40, B: 2})); n != 42 || err != nil {
			t.Errorf("Call gave %d, %v", n, err)
		}
		if n, err := r.Call(t.Context(), ctest.Self, nil); n != 1 || err != nil {
			t.Errorf("seam_self is not the coroutine: %d, %v", n, err)
		}
		if _, err := r.Call(t.Context(), nil, nil); !errors.Is(err, coro.ErrNoFunction) {
			t.Errorf("a nil function gave %v", err)
		}
	})
}

func TestGenerator(t *testing.T) {
	everyWay(t, func(t *testing.T, r coro.Runner) {
		args := &ctest.Args{N: 100}
		squares := coro.Generate[ctest.Item](r, ctest.Count, at(args))
		var sum int64
		for v := range squares.Values(t.Context()) {
			sum += v.Y
		}
		if err := squares.Err(); err != nil || sum != 328350 || squares.Result() != 100 || args.Cleaned != 1 {
			t.Errorf("sum %d, %v, result %d", sum, err, squares.Result())
		}

		// A loop that is left.
		*args = ctest.Args{N: 100}
		for v := range squares.Values(t.Context()) {
			if v.X == 10 {
				break
			}
		}
		if args.Code != -4 || args.Cleaned != 1 || squares.Err() != nil {
			t.Errorf("C was told %+v, error %v", *args, squares.Err())
		}

		// A loop body that panics.
		*args = ctest.Args{N: 100}
		func() {
			defer func() {
				if v := recover(); v != "body" {
					t.Errorf("recovered %v", v)
				}
			}()
			for range squares.Values(t.Context()) {
				panic("body")
			}
		}()
		if args.Code != -2 || args.Cleaned != 1 {
			t.Errorf("C was told %+v", *args)
		}

		// A context that ends.
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		*args = ctest.Args{N: 1e12}
		why := errors.New("enough")
		n := 0
		for range squares.Values(ctx) {
			if n++; n == 5 {
				cancel(why)
				for ctx.Err() == nil {
				}
				time.Sleep(10 * time.Millisecond) // AfterFunc runs on another goroutine
			}
			if n > 1e6 {
				t.Fatal("the loop goes on")
			}
		}
		if !errors.Is(squares.Err(), why) || args.Code != -1 || args.Cleaned != 1 {
			t.Errorf("error %v, C was told %+v", squares.Err(), *args)
		}
	})
}

func TestYieldWithoutLoop(t *testing.T) {
	everyWay(t, func(t *testing.T, r coro.Runner) {
		args := &ctest.Args{N: 3}
		if _, err := r.Call(t.Context(), ctest.Count, at(args)); err != nil || args.Code != -9 {
			t.Errorf("%v, %+v", err, *args)
		}
	})
}

// C that was compiled with another version of the header is told so.
func TestOtherABI(t *testing.T) {
	if coro.Status().Path != coro.PathAssembly {
		t.Skip("only where C switches by itself")
	}
	args := &ctest.Args{}
	if _, err := coro.Call(t.Context(), ctest.OtherABI, at(args)); err != nil || args.Code != -10 || args.Sum != -10 {
		t.Errorf("%v, %+v", err, *args)
	}
}
