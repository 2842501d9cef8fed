//go:build !linux

package prof

import (
	"context"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
)

func startSample(context.Context, *lab.Bench, string, int) (*lab.Op, error) { return nil, notHere() }
func startWork(context.Context, *lab.Bench, string, int) (*lab.Op, error)   { return nil, notHere() }

func probeRate(context.Context, *lab.Bench, string, int) ([]lab.Metric, error) {
	return nil, notHere()
}

func notHere() error { return lab.Skip("Linux only: package prof unwinds C there") }
