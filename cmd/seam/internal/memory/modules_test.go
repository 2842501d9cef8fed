//go:build linux && (amd64 || arm64) && seam_libs

package memory

import (
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/memory/verdict"
	"github.com/seamgo/seam/internal/testenv"
)

// The same of other people's modules: SQLite fills its page cache, LMDB maps its file.
func TestModules(t *testing.T) {
	testenv.GoProgram(t)
	testenv.Tool(t, "gcc")
	t.Setenv("CGO_CFLAGS", "-O1 -g0") // as the benchmarks of bench compile SQLite, which takes long
	judgeAll(t, build(t, "../../../../bench/grows"), map[string][]verdict.Class{
		"sqlite": {verdict.Cache, verdict.Steady}, "lmdb": {verdict.MappedFile},
	})
}
