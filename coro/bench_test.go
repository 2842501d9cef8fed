//go:build cgo

package coro_test

import (
	"context"
	"iter"
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

// The price of a value: in a loop, and from iter.Pull.
func BenchmarkGenerator(b *testing.B) {
	for name, r := range map[string]coro.Runner{"locked": coro.Locked, "floating": coro.Floating} {
		generate := func(b *testing.B) *coro.Generator[ctest.Item] {
			return coro.Generate[ctest.Item](r, ctest.Count, at(&ctest.Args{N: int64(b.N) + 1}))
		}
		b.Run(name+"/loop", func(b *testing.B) {
			for range generate(b).Values(b.Context()) {
			}
		})
		b.Run(name+"/pull", func(b *testing.B) {
			next, stop := iter.Pull(generate(b).Values(b.Context()))
			defer stop()
			for range b.N {
				if _, ok := next(); !ok {
					b.Fatal("no more values")
				}
			}
		})
	}
}
