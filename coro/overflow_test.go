//go:build cgo && linux

package coro_test

import (
	"context"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/seamgo/seam/coro"
	"github.com/seamgo/seam/coro/internal/ctest"
	"github.com/seamgo/seam/coro/internal/ctest/probed"
	"github.com/seamgo/seam/coro/internal/native"
)

// These run out of a stack of 64 KB in all ways: by frames of every size, beside others whose
// locals must not change. Where fn has no probes, the frames are smaller than the guard or
// there is nothing below it.
func init() {
	runners := map[string]func() coro.Runner{
		"locked":   func() coro.Runner { return coro.Locked },
		"floating": func() coro.Runner { return coro.Floating },
		"executor": func() coro.Runner { return newExecutor(-1).Runner() },
		"inline":   func() coro.Runner { return newExecutor(100).Runner() },
	}
	for way, r := range runners {
		for _, size := range []int64{66 << 10, 150_000, 1_500_000, 20 << 20} {
			frame := func(fn unsafe.Pointer) func() {
				return func() {
					neighbours(8)
					n, err := r().Call(context.Background(), fn, at(&ctest.Args{N: size, A: 1}))
					fmt.Println(n, err)
				}
			}
			faults["frame-"+strconv.FormatInt(size, 10)+"-"+way] = frame(ctest.Frame)
			faults["probed-"+strconv.FormatInt(size, 10)+"-"+way] = frame(probed.Frame)
		}
		faults["thread-exit-"+way] = func() { r().Call(context.Background(), ctest.ThreadExit, nil) }
		faults["thread-cancelled-"+way] = func() { r().Call(context.Background(), ctest.CancelledThread, nil) }
	}
	// Frames that lead from a stack into that of another, with nothing in between that is
	// touched. One that is left before anybody looks is not found.
	faults["strayed"] = func() {
		list := neighbours(16)
		list[0].Close() // the highest stack, which the next call gets
		f := coro.Register(func(*ctest.Item) { fmt.Println("CALLED") })
		args := &ctest.Args{N: 3*2<<20 + 16<<10, Func: f.ID(), P: unsafe.Pointer(new(ctest.Item))}
		coro.Call(context.Background(), ctest.Frame, at(args))
	}
	faults["overwritten"] = func() { // while it waits
		args := &ctest.Args{}
		co := waiting(args)
		coro.Call(context.Background(), ctest.Overwrite, at(&ctest.Args{P: args.P, N: native.Size}))
		co.Resume(0)
	}
	faults["overwrites-itself"] = func() {
		coro.Call(context.Background(), ctest.Overwrite, at(&ctest.Args{N: native.Size}))
	}
	faults["overwrites-the-end"] = func() { // of its own, with nothing in it that it needs
		coro.Call(context.Background(), ctest.Overwrite, at(&ctest.Args{B: int64(native.Fields()["canary"]), N: 8}))
	}
	for name, sig := range map[string]syscall.Signal{"abort": syscall.SIGABRT, "quit": syscall.SIGQUIT, "bus": syscall.SIGBUS, "trap": syscall.SIGTRAP} {
		faults["raise-"+name] = func() { coro.Call(context.Background(), ctest.Raise, at(&ctest.Args{N: int64(sig)})) }
	}
	faults["divide"] = func() { coro.Call(context.Background(), ctest.Divide, at(&ctest.Args{})) }
	faults["call-nothing"] = func() { coro.Call(context.Background(), ctest.CallNothing, nil) }
}

// Every frame that is too large ends the program with a message, in all ways.
func TestOverflow(t *testing.T) {
	for name := range faults {
		what, _, _ := strings.Cut(name, "-")
		fn := map[string]string{"frame": "ctest_frame", "probed": "ctest_probed_frame"}[what]
		if fn != "" {
			t.Run(name, faultCase{fault: name, want: []string{"seam: coro: C function " + fn + " needs more than the 64 KB of its coroutine's stack"}}.run)
		}
	}
}

// C that ends its thread ends the program with a message, in all ways: Go would wait for the
// thread for ever.
func TestThreadEnds(t *testing.T) {
	if runtime.GOARCH == "arm" {
		t.Skip("32-bit ARM unwinds by other tables, whose frames have no routine of ours: there the call never returns")
	}
	for _, way := range []string{"locked", "floating", "executor", "inline"} {
		for what, fn := range map[string]string{"thread-exit-": "ctest_thread_exit", "thread-cancelled-": "ctest_cancelled_thread"} {
			for _, env := range []string{"SEAM_CORO=", "SEAM_CORO=cgo"} {
				t.Run(what+way+"-"+env, faultCase{fault: what + way, env: env, any: true, want: []string{"seam: coro: C function " + fn + " has ended its thread"}}.run)
			}
		}
	}
}

func newExecutor(inline int) *coro.Executor {
	x, err := coro.NewExecutor(coro.ExecutorOptions{Threads: 1, Inline: inline})
	if err != nil {
		panic(err)
	}
	return x
}

// neighbours returns n coroutines that wait.
func neighbours(n int) []*coro.Coroutine {
	var list []*coro.Coroutine
	for i := range n {
		list = append(list, waiting(&ctest.Args{B: int64(i)}))
	}
	return list
}

// waiting returns a coroutine that waits, with 40 KB of locals. args.P is its control block.
func waiting(args *ctest.Args) *coro.Coroutine {
	co, err := coro.New(ctest.Locals, at(args), coro.Options{})
	if err != nil {
		panic(err)
	}
	if req, err := co.Resume(0); err != nil || req.Kind != coro.Yield {
		panic(fmt.Sprint(req, err))
	}
	return co
}
