//go:build cgo

package coro_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/seamgo/seam/coro"
	"github.com/seamgo/seam/coro/internal/ctest"
)

func TestExecutorClosed(t *testing.T) {
	x, err := coro.NewExecutor(coro.ExecutorOptions{Threads: 1, Inline: -1})
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan int64)
	go func() {
		n, _ := x.Runner().Call(context.Background(), ctest.Sleep, at(&ctest.Args{N: int64(50 * time.Millisecond)}))
		done <- n
	}()
	for x.Stats().Calls == 0 {
		time.Sleep(time.Millisecond)
	}
	if err := x.Close(); err != nil {
		t.Error(err)
	}
	select {
	case n := <-done: // the call under way has ended, and well
		if n != 0 {
			t.Errorf("the call gave %d", n)
		}
	case <-time.After(150 * time.Second): // as in netio's tests
		t.Error("Close did not wait for the call under way")
	}
	if err := x.Close(); err != nil {
		t.Error(err)
	}
	if _, err := x.Runner().Call(t.Context(), ctest.Return, at(&ctest.Args{})); !errors.Is(err, coro.ErrClosed) {
		t.Errorf("a call on a closed executor: %v", err)
	}
	for _, o := range []coro.ExecutorOptions{{Threads: -1}, {Inline: -2}, {Queue: -1}, {OnePerThread: true, Queue: 1}, {OnePerThread: true, Inline: 1}} {
		if _, err := coro.NewExecutor(o); err == nil {
			t.Errorf("%+v was accepted", o)
		}
	}
}

// A thread that is one call's has no other until that ends, and then it has.
func TestExecutorOnePerThread(t *testing.T) {
	const threads = 3
	x, err := coro.NewExecutor(coro.ExecutorOptions{Threads: threads, OnePerThread: true})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	held := make(chan error)
	for range threads {
		go func() {
			_, err := x.Runner().Call(ctx, ctest.Hold, at(&ctest.Args{N: int64(time.Hour)}))
			held <- err
		}()
	}
	for x.Stats().Calls != threads {
		time.Sleep(time.Millisecond)
	}
	short, stop := context.WithCancel(t.Context())
	go func() {
		for x.Stats().Waiting != 1 {
			time.Sleep(time.Millisecond)
		}
		stop()
	}()
	if _, err := x.Runner().Call(short, ctest.Return, at(&ctest.Args{})); !errors.Is(err, context.Canceled) {
		t.Errorf("a call without a thread: %v", err)
	}
	cancel()
	for range threads {
		<-held
	}
	// What C keeps for a thread stays with the call without being registered.
	together(t, x.Runner(), 16, func() (int64, error) {
		args := &ctest.Args{N: 20}
		n, err := x.Runner().Call(t.Context(), ctest.Unkept, at(args))
		return n + args.Sum, err
	})
}

// Calls beyond the queue wait for room, or for their context.
func TestExecutorQueue(t *testing.T) {
	x, err := coro.NewExecutor(coro.ExecutorOptions{Threads: 1, Inline: -1, Queue: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	ctx, cancel := context.WithCancel(t.Context())
	held := make(chan error)
	go func() {
		_, err := x.Runner().Call(ctx, ctest.Hold, at(&ctest.Args{N: int64(time.Hour)}))
		held <- err
	}()
	for x.Stats().Calls != 1 {
		time.Sleep(time.Millisecond)
	}
	short, stop := context.WithCancel(t.Context())
	waited := make(chan error)
	go func() {
		_, err := x.Runner().Call(short, ctest.Return, at(&ctest.Args{}))
		waited <- err
	}()
	for x.Stats().Waiting != 1 {
		time.Sleep(time.Millisecond)
	}
	want := coro.ExecutorStats{Threads: 1, Calls: 1, Waiting: 1}
	if coro.Status().Path != coro.PathAssembly {
		want.Threads = 0
	}
	if s := x.Stats(); s != want {
		t.Errorf("the figures are %+v, want %+v", s, want)
	}
	stop()
	if err := <-waited; !errors.Is(err, context.Canceled) {
		t.Errorf("a call without room: %v", err)
	}
	cancel()
	if err := <-held; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if n, err := x.Runner().Call(t.Context(), ctest.Return, at(&ctest.Args{A: 1})); n != 1 || err != nil {
		t.Errorf("with room again: %d, %v", n, err)
	}
}
