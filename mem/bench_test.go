//go:build cgo && unix

//seam:test race nocgo toolchains metal arm64 arm 386 asan pointers

package mem_test

import (
	"context"
	"runtime/cgo"
	"testing"
	"unsafe"

	"github.com/seamgo/seam/leaf"
	"github.com/seamgo/seam/mem"
	"github.com/seamgo/seam/mem/internal/ctest"
)

var emptyView = leaf.Of[ctest.View]("empty", ctest.EmptyFn)
var emptyFill = leaf.Of[ctest.Fill]("empty", ctest.EmptyFn)

// What a view or a fill adds to a bare call.
func BenchmarkLeaf(b *testing.B) {
	for b.Loop() {
		leaf.Call(ctest.EmptyFn, nil)
	}
}

func BenchmarkView(b *testing.B) {
	text := string(make([]byte, 128))
	for b.Loop() {
		args := ctest.View{In: mem.StrOf(text)}
		emptyView.Call(&args)
	}
}

func BenchmarkFillArgs(b *testing.B) { // the same struct without a fill
	for b.Loop() {
		args := ctest.Fill{Size: 5}
		emptyFill.Call(&args)
	}
}

func BenchmarkViewArgs(b *testing.B) { // the same struct without a view
	var x byte
	for b.Loop() {
		args := ctest.View{In: mem.Str{Data: &x, Len: 1}}
		emptyView.Call(&args)
	}
}

func BenchmarkFill(b *testing.B) {
	buf := make([]byte, 128)
	for b.Loop() {
		fill := mem.FillInto(buf)
		for again := true; again; {
			args := ctest.Fill{Out: fill.Room()}
			emptyFill.Call(&args)
			if fill.Done(args.Out) {
				break
			}
			var err error
			if again, err = fill.Again(args.Out, 1000); err != nil {
				b.Fatal(err)
			}
		}
		_ = fill.Bytes()
	}
}

func BenchmarkOf(b *testing.B) {
	owner := mem.NewOwner(nil)
	var c [100]int64
	p := unsafe.Pointer(&c)
	for b.Loop() {
		v, err := mem.Of[int64](owner, p, 90, 100)
		if err != nil {
			b.Fatal(err)
		}
		if s, _ := v.Slice(); len(s) != 90 {
			b.Fatal(len(s))
		}
	}
}

func BenchmarkPool(b *testing.B) {
	p := newPool(b, mem.Class{Size: 128, Count: 64}, mem.Class{Size: 4096, Count: 64})
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			x, err := p.Get(100)
			if err != nil {
				b.Error(err)
				return
			}
			if err := x.Release(); err != nil {
				b.Error(err)
				return
			}
		}
	})
}

// One goroutine has nearly all of the buffers.
func BenchmarkPoolMostlyHeld(b *testing.B) {
	p := newPool(b, mem.Class{Size: 128, Count: 1000})
	for range 990 {
		get(b, p, 100)
	}
	for b.Loop() {
		x, err := p.Get(100)
		if err != nil {
			b.Fatal(err)
		}
		if err := x.Release(); err != nil {
			b.Fatal(err)
		}
	}
}

// All of many buffers are taken, and given back.
func BenchmarkPoolFill(b *testing.B) {
	const n = 10_000
	p := newPool(b, mem.Class{Size: 64, Count: n})
	held := make([]mem.Buffer, 0, n)
	for b.Loop() {
		x, err := p.Get(64)
		if err != nil {
			b.Fatal(err)
		}
		if held = append(held, x); len(held) == n {
			for _, x := range held {
				if err := x.Release(); err != nil {
					b.Fatal(err)
				}
			}
			held = held[:0]
		}
	}
}

func BenchmarkCache(b *testing.B) {
	p := newPool(b, mem.Class{Size: 128, Count: 64}, mem.Class{Size: 4096, Count: 64})
	b.RunParallel(func(pb *testing.PB) {
		cache, err := p.NewCache(100, 4)
		if err != nil {
			b.Error(err)
			return
		}
		for pb.Next() {
			x, err := cache.Get()
			if err != nil {
				b.Error(err)
				return
			}
			if err := cache.Put(x); err != nil {
				b.Error(err)
				return
			}
		}
	})
}

// One operation is one look at the token, in C.
func BenchmarkTokenPoll(b *testing.B) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	token := mem.Watch(ctx)
	defer token.Stop()
	b.ResetTimer()
	for left := b.N; left > 0; {
		args := ctest.Token{Token: token.C(), N: int64(min(left, 10_000))}
		poll.Call(&args)
		left -= int(args.N)
	}
}

func BenchmarkWatch(b *testing.B) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	for b.Loop() {
		mem.Watch(ctx).Stop()
	}
}

func BenchmarkHandleGet(b *testing.B) {
	var h mem.Handles[int]
	var list [64]mem.Handle
	for i := range list {
		list[i] = newHandle(b, &h, new(int))
	}
	i := 0
	for b.Loop() {
		if _, err := h.Get(list[i&63]); err != nil {
			b.Fatal(err)
		}
		i++
	}
}

func BenchmarkHandleNew(b *testing.B) {
	var h mem.Handles[int]
	v := new(int)
	for b.Loop() {
		x, err := h.New(v)
		if err != nil {
			b.Fatal(err)
		}
		if err := h.Delete(x); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCgoHandleGet(b *testing.B) {
	var list [64]cgo.Handle
	for i := range list {
		list[i] = cgo.NewHandle(new(int))
		defer list[i].Delete()
	}
	i := 0
	for b.Loop() {
		if list[i&63].Value().(*int) == nil {
			b.Fatal("nil")
		}
		i++
	}
}

func BenchmarkCgoHandleNew(b *testing.B) {
	v := new(int)
	for b.Loop() {
		cgo.NewHandle(v).Delete()
	}
}
