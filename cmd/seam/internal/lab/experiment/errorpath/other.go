//go:build !linux

package errorpath

import (
	"context"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
)

func (variant) start(context.Context, *lab.Bench, string, int, bool) (*lab.Op, error) {
	return nil, notHere()
}

func (variant) probeCode(context.Context, *lab.Bench) ([]lab.Metric, error) { return nil, notHere() }

func (variant) probeMisses(context.Context, *lab.Bench, int) ([]lab.Metric, error) {
	return nil, notHere()
}

func notHere() error {
	return lab.Skip("Linux only: the programs are run in ways that only Linux offers")
}
