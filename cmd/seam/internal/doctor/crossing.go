package doctor

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/gotool"
)

// fastGo are the versions of Go whose run-time the assembly knows: those of the build
// constraints of packages leaf and coro.
var fastGo = []string{"1.25", "1.26", "1.27"}

// Crossing says how programs of this build call C by packages leaf and coro, as their build
// constraints have it: why not by the fast path, and what to do about it; "" if they do.
// running is why seam itself, running here, falls back; it is "" if it doesn't, or if it is a
// build of another kind.
func (b *Build) Crossing(running string) (why, fix string) {
	switch {
	case !b.Cgo:
		return b.NoCgo, b.noCgoFix
	case b.C.Problem != "":
		return b.C.Problem, b.C.Fix
	case b.GOOS != "linux" || b.GOARCH != "amd64" && b.GOARCH != "arm64":
		return "the assembly is for linux/amd64 and linux/arm64, and this build is for " + b.System(), "where speed counts, build for Linux"
	case !slices.ContainsFunc(fastGo, func(v string) bool {
		return b.Go == "go"+v || strings.HasPrefix(b.Go, "go"+v+".") || strings.HasPrefix(b.Go, "go"+v+"rc")
	}):
		return fmt.Sprintf("the assembly knows Go %s, and this build uses %s", strings.Join(fastGo, ", "), b.Go),
			"use one of these, for example with: go get go@" + fastGo[len(fastGo)-1]
	}
	flags, err := gotool.SplitQuoted(b.GOFLAGS)
	if err != nil {
		return "GOFLAGS: " + err.Error(), "correct GOFLAGS, or go env -u GOFLAGS"
	}
	for _, f := range flags {
		if f = strings.TrimLeft(f, "-"); f == "asan" || f == "msan" || f == "asan=true" || f == "msan=true" {
			return "GOFLAGS has -" + f + ", and sanitizers have to see calls the way cgo makes them", "take it out of GOFLAGS where speed counts"
		}
	}
	if variable, _, ok := strings.Cut(running, "=cgo in the environment"); ok {
		return running, "unset " + variable
	}
	if running != "" {
		return running, "report this as a bug of Seam, with what seam doctor --json - says"
	}
	return "", ""
}
