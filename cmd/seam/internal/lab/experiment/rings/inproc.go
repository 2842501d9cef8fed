package rings

import (
	"context"
	"runtime"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/subprocess"
	"github.com/seamgo/seam/ring"
)

// spinLimit is how long sides that spin look for each other: for ever, as far as a round
// trip is concerned, but not between samples.
const spinLimit = 50 * time.Microsecond

// twoProcessors returns a reason to skip where two sides can't look for each other.
func twoProcessors() error {
	if _, _, err := subprocess.TwoCPUs(); err != nil {
		return err
	}
	if n := runtime.GOMAXPROCS(0); n < 2 {
		return lab.Skip("two goroutines that run at the same time need a GOMAXPROCS of two or more, and it is %d", n)
	}
	return nil
}

// throughRing leads to a goroutine.
func throughRing(ctx context.Context, op string, size int, via string) (*wire, error) {
	o := options(op, via)
	there, here, err := ring.New(o.Capacity, o)
	if err != nil {
		return nil, err
	}
	back, home, err := ring.New(o.Capacity, o)
	if err != nil {
		return nil, err
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer pinned(ctx)()
		answer(ctx, op, here, back)
	}()
	return overRings(ctx, there, home, size, via, func() {
		there.Close()
		<-done
	}), nil
}

// throughChannel leads to a goroutine too. Records are copied into the channel; one that is
// larger than a channel's elements may be is copied to the heap.
func throughChannel(op string, size int) *wire {
	switch size {
	case 8:
		return channel(op, size, func(a *[8]byte) [8]byte { return *a })
	case 64:
		return channel(op, size, func(a *[64]byte) [64]byte { return *a })
	case 1024:
		return channel(op, size, func(a *[1024]byte) [1024]byte { return *a })
	}
	return channel(op, size, func(a *[65536]byte) *[65536]byte { c := *a; return &c })
}

func channel[A, E any](op string, size int, copied func(*A) E) *wire {
	places := 0
	if op == throughput {
		places = room(size)
	}
	there, back := make(chan E, places), make(chan E)
	count, got := make(chan int), make(chan struct{})
	go func() {
		defer close(got)
		for n := range count {
			for range n {
				e := <-there
				if op != throughput {
					back <- e
				}
			}
			got <- struct{}{}
		}
	}()
	var rec A
	each := func(n int, do func()) error {
		count <- n
		for range n {
			do()
		}
		<-got
		return nil
	}
	return &wire{
		send: func(n int) error { return each(n, func() { there <- copied(&rec) }) },
		echo: func(n int) error { return each(n, func() { there <- copied(&rec); <-back }) },
		close: func() {
			close(count)
			<-got
		},
	}
}

// throughWord leads to a goroutine that looks at a word.
func throughWord(via string) *wire {
	words := wordsIn(unsafe.Pointer(&new([64]atomic.Uint64)[16]), via) // 128 bytes from anything else
	count, got := make(chan int), make(chan struct{})
	go func() {
		defer close(got)
		for n := range count {
			words.pong(n)
			got <- struct{}{}
		}
	}()
	return &wire{
		echo: func(n int) error {
			count <- n
			words.ping(n)
			<-got
			return nil
		},
		close: func() {
			close(count)
			<-got
		},
	}
}

// words are what two sides hand to each other: one word that both write, or one for each way, in
// lines of their own.
type words struct{ there, back *atomic.Uint64 }

// wordsSize is how much memory they take.
const wordsSize = 256

// wordsIn are at the beginning of memory that is wordsSize long.
func wordsIn(p unsafe.Pointer, via string) words {
	w := words{(*atomic.Uint64)(p), (*atomic.Uint64)(p)}
	if via == viaLines {
		w.back = (*atomic.Uint64)(unsafe.Add(p, wordsSize/2))
	}
	return w
}

// ping and pong hand a number to each other. It counts up to twice the round trips of this
// sample and is zero before and after.
func (w words) ping(n int) {
	for i := range uint64(n) {
		w.there.Store(2*i + 1)
		await(w.back, 2*i+2)
	}
	w.there.Store(0)
	w.back.Store(0)
}

func (w words) pong(n int) {
	for i := range uint64(n) {
		await(w.there, 2*i+1)
		w.back.Store(2*i + 2)
	}
}

// await looks at a word until it has a value. On a busy machine, where the other side may
// have no processor, it gives up its own now and then.
func await(word *atomic.Uint64, value uint64) {
	for looks := 1; word.Load() != value; looks++ {
		if looks%8192 == 0 {
			yield()
		}
	}
}
