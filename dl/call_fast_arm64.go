//go:build linux && !android && gc && !asan && !msan && go1.25 && !go1.28

package dl

import "github.com/seamgo/seam/internal/abi"

// intRegisters is how many arguments that are words go in registers.
const intRegisters = 8

const isARM64 = 1

// hot is what the assembly reads on every call. It is written once, at start. The padding
// keeps variables that others write out of its cache line.
var hot hotState

type hotState struct {
	_     [128]byte
	gSlot uintptr // where a thread keeps g, relative to the thread pointer
	inC   uintptr // the address that stands for the C function in tracebacks
	_     [128]byte
}

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
	return nil
}
