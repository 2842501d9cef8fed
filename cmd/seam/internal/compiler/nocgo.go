package compiler

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"

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
			forOther(e.GOOS, e.GOARCH)
	}
	words, err := gotool.SplitQuoted(e.CC)
	if err == nil && len(words) > 0 {
		if _, err := exec.LookPath(words[0]); err != nil {
			return words[0] + " is not on PATH, and without a C compiler the go command turns cgo off", ToGet("CC", words[0])
		}
	}
	return "CGO_ENABLED=0 is set by go env -w, or this Go has no cgo for " + target, "go env -u CGO_ENABLED"
}

// Names are how compilers call a GOARCH: those that seam cross builds for, and what ends a triple of Linux.
type Names struct{ Zig, Debian, ABI string }

// Crosses has the names for each GOARCH.
var Crosses = map[string]Names{
	"amd64":   {"x86_64", "x86_64", ""},
	"arm64":   {"aarch64", "aarch64", ""},
	"386":     {"x86", "i686", ""},
	"arm":     {"arm", "arm", "eabihf"},
	"loong64": {"loongarch64", "loongarch64", ""},
	"ppc64le": {"powerpc64le", "powerpc64le", ""},
	"riscv64": {"riscv64", "riscv64", ""},
	"s390x":   {"s390x", "s390x", ""},
}

// NeedsMac is why nothing with C is built for Apple's systems from here.
const NeedsMac = "build on a Mac: what Go's run-time links with there is in Apple's SDK"

// Targets are the machines of each system that seam cross builds for.
var Targets = map[string][]string{
	"linux":   slices.Sorted(maps.Keys(Crosses)),
	"windows": {"386", "amd64", "arm64"},
	"freebsd": {"amd64"}, // for arm64 Go wants GNU's linker, which Zig isn't
}

// forOther says how to build programs with C for another system. What seam cross can't is said by
// what can.
func forOther(goos, goarch string) string {
	switch {
	case slices.Contains(Targets[goos], goarch):
		return fmt.Sprintf("seam cross --target %s/%s -- go build", goos, goarch)
	case goos == "darwin" || goos == "ios":
		return NeedsMac
	}
	return fmt.Sprintf("set CGO_ENABLED=1, and CC to a compiler for %s/%s", goos, goarch)
}
