package abi

import "runtime"

// End returns where the function ends that begins at entry, up to 15 bytes behind its last
// instruction: functions begin at multiples of 16.
func End(entry uintptr) uintptr {
	const step = 16
	at := entry
	for f := runtime.FuncForPC(at); f != nil && f.Entry() == entry; f = runtime.FuncForPC(at) {
		at += step
	}
	return at
}
