//go:build cgo && linux && (amd64 || arm64)

package dlcall

import (
	"fmt"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
)

// A loop makes n calls and returns the sum of their results. Each is written out: a call through a func value would be in the time.
type loop func(n int) int64

// A way makes the loops by arguments; close, if there is one, releases what they use.
type way func(args string) (l loop, close func(), err error)

var ways = map[string]way{
	viaCgo: cgoLoop, viaLeaf: leafLoop, viaDlLeaf: dlLeafLoop, viaDl: dlLoop,
	viaRegister: registerLoop, viaSyscall: syscallLoop,
}

func setup(args, via string) (*lab.Op, error) {
	l, end, err := ways[via](args)
	if err != nil {
		if end != nil {
			end()
		}
		return nil, err
	}
	return &lab.Op{Close: end, Run: func(n int) {
		if got, want := l(n), sumOf(args, n); got != want {
			panic(fmt.Errorf("dl: the results of %d calls by %s with %s add up to %d, want %d", n, via, args, got, want)) // a wrong price must not be shown
		}
	}}, nil
}

// text is a variable: what is made of it is made in each call.
var text = "seam lab"
