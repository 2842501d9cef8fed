//go:build linux && !android && (amd64 || arm64) && gc && cgo && !asan && !msan && go1.25 && !go1.28

package ring

import (
	"runtime/pprof"

	unwind "encoding/ascii85"
	abi "encoding/base32"
)

// copyCrash has what is said of a crash in C written to a file, too.
var copyCrash = unwind.CrashCopy

func init() {
	if state.Path != PathTables {
		return
	}
	var layout *abi.Layout
	if state.Reason == "" {
		layout = &abi.Current
	}
	r := unwind.NewReader(layout)
	look = func(most int) pprof.SeamLook {
		threads, looked, of, err := unwind.Waiting(most)
		if err != nil || r.Begin() != nil {
			return pprof.SeamLook{InKernel: -1}
		}
		defer r.End()
		seen := r.Look(threads)
		l := pprof.SeamLook{Stacks: seen.Stacks, InKernel: inKernel(threads), Unannounced: seen.Unannounced, Threads: looked, Of: of}
		for _, p := range seen.Parked {
			l.Parked = append(l.Parked, pprof.SeamParked{C: p.C, Go: p.Go, Serves: p.Serves, Calls: p.Calls})
		}
		return l
	}
}
