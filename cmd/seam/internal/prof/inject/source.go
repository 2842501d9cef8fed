package inject

import (
	"embed"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	seam "github.com/seamgo/seam"
)

//go:embed rt/*.txt
var added embed.FS

// A place is the package of the standard library that a folder of the library becomes a part
// of. Up to Go 1.25 the go command finds none there that isn't in its index, so new ones won't
// do. These are ones that next to nothing imports, so next to nothing is built again.
var places = []struct {
	tree     embed.FS
	from, to string
}{
	{seam.Prof, "prof", mainPlace},
	{seam.Unwind, "internal/unwind", "encoding/ascii85"},
	{seam.Unwind, "internal/abi", "encoding/base32"},
	{seam.Prof, "internal/crossing", "hash/crc64"},
}

const mainPlace = "container/ring"

// sources are the files that become part of the standard library, by their paths below
// GOROOT/src.
func sources() (map[string][]byte, error) {
	files := map[string][]byte{}
	for from, to := range map[string]string{
		"rt/record.go.txt":  "runtime/pprof/seamrecord.go",
		"rt/budget.go.txt":  "runtime/pprof/seambudget.go",
		"rt/wall.go.txt":    "runtime/pprof/seamwall.go",
		"rt/start.go.txt":   mainPlace + "/seamstart.go",
		"rt/listen.go.txt":  mainPlace + "/seamlisten.go",
		"rt/calls.go.txt":   mainPlace + "/seamcalls.go",
		"rt/nocalls.go.txt": mainPlace + "/seamnocalls.go",
		"rt/signals.go.txt": mainPlace + "/seamsignals.go",
		"rt/note.go.txt":    mainPlace + "/seamnote.go",
		"rt/keep.go.txt":    mainPlace + "/seamkeep.go",
		"rt/blocked.go.txt": mainPlace + "/seamblocked.go",
	} {
		text, err := added.ReadFile(from)
		if err != nil {
			return nil, err
		}
		files[to] = text
	}
	// The main package of a test is the go command's own, and imports this.
	files["testing/internal/testdeps/seamprof.go"] = []byte("package testdeps\n\nimport _ \"" + mainPlace + "\"\n")
	for _, p := range places {
		list, err := fs.ReadDir(p.tree, p.from)
		if err != nil {
			return nil, err
		}
		for _, entry := range list {
			if entry.IsDir() || strings.HasSuffix(entry.Name(), "_test.go") {
				continue
			}
			text, err := p.tree.ReadFile(path.Join(p.from, entry.Name()))
			if err != nil {
				return nil, err
			}
			files[path.Join(p.to, entry.Name())] = moved(text, p.from, p.to)
		}
	}
	return files, nil
}

// moved is a file's text as part of the package in another place, with the imports that it has
// there. The names of C are others too, so that a program which imports package prof has both.
func moved(text []byte, from, to string) []byte {
	s := strings.Replace(string(text), "package "+path.Base(from)+"\n", "package "+path.Base(to)+"\n", 1)
	for _, p := range places {
		s = strings.ReplaceAll(s, `"github.com/seamgo/seam/`+p.from+`"`, path.Base(p.from)+` "`+p.to+`"`)
	}
	return []byte(strings.ReplaceAll(s, "seam_", "seamprof_"))
}

// folder is where replacements are, below that of the overlay. cgo wants the names of Go files
// to end in .go; since this one begins with an underscore, the go command takes it for no
// package where it lies in a module.
const folder = "_overlay"

func fileName(dir, file string) string {
	return filepath.Join(dir, folder, strings.ReplaceAll(file, "/", "_"))
}
