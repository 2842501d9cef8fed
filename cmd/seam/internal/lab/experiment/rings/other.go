//go:build !linux

package rings

import (
	"context"
	"runtime"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
)

func yield() { runtime.Gosched() }

func toProcess(context.Context, trip, int, string) (*wire, error) {
	return nil, lab.Skip("Linux only: rings between processes")
}

func atRate(context.Context, lab.Mode, string, int) ([]lab.Metric, error) {
	return nil, lab.Skip("Linux only: rings between processes")
}

func idle(context.Context, lab.Mode, string) ([]lab.Metric, error) {
	return nil, lab.Skip("Linux only: rings between processes")
}

func latencies(context.Context, lab.Mode, string) ([]lab.Metric, error) {
	return nil, lab.Skip("Linux only: rings between processes")
}

func beside(context.Context, lab.Mode, pair) ([]lab.Metric, error) {
	return nil, lab.Skip("Linux only: threads that stay on a CPU")
}
