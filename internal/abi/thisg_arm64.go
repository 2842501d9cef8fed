//go:build linux && !android && gc && !asan && !msan && go1.25 && !go1.28

package abi

import "sync"

// ThisG returns the address of a C function that returns the thread's g, which is 0 on a
// thread that has none.
var ThisG = sync.OnceValues(func() (uintptr, error) {
	slot, err := GSlot()
	if err != nil {
		return 0, err
	}
	gSlot = slot
	return thisGPC(), nil
})

// gSlot is what the C function reads. It is written once, before the function's address is
// known.
var gSlot uintptr

func thisGPC() uintptr
