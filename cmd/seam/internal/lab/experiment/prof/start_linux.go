package prof

import (
	"context"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/subprocess"
)

// An order is what a program is to do, an answer how long it took and how many samples there
// were: those of program/main.go.
type order struct {
	What, Via string
	Hz        int // 0: no profile
	Frames, N int
}

type answer struct {
	Wrong   string
	NS      int64
	Samples int
}

// A client is a process that several cases use in turn: what a process is lucky or unlucky
// with is the same for all of them.
type client struct {
	child *subprocess.Child
	users int
}

// clients are those that run, by profiler. Cases are set up and closed one at a time.
var clients = map[string]*client{}

func open(ctx context.Context, b *lab.Bench, via string) (*client, error) {
	c := clients[via]
	if c == nil {
		path, err := program(ctx, b.Mode, via)
		if err != nil {
			return nil, err
		}
		child, err := subprocess.StartProgram(ctx, path)
		if err != nil {
			return nil, err
		}
		c = &client{child: child}
		clients[via] = c
	}
	c.users++
	return c, nil
}

func (c *client) close(via string) {
	if c.users--; c.users == 0 {
		delete(clients, via)
		c.child.Close()
	}
}

func (c *client) ask(o order) (answer, error) {
	var a answer
	err := c.child.Ask(o, &a)
	if err == nil && a.Wrong != "" {
		err = lab.Skip("%s", a.Wrong)
	}
	return a, err
}

// start makes an operation of an order whose N is what takes so long.
func start(ctx context.Context, b *lab.Bench, o order, long time.Duration) (*lab.Op, error) {
	c, err := open(ctx, b, o.Via)
	if err != nil {
		return nil, err
	}
	first := o
	first.N = 100
	var took answer
	for range 2 { // the first one is slow
		if took, err = c.ask(first); err != nil {
			c.close(o.Via)
			return nil, err
		}
	}
	return &lab.Op{
		N: max(1, int(100*long/time.Duration(max(1, took.NS)))),
		Time: func(n int) time.Duration {
			o.N = n
			a, err := c.ask(o)
			if err != nil {
				panic(err) // it worked before
			}
			return max(time.Duration(a.NS), 1)
		},
		Close: func() { c.close(o.Via) },
	}, nil
}

// A sample of samples is short: Go's profiler has room for some thousand, and takes them out
// ten times a second.
func startSample(ctx context.Context, b *lab.Bench, via string, frames int) (*lab.Op, error) {
	return start(ctx, b, order{What: "sample", Via: via, Hz: 100, Frames: frames}, 300*time.Microsecond)
}

// A sample of work has a hundred signals at 100 Hz: what a profile takes to begin must be little
// beside them.
func startWork(ctx context.Context, b *lab.Bench, via string, hz int) (*lab.Op, error) {
	return start(ctx, b, order{What: "work", Via: via, Hz: hz, Frames: 20}, time.Second)
}

// probeRate counts the samples of half a second.
func probeRate(ctx context.Context, b *lab.Bench, via string, hz int) ([]lab.Metric, error) {
	op, err := start(ctx, b, order{What: "work", Via: via, Hz: hz, Frames: 20}, 500*time.Millisecond)
	if err != nil {
		return nil, err
	}
	n := op.N
	op.Close()
	c, err := open(ctx, b, via)
	if err != nil {
		return nil, err
	}
	defer c.close(via)
	a, err := c.ask(order{What: "work", Via: via, Hz: hz, Frames: 20, N: n})
	if err != nil {
		return nil, err
	}
	return []lab.Metric{{Unit: unitRate, Value: float64(a.Samples) / (float64(max(a.NS, 1)) / 1e9)}}, nil
}
