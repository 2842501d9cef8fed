//go:build linux && !android && (amd64 || arm64) && gc && cgo && !asan && !msan && go1.25 && !go1.28 && seam_without_runtime

package rt

// What thread.go has, in a build for which package runtime wasn't found.
var (
	seamLock, seamUnlock func()
	seamProcs            func(int) int
	seamGoVersion        func() string
	seamFuncForPC        func(pc uintptr) uintptr
)
