package cacheline

import (
	"runtime"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/subprocess"
)

// twoThreads makes an operation of what two threads do at the same time, each on a CPU of
// its own. The time is the mean of both. Without a second operation there is one thread.
func twoThreads(first, second func(n int)) (*lab.Op, error) {
	here, there, err := subprocess.TwoCPUs()
	if err != nil {
		return nil, err
	}
	if n := runtime.GOMAXPROCS(0); n < 2 {
		return nil, lab.Skip("two threads at the same time need a GOMAXPROCS of two or more, and it is %d", n)
	}
	if second == nil {
		return &lab.Op{Time: func(n int) time.Duration {
			defer subprocess.Pin(here)()
			start := time.Now()
			first(n)
			return time.Since(start)
		}}, nil
	}
	p := &partner{todo: make(chan int), took: make(chan time.Duration)}
	go func() {
		defer close(p.took)
		defer subprocess.Pin(there)()
		for n := range p.todo {
			p.took <- p.together(func() { second(n) })
		}
	}()
	return &lab.Op{
		Time: func(n int) time.Duration {
			defer subprocess.Pin(here)()
			p.ready.Store(0)
			p.todo <- n
			mine := p.together(func() { first(n) })
			return (mine + <-p.took) / 2
		},
		Close: func() {
			close(p.todo)
			<-p.took
		},
	}, nil
}

// A partner is the goroutine that does the same at the same time.
type partner struct {
	todo  chan int
	took  chan time.Duration
	ready atomic.Int32
}

// together waits until both are there, and times f. It doesn't give up its processor
// while it waits, so the other has to come on another one.
func (p *partner) together(f func()) time.Duration {
	p.ready.Add(1)
	for p.ready.Load() < 2 {
	}
	start := time.Now()
	f()
	return time.Since(start)
}

// setupCounters is setupThreads without C: each thread counts on a word of its own.
func setupCounters(s sharing) (*lab.Op, error) {
	if err := otherLines(); err != nil {
		return nil, err
	}
	const align = 128
	words := make([]uint64, 4*align/8)
	start := int(-uintptr(unsafe.Pointer(unsafe.SliceData(words)))%align) / 8
	count := func(at int) func(int) {
		return func(n int) {
			for range n {
				atomic.AddUint64(&words[at], 1)
			}
		}
	}
	if s.threads == 1 {
		return twoThreads(count(start), nil)
	}
	return twoThreads(count(start), count(start+s.step/8))
}
