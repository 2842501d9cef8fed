//go:build !linux || !cgo

package blocking

import (
	"context"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
)

func probe(string, int) func(context.Context, *lab.Bench) ([]lab.Metric, error) {
	return func(context.Context, *lab.Bench) ([]lab.Metric, error) {
		return nil, lab.NoC("threads and memory are read from /proc")
	}
}
