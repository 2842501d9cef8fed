//go:build linux && !android && (amd64 || arm64) && gc && cgo && !asan && !msan && go1.25 && !go1.28

package rt

import "runtime"

func init() {
	seamFuncForPC = func(pc uintptr) (entry uintptr) {
		if f := runtime.FuncForPC(pc); f != nil {
			entry = f.Entry()
		}
		return entry
	}
	seamLock, seamUnlock, seamProcs = runtime.LockOSThread, runtime.UnlockOSThread, runtime.GOMAXPROCS
}
