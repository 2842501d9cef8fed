//go:build !linux || !cgo

package spawn

import (
	"context"
	"runtime"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
)

func setupThread() (*lab.Op, error) { return nil, withoutC() }
func setupFork() (*lab.Op, error)   { return nil, withoutC() }

func parkThreads(context.Context, int) ([]lab.Metric, error) { return nil, withoutC() }

func withoutC() error {
	if runtime.GOOS != "linux" {
		return lab.Skip("Linux only: C threads whose memory is read from /proc")
	}
	return lab.Skip("built without cgo: threads are started by C code; build with CGO_ENABLED=1 and a C compiler")
}
