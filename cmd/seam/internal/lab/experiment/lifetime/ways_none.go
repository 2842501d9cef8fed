//go:build !cgo || !linux

package lifetime

import (
	"context"
	"runtime"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
)

func noC() error {
	if runtime.GOOS != "linux" {
		return lab.Skip("this experiment calls C on Linux only, not on %s", runtime.GOOS)
	}
	return lab.Skip("built with CGO_ENABLED=0: there is no C to call")
}

func setup(way) (*lab.Op, error)          { return nil, noC() }
func probeMemory() ([]lab.Metric, error)  { return nil, noC() }
func probeLeak(int) ([]lab.Metric, error) { return nil, noC() }

func probeVerdicts(context.Context, lab.Mode) ([]lab.Metric, error) { return nil, noC() }
