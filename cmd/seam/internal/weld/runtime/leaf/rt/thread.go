//go:build linux && !android && (amd64 || arm64) && gc && cgo && !asan && !msan && go1.25 && !go1.28 && !seam_without_runtime

package rt

import "runtime"

// What is the runtime's. All of it has its value before anything runs: the run-time has no init
// functions, of which a package has one record.
var (
	// seamLock and seamUnlock are called by the assembly.
	seamLock   func() = runtime.LockOSThread
	seamUnlock func() = runtime.UnlockOSThread

	seamProcs func(int) int = runtime.GOMAXPROCS

	seamGoVersion func() string = runtime.Version

	// seamFuncForPC says where the function begins that has an instruction.
	seamFuncForPC = func(pc uintptr) (entry uintptr) {
		if f := runtime.FuncForPC(pc); f != nil {
			entry = f.Entry()
		}
		return entry
	}
)
