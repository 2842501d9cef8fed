//go:build linux && !android && (amd64 || arm64) && gc && cgo && !asan && !msan && go1.25 && !go1.28

package prof

import (
	"github.com/seamgo/seam/internal/abi"
	"github.com/seamgo/seam/internal/unwind"
)

// announce has calls that the scheduler doesn't know of followed, too.
func announce() error {
	if err := abi.Check(); err != nil {
		return err
	}
	thisG, err := abi.ThisG()
	if err != nil {
		return err
	}
	return unwind.Announce(abi.Current, thisG)
}
