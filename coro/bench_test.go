//go:build cgo

package coro_test

import (
	"context"
	"testing"

	"github.com/seamgo/seam/coro"
	"github.com/seamgo/seam/coro/internal/ctest"
)

func BenchmarkUpcall(b *testing.B) {
	for name, r := range map[string]coro.Runner{"locked": coro.Locked, "floating": coro.Floating} {
		b.Run(name, func(b *testing.B) {
			f := coro.Register(func(i *ctest.Item) { i.Y = i.X + 1 })
			defer f.Free()
			args := &ctest.Args{Func: f.ID(), N: int64(b.N)}
			if n, err := r.Call(context.Background(), ctest.LoopUpcall, at(args)); err != nil || n != int64(b.N) {
				b.Fatal(n, err)
			}
		})
	}
}

func BenchmarkCgoCallback(b *testing.B) { ctest.CgoCallback(b.N) }

func BenchmarkCall(b *testing.B) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	for name, r := range map[string]coro.Runner{"locked": coro.Locked, "floating": coro.Floating} {
		args := &ctest.Args{A: 1, B: 2}
		for what, ctx := range map[string]context.Context{"": context.Background(), "-cancellable": ctx} {
			b.Run(name+what, func(b *testing.B) {
				b.ReportAllocs()
				for range b.N {
					if n, err := r.Call(ctx, ctest.Return, at(args)); err != nil || n != 3 {
						b.Fatal(n, err)
					}
				}
			})
		}
	}
}
