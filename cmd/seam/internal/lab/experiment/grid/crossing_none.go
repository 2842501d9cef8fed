//go:build !cgo || !linux

package grid

import (
	"runtime"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
)

// crossingRun says why C can't be called from this build.
func crossingRun(kind, via, int64) (func(n int), error) {
	if runtime.GOOS != "linux" {
		return nil, lab.Skip("this experiment calls C on Linux only, not on %s", runtime.GOOS)
	}
	return nil, lab.Skip("built with CGO_ENABLED=0: there is no C to call")
}
