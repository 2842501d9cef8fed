package switches

import (
	"iter"
	"runtime"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
)

func setupNone(b *buffers) *lab.Op {
	return &lab.Op{
		Run: func(n int) {
			for i := range n {
				if i&1 == 0 {
					touch(b.ours)
				} else {
					touch(b.theirs)
				}
			}
		},
		Close: b.release,
	}
}

// setupGoroutine is two goroutines that yield to one another. The peer sleeps
// between samples: as a runnable goroutine it would disturb the other kinds.
func setupGoroutine(b *buffers) *lab.Op {
	start, done := make(chan int), make(chan struct{})
	go func() {
		for rounds := range start {
			for range rounds {
				touch(b.theirs)
				runtime.Gosched()
			}
			done <- struct{}{}
		}
		close(done)
	}()
	var t trips
	return &lab.Op{
		Run: func(n int) {
			rounds := t.of(n)
			start <- rounds
			for range rounds {
				runtime.Gosched()
				touch(b.ours)
			}
			<-done
		},
		Close: func() {
			close(start)
			<-done
			b.release()
		},
	}
}

func setupChannel(b *buffers) *lab.Op {
	ping, pong := make(chan int), make(chan int)
	go func() {
		for v := range ping {
			touch(b.theirs)
			pong <- v
		}
		close(pong)
	}()
	var t trips
	return &lab.Op{
		Run: func(n int) {
			for i := range t.of(n) {
				ping <- i
				<-pong
				touch(b.ours)
			}
		},
		Close: func() {
			close(ping)
			<-pong
			b.release()
		},
	}
}

// setupIterPull is a coroutine. A call of next switches in and back out, which
// is two operations.
func setupIterPull(b *buffers) *lab.Op {
	next, stop := iter.Pull(func(yield func(int) bool) {
		for i := 0; ; i++ {
			touch(b.theirs)
			if !yield(i) {
				return
			}
		}
	})
	var t trips
	return &lab.Op{
		Run: func(n int) {
			for range t.of(n) {
				next()
				touch(b.ours)
			}
		},
		Close: func() {
			stop()
			b.release()
		},
	}
}
