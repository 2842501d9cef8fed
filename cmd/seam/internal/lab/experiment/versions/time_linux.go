package versions

import (
	"context"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/subprocess"
)

// An order is what a program is to do, an answer how long it took: those of
// program/main.go.
type order struct {
	What string
	N    int
}

type answer struct {
	Wrong string
	NS    int64
}

// start makes the operation that a release's program does in a process of its own.
func start(ctx context.Context, b *lab.Bench, t thing, r release) (*lab.Op, error) {
	path, err := program(ctx, b.Mode, r)
	if err != nil {
		return nil, err
	}
	return startProgram(ctx, b, path, t)
}

func startProgram(ctx context.Context, b *lab.Bench, path string, t thing) (*lab.Op, error) {
	child, err := subprocess.StartProgram(ctx, path)
	if err != nil {
		return nil, err
	}
	took := func(n int) (time.Duration, error) {
		var a answer
		if err := child.Ask(order{t.name, n}, &a); err != nil {
			return 0, err
		}
		if a.Wrong != "" {
			return 0, lab.Skip("%s", a.Wrong)
		}
		return max(time.Duration(a.NS), 1), nil
	}
	n, once := 1, time.Duration(0)
	for once < b.Stretch/8 && n < 1<<28 {
		n *= 4
		if once, err = took(n); err != nil {
			child.Close()
			return nil, err
		}
	}
	return &lab.Op{
		N: max(1, int(float64(n)*float64(b.Stretch)/float64(once))),
		Time: func(n int) time.Duration {
			d, err := took(n)
			if err != nil {
				panic(err) // it worked before
			}
			return d
		},
		Close: func() { child.Close() },
	}, nil
}
