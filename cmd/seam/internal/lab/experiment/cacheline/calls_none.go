//go:build !cgo || !linux

package cacheline

import (
	"runtime"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
)

func noC() error {
	if runtime.GOOS != "linux" {
		return lab.Skip("this experiment calls C on Linux only, not on %s", runtime.GOOS)
	}
	return lab.Skip("built with CGO_ENABLED=0: there is no C to call")
}

func startCalls(*lab.Bench, string, int, set) (*lab.Op, error) { return nil, noC() }
func setupThreads(sharing, string) (*lab.Op, error)            { return nil, noC() }
func probeLines(*lab.Bench, string, int) ([]lab.Metric, error) { return nil, noC() }
func probePlace(shape, placer string) ([]lab.Metric, error)    { return nil, noC() }
