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

// Names are how compilers for Linux call a GOARCH: those that seam cross builds for.
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

// forOther says how to build programs with C for another system. What seam cross can't is said by
// what can.
func forOther(goos, goarch string) string {
	const zig = `CGO_ENABLED=1 CC="zig cc -target %s" CXX="zig c++ -target %[1]s" go build`
	cpu := map[string]string{"amd64": "x86_64", "arm64": "aarch64", "386": "x86"}[goarch]
	mingw := map[string]string{"amd64": "x86_64", "386": "i686"}[goarch]
	switch {
	case goos == "linux" && Crosses[goarch] != Names{}:
		return fmt.Sprintf("seam cross --target %s/%s -- go build", goos, goarch)
	case goos == "windows" && mingw != "":
		return fmt.Sprintf("CGO_ENABLED=1 CC=%s-w64-mingw32-gcc CXX=%[1]s-w64-mingw32-g++ go build", mingw)
	case goos == "windows" && cpu != "":
		return fmt.Sprintf(zig, cpu+"-windows-gnu")
	case goos == "darwin" || goos == "ios":
		return "build on a Mac: what Go's run-time links with there is in Apple's SDK"
	}
	return fmt.Sprintf("set CGO_ENABLED=1, and CC to a compiler for %s/%s", goos, goarch)
}
