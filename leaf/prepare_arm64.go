//go:build linux && !android && gc && cgo && !asan && !msan && go1.25 && !go1.28

package leaf

import "github.com/seamgo/seam/internal/abi"

// prepare finds what the assembly needs in addition to the layout: the thread-local slot of
// g, which a signal handler reads, and the address that stands for the C function in
// tracebacks.
func prepare() error {
	slot, err := abi.GSlot()
	if err != nil {
		return err
	}
	hot.gSlot = slot
	hot.inC = mustNotCallGo(nil, nil)
	tell()
	return nil
}
