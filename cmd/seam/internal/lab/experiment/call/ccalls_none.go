//go:build !cgo || !linux

package call

import (
	"runtime"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
)

func noC() (*lab.Op, error) {
	if runtime.GOOS != "linux" {
		return nil, lab.Skip("this experiment calls C on Linux only, not on %s", runtime.GOOS)
	}
	return nil, lab.Skip("built with CGO_ENABLED=0: there is no C to call")
}

func cgoAdd() (*lab.Op, error)           { return noC() }
func cgoAddAt() (*lab.Op, error)         { return noC() }
func cgoAddAtNoescape() (*lab.Op, error) { return noC() }
func leafAdd() (*lab.Op, error)          { return noC() }
func leafEmpty() (*lab.Op, error)        { return noC() }
func leafStruct() (*lab.Op, error)       { return noC() }
func leafWrapped() (*lab.Op, error)      { return noC() }
