package payload

import (
	"embed"
	"io/fs"
	"path"
	"strings"

	"github.com/seamgo/seam"
)

// The program's files have build constraints that keep them out of our own build.
//
//go:embed program
var programFiles embed.FS

// The program is built as a part of a module that has the name of ours and holds the
// packages that it needs: so they don't have to be downloaded.
const (
	goMod     = "module github.com/seamgo/seam\n\ngo 1.25.0\n"
	goModGo   = goMod + "\nrequire github.com/goccy/go-json v0.12.0\n"
	goSumGo   = "github.com/goccy/go-json v0.12.0 h1:pD+oWouAiz4yruwXIt/iT+lOMeyhr1aTtxzaMP/RgVI=\ngithub.com/goccy/go-json v0.12.0/go.mod h1:3NdmfEkZlB7YI5UFw/qdFKq8XN1aiWR0YyRPWZNQltY=\n"
	modulePin = "github.com/goccy/go-json v0.12.0"
)

// module is all files of a library's program, by path.
func module(lib string) (map[string]string, error) {
	files := map[string]string{"go.mod": goMod}
	if lib == libGo {
		files["go.mod"], files["go.sum"] = goModGo, goSumGo
	}
	if err := collect(files, programFiles); err != nil || !cxx(lib) {
		return files, err
	}
	return files, collect(files, seam.Crossing)
}

// collect adds all files but tests.
func collect(files map[string]string, from embed.FS) error {
	return fs.WalkDir(from, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || strings.HasSuffix(name, "_test.go") {
			return err
		}
		text, err := from.ReadFile(name)
		files[path.Clean(name)] = string(text)
		return err
	})
}
