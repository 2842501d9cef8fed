//go:build cgo

package offload

import (
	"errors"
	"runtime"

	"github.com/seamgo/seam/internal/crossing"
)

var state = choose(runtime.GOOS)

func choose(system string) State {
	reason := crossing.Fallback("offload", func() error {
		if system != "linux" {
			return errors.New("it is native only on Linux, and this is " + system)
		}
		return nil
	})
	if reason != "" {
		return State{Path: PathCgo, Reason: reason}
	}
	return State{Path: PathNative}
}
