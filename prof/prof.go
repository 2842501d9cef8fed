//go:build linux && !android && (amd64 || arm64) && gc && cgo && !asan && !msan

package prof

import (
	"cmp"
	"os"
	"runtime"

	"github.com/seamgo/seam/internal/crossing"
	"github.com/seamgo/seam/internal/unwind"
)

func signals() []string { return unwind.Signals() }

// other is a package that will register functions of its own: seam prof has the linker set it.
var other string

var state = start()

func start() State {
	if other != "" || !register() {
		reason := cmp.Or(other, "another package") + " calls runtime.SetCgoTraceback"
		crossing.Warn("prof", reason+": its frames of C are shown, not this package's")
		return State{PathNone, reason}
	}
	if err := unwind.Start(); err != nil {
		return State{PathNone, "no tables: " + err.Error()}
	}
	if dir := os.Getenv("SEAM_CRASH"); dir != "" {
		if err := keepCrashes(dir); err != nil {
			crossing.Warn("prof", "SEAM_CRASH: "+err.Error()+": reports of crashes get no file")
		}
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
