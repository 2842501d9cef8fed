//go:build linux && !android && gc && cgo && !asan && !msan && go1.25 && !go1.28

package rt

// seamFindSlot has nothing to find: on amd64 the linker knows where a thread
// keeps g.
func seamFindSlot() string { return "" }

// seamStandIns are the addresses that stand for C in tracebacks.
//
//go:noescape
func seamStandIns(into *[3]uintptr)

// SeamCall has no frame: its return address is where the stack pointer is. SeamCallOpen has one
// between its PUSHQ and its POPQ.
const (
	seamCallFrame = seamFrameAtSP
	seamOpenFrame = seamFramePushed
)
