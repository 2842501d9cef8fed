//go:build linux && !android && gc && cgo && !asan && !msan && go1.25 && !go1.28

package rt

// seamFindSlot has nothing to find: on amd64 the linker knows where a thread
// keeps g.
func seamFindSlot() string { return "" }
