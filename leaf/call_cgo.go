//go:build cgo && !(linux && !android && (amd64 || arm64) && gc && !asan && !msan && go1.25 && !go1.28)

package leaf

import (
	"unsafe"

	"github.com/seamgo/seam/leaf/internal/viacgo"
)

// call runs fn(arg) through cgo: there is no assembly for this build.
func call(fn, arg unsafe.Pointer) int32 {
	if guard.on {
		return guardCall(fn, arg, false)
	}
	return viacgo.Call(fn, arg)
}

func direct(fn, arg unsafe.Pointer) int32 { return viacgo.Call(fn, arg) }

func prepare() error { return nil }

func setFast() {}

func watch() {}
