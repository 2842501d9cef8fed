package call

import (
	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/experiment/call/asmcall"
)

//go:noinline
func add(a, b int64) int64 { return a + b }

func goAdd() (*lab.Op, error) {
	return &lab.Op{Run: func(n int) {
		var sum int64
		for i := range n {
			sum += add(int64(i), 2)
		}
		sink = sum
	}}, nil
}

//go:noinline
func empty() {}

//go:noinline
func nested() { empty() }

func goEmpty() (*lab.Op, error) {
	return &lab.Op{Run: func(n int) {
		for range n {
			empty()
		}
	}}, nil
}

func goNested() (*lab.Op, error) {
	return &lab.Op{Run: func(n int) {
		for range n {
			nested()
		}
	}}, nil
}

func asmEmpty() (*lab.Op, error) {
	if !asmcall.Available {
		return nil, lab.Skip("no assembly for this architecture")
	}
	return &lab.Op{Run: func(n int) {
		for range n {
			asmcall.Empty(nil, nil)
		}
	}}, nil
}
