//go:build !cgo || !linux

package grid

import "github.com/seamgo/seam/cmd/seam/internal/lab"

// crossingRun says why C can't be called from this build.
func crossingRun(kind, via, int64) (func(n int), error) {
	return nil, lab.NoC("C code of this experiment")
}
