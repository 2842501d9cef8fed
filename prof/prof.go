//go:build linux && !android && (amd64 || arm64) && gc && cgo && !asan && !msan

package prof

import (
	"runtime"

	"github.com/seamgo/seam/internal/crossing"
	"github.com/seamgo/seam/prof/internal/unwind"
)

func signals() []string { return unwind.Signals() }

var state = start()

func start() State {
	if !register() {
		const reason = "another package has called runtime.SetCgoTraceback"
		crossing.Warn("prof", reason+": its frames of C are shown, not this package's")
		return State{PathNone, reason}
	}
	if err := unwind.Start(); err != nil {
		return State{PathNone, "no tables: " + err.Error()}
	}
	if err := announce(); err != nil {
		return State{PathTables, "without leaves, coroutines and welded calls: " + err.Error()}
	}
	return State{Path: PathTables}
}

// register gives the runtime our functions. It panics if it has others, and changes nothing.
func register() (done bool) {
	defer func() { _ = recover() }()
	runtime.SetCgoTraceback(0, unwind.Traceback, unwind.Context, unwind.Symbolizer)
	return true
}
