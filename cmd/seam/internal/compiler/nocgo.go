package compiler

import (
	"fmt"
	"os"
	"os/exec"

	"github.com/seamgo/seam/cmd/seam/internal/gotool"
)

// NoCgo says why a build calls no C, and what to do about it; "" if it may. The go command
// itself turns cgo off where it finds no compiler, and where it builds for another system.
func NoCgo(e *gotool.Env) (why, fix string) {
	if e.CGO_ENABLED != "0" {
		return "", ""
	}
	target := e.GOOS + "/" + e.GOARCH
	if os.Getenv("CGO_ENABLED") == "0" {
		return "CGO_ENABLED=0 is set in the environment", "unset CGO_ENABLED"
	}
	if e.GOHOSTOS != "" && target != e.GOHOSTOS+"/"+e.GOHOSTARCH {
		return fmt.Sprintf("the build is for %s on %s/%s, and for other systems the go command turns cgo off", target, e.GOHOSTOS, e.GOHOSTARCH),
			"seam cross --target " + target + " -- go build"
	}
	words, err := gotool.SplitQuoted(e.CC)
	if err == nil && len(words) > 0 {
		if _, err := exec.LookPath(words[0]); err != nil {
			return words[0] + " is not on PATH, and without a C compiler the go command turns cgo off", toGet("CC", words[0])
		}
	}
	return "CGO_ENABLED=0 is set by go env -w, or this Go has no cgo for " + target, "go env -u CGO_ENABLED"
}
