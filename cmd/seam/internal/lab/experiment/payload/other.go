//go:build !linux

package payload

import (
	"context"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
)

func start(context.Context, *lab.Bench, int, string, string) (*lab.Op, error) { return nil, notHere() }

func probeAllocations(context.Context, *lab.Bench) ([]lab.Metric, error) { return nil, notHere() }

func probeParts(context.Context, *lab.Bench, int, string) ([]lab.Metric, error) {
	return nil, notHere()
}

func probeHTTP(context.Context, *lab.Bench, int) ([]lab.Metric, error) { return nil, notHere() }

func notHere() error {
	return lab.Skip("Linux only: the programs are run in ways that only Linux offers")
}
