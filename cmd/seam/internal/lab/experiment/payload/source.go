package payload

import (
	"embed"

	"github.com/seamgo/seam"
	"github.com/seamgo/seam/cmd/seam/internal/lab/progcache"
)

// The program's files have build constraints that keep them out of our own build.
//
//go:embed program
var programFiles embed.FS

// The program is built as a part of a module that has the name of ours and holds the
// packages that it needs: so they don't have to be downloaded.
const (
	goModGo   = progcache.GoMod + "\nrequire github.com/goccy/go-json v0.12.0\n"
	goSumGo   = "github.com/goccy/go-json v0.12.0 h1:pD+oWouAiz4yruwXIt/iT+lOMeyhr1aTtxzaMP/RgVI=\ngithub.com/goccy/go-json v0.12.0/go.mod h1:3NdmfEkZlB7YI5UFw/qdFKq8XN1aiWR0YyRPWZNQltY=\n"
	modulePin = "github.com/goccy/go-json v0.12.0"
)

// module is all files of a library's program, by path.
func module(lib string) (map[string]string, error) {
	files := map[string]string{"go.mod": progcache.GoMod}
	if lib == libGo {
		files["go.mod"], files["go.sum"] = goModGo, goSumGo
	}
	if err := progcache.AddFiles(files, "", programFiles); err != nil || !cxx(lib) {
		return files, err
	}
	return files, progcache.AddFiles(files, "", seam.Crossing)
}
