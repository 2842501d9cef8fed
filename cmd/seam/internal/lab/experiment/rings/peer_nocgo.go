//go:build !linux || !cgo

package rings

import (
	"context"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
)

func haveC() error { return lab.NoC("rings between processes") }

func betweenThreads(int, string) (*wire, error) { return nil, lab.NoC("the header is for Linux") }

func throughBoost(context.Context, int, string) (*wire, error) {
	return nil, lab.NoC("a queue of boost between threads")
}
