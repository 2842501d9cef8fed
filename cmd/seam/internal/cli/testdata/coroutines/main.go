// Command coroutines has C on coroutines that waits in each way that there is.
package main

// #cgo CFLAGS: -O2 -I${SRCDIR}/../../../../../../include
// #include "waits.h"
import "C"

import (
	"context"
	"os"
	"runtime/debug"
	"sync"
	"time"
	"unsafe"

	"github.com/seamgo/seam/coro"
	_ "github.com/seamgo/seam/include"
)

var ctx = context.Background()

func main() {
	debug.SetGCPercent(-1) // a collection would stop all others until C that blocks returns
	r, w, err := os.Pipe()
	if err != nil {
		panic(err)
	}
	fd := new(C.int)
	*fd = C.int(r.Fd())
	released := make(chan bool)
	function := new(uint64)
	*function = coro.Register(func(*int) { waitInGo(released) }).ID()
	x, err := coro.NewExecutor(coro.ExecutorOptions{Threads: 2, Inline: -1})
	if err != nil {
		panic(err)
	}
	defer x.Close()

	var all sync.WaitGroup
	if len(os.Args) > 1 { // very many, which wait together
		long, err := time.ParseDuration(os.Args[1])
		if err != nil {
			panic(err)
		}
		many(x.Runner(), long)
		return
	}
	all.Go(func() { lockedFile(unsafe.Pointer(fd)) })
	all.Go(func() { lockedSleep() })
	all.Go(func() { floatingFile(unsafe.Pointer(fd)) })
	all.Go(func() { executorFile(x.Runner(), unsafe.Pointer(fd)) })
	all.Go(func() { executorSleep(x.Runner(), nil) })
	all.Go(func() { lockedCall(unsafe.Pointer(function)) })
	all.Go(func() { executorCall(x.Runner(), unsafe.Pointer(function)) })
	time.Sleep(400 * time.Millisecond)
	if _, err := w.Write([]byte("x")); err != nil {
		panic(err)
	}
	close(released)
	all.Wait()
	executorBlocks(x.Runner())
	lockedBlocks()
}

// many has 10,000 that sleep together for a long time, so that hardly any is on its way to C or
// back: on a busy machine that takes seconds.
func many(r coro.Runner, long time.Duration) {
	each := func(sleep func(arg unsafe.Pointer), d time.Duration) (took time.Duration) {
		began, ns := time.Now(), new(C.int64_t)
		*ns = C.int64_t(d)
		var all sync.WaitGroup
		for range 10000 {
			all.Go(func() { sleep(unsafe.Pointer(ns)) })
		}
		all.Wait()
		return time.Since(began)
	}
	way := each(func(arg unsafe.Pointer) { executorNap(r, arg) }, time.Millisecond)
	each(func(arg unsafe.Pointer) { executorSleep(r, arg) }, max(long, 20*way))
}

func waitInGo(released chan bool) { <-released }

func lockedFile(arg unsafe.Pointer)   { must(coro.Call(ctx, C.waits_for_file, arg)) }
func lockedSleep()                    { must(coro.Call(ctx, C.sleeps, nil)) }
func floatingFile(arg unsafe.Pointer) { must(coro.Floating.Call(ctx, C.waits_for_file, arg)) }
func lockedCall(arg unsafe.Pointer)   { must(coro.Call(ctx, C.calls_go, arg)) }
func lockedBlocks()                   { must(coro.Call(ctx, C.blocks, nil)) }

func executorFile(r coro.Runner, arg unsafe.Pointer)  { must(r.Call(ctx, C.waits_for_file, arg)) }
func executorSleep(r coro.Runner, arg unsafe.Pointer) { must(r.Call(ctx, C.sleeps, arg)) }
func executorNap(r coro.Runner, arg unsafe.Pointer)   { must(r.Call(ctx, C.sleeps, arg)) }
func executorCall(r coro.Runner, arg unsafe.Pointer)  { must(r.Call(ctx, C.calls_go, arg)) }
func executorBlocks(r coro.Runner)                    { must(r.Call(ctx, C.blocks, nil)) }

func must(_ int64, err error) {
	if err != nil {
		panic(err)
	}
}
