package errorpath

import (
	"context"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/subprocess"
)

// An order is what a program is to do, an answer what it says. They are those
// of program/program.go.
type order struct {
	Types     int
	Rotations int
	Yardstick bool
}

type answer struct {
	Wrong string
	NS    int64
}

// ask has a program do something.
func ask(c *subprocess.Child, o order) (time.Duration, error) {
	var a answer
	if err := c.Ask(o, &a); err != nil {
		return 0, err
	}
	if a.Wrong != "" {
		return 0, lab.Skip("the decoders are wrong: %s", a.Wrong)
	}
	return time.Duration(a.NS), nil
}

// start makes the operation that decodes one message, of each type in turns. It
// is done in a process of its own for each layout, since a program has one.
func (v variant) start(ctx context.Context, b *lab.Bench, layout string, types int, yardstick bool) (*lab.Op, error) {
	path, err := v.program(ctx, b, layout)
	if err != nil {
		return nil, err
	}
	child, err := subprocess.StartProgram(ctx, path)
	if err != nil {
		return nil, err
	}
	o := order{Types: types, Rotations: 1, Yardstick: yardstick}
	var took time.Duration
	for took < b.Stretch/4 && err == nil {
		o.Rotations *= 2
		took, err = ask(child, o)
	}
	if err != nil {
		child.Close()
		return nil, err
	}
	rotations := max(1, int(float64(o.Rotations)*float64(b.Stretch)/float64(took)))
	return &lab.Op{
		// Whole rotations: no sample has more of one type than another.
		N: types * rotations,
		Time: func(n int) time.Duration {
			o.Rotations = max(1, n/types)
			took, err := ask(child, o)
			if err != nil {
				panic(err) // it worked before
			}
			return took * time.Duration(n) / time.Duration(o.Rotations*types)
		},
		Close: child.Close,
	}, nil
}
