package rings

import (
	"context"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/ring"
)

// A wire leads to the other side and back.
type wire struct {
	// send passes n records on, and returns when the other side has them.
	send func(n int) error
	// echo has so many records come back, one after the other.
	echo func(n int) error
	// times does so and times each, where this process is not the one that sends them; see trips.
	times func(n int) ([]float64, error)
	// close hangs up, which ends the other side too.
	close func()
}

// trips times single round trips, in ns.
func (w *wire) trips(n int) (list []float64, err error) {
	if w.times != nil {
		return w.times(n)
	}
	for range n {
		before := time.Now()
		if err := w.echo(1); err != nil {
			return nil, err
		}
		list = append(list, float64(time.Since(before)))
	}
	return list, nil
}

// op makes what the lab times.
func (w *wire) op(what string) *lab.Op {
	do := w.echo
	if what == throughput {
		do = w.send
	}
	return &lab.Op{
		Run: func(n int) {
			if err := do(n); err != nil {
				panic(fmt.Errorf("ring: %w", err))
			}
		},
		Close: w.close,
	}
}

// start sets a case up.
func start(ctx context.Context, t trip, size int, via string) (*lab.Op, error) {
	if t.op == spin || t.mode == inproc && t.peer == peerC {
		if err := twoProcessors(); err != nil {
			return nil, err
		}
	}
	w, err := open(ctx, t, size, via)
	if err != nil {
		return nil, err
	}
	if w.echo != nil && t.op != throughput {
		err = w.echo(1) // what is missing on the other side shows here
	}
	if err != nil {
		w.close()
		return nil, lab.Skip("the other side: %v", err)
	}
	return w.op(t.op), nil
}

// open makes what leads to the other side.
func open(ctx context.Context, t trip, size int, via string) (*wire, error) {
	switch {
	case t.mode == xproc:
		return toProcess(ctx, t, size, via)
	case via == viaBoost || via == viaBoostEach:
		return throughBoost(ctx, size, via)
	case t.peer == peerC:
		return betweenThreads(size, via)
	case via == viaChannel:
		return throughChannel(t.op, size), nil
	case via == viaLine || via == viaLines:
		return throughWord(via), nil
	}
	return throughRing(ctx, t.op, size, via)
}

// options are those of both ends of a ring.
func options(op, via string) ring.Options {
	o := ring.Options{Capacity: capacity}
	if via == viaSmall {
		o.Capacity = smallCapacity
	}
	switch op {
	case spin:
		o.Spin = spinLimit
	case park:
		o.Spin = -1
	}
	return o
}

// overRings makes a wire of two rings. The other side serves it by [answer].
func overRings(ctx context.Context, w *ring.Writer, r *ring.Reader, size int, via string, close func()) *wire {
	rec, together := make([]byte, size), batch(size)
	if via == viaEach {
		together = 1
	}
	return &wire{
		send: func(n int) error {
			var head [8]byte
			binary.LittleEndian.PutUint64(head[:], uint64(n))
			if err := w.Send(ctx, head[:]); err != nil {
				return err
			}
			for left := n; left > 0; {
				k := min(left, together)
				for range k {
					if err := w.Append(ctx, rec); err != nil {
						return err
					}
				}
				if err := w.Flush(); err != nil {
					return err
				}
				left -= k
			}
			_, err := r.Next(ctx)
			return err
		},
		echo: func(n int) error {
			for range n {
				if err := w.Send(ctx, rec); err != nil {
					return err
				}
				if _, err := r.Next(ctx); err != nil {
					return err
				}
			}
			return nil
		},
		close: close,
	}
}

// answer is the other side of rings, until they end.
func answer(ctx context.Context, op string, r *ring.Reader, w *ring.Writer) {
	for {
		rec, err := r.Next(ctx)
		if err != nil {
			return
		}
		if op == throughput {
			for n := binary.LittleEndian.Uint64(rec); n > 0; n-- {
				if _, err := r.Next(ctx); err != nil {
					return
				}
			}
			rec = nil
		}
		if w.Send(ctx, rec) != nil {
			return
		}
	}
}
