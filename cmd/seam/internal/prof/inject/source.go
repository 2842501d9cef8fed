package inject

import (
	"bytes"
	"embed"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	seam "github.com/seamgo/seam"
	"github.com/seamgo/seam/cmd/seam/internal/textedit"
)

// added are files of packages of the standard library, where alone they compile: they use what
// those have inside, and import what only those may. TestVet looks at them there. _ring_keep.go
// becomes seamkeep.go of the package ring.
//
//go:embed _*.go
var added embed.FS

var addedTo = map[string]string{"pprof": "runtime/pprof", "ring": mainPlace, "testdeps": "testing/internal/testdeps"}

// A place is the package of the standard library that a folder of the library becomes a part
// of. Up to Go 1.25 the go command finds none there that isn't in its index, so new ones won't
// do. These are ones that next to nothing imports, so next to nothing is built again.
var places = []struct {
	tree     embed.FS
	from, to string
}{
	{seam.Prof, "prof", mainPlace},
	{seam.Unwind, "internal/unwind", "encoding/ascii85"},
	{seam.Unwind, "internal/csys", "encoding/ascii85"}, // the unwinder's headers
	{seam.Unwind, "internal/abi", "encoding/base32"},
	{seam.Prof, "internal/crossing", "hash/crc64"},
}

const mainPlace = "container/ring"

// sources are the files that become part of the standard library, by their paths below
// GOROOT/src.
func sources() (map[string][]byte, error) {
	files := map[string][]byte{}
	list, err := added.ReadDir(".")
	if err != nil {
		return nil, err
	}
	for _, entry := range list {
		to, name, _ := strings.Cut(entry.Name()[1:], "_")
		if files[addedTo[to]+"/seam"+name], err = added.ReadFile(entry.Name()); err != nil {
			return nil, err
		}
	}
	for _, p := range places {
		list, err := fs.ReadDir(p.tree, p.from)
		if err != nil {
			return nil, err
		}
		for _, entry := range list {
			name := entry.Name()
			if entry.IsDir() || strings.HasSuffix(name, "_test.go") || name == "headers.go" || name == "csys.go" { // these two are for the go command
				continue
			}
			text, err := p.tree.ReadFile(path.Join(p.from, name))
			if err != nil {
				return nil, err
			}
			files[path.Join(p.to, name)] = moved(name, text, p.to)
		}
	}
	return files, nil
}

// moved is a file's text as part of the package in another place, with the imports that it has
// there. The names of C are others too, so that a program which imports package prof has both.
func moved(name string, text []byte, to string) []byte {
	if path.Ext(name) == ".go" {
		imports := map[string]string{}
		for _, p := range places {
			imports["github.com/seamgo/seam/"+p.from] = p.to
		}
		text = textedit.Move(text, path.Base(to), imports)
	}
	return bytes.ReplaceAll(text, []byte("seam_"), []byte("seamprof_"))
}

// folder is where replacements are, below that of the overlay. cgo wants the names of Go files
// to end in .go; since this one begins with an underscore, the go command takes it for no
// package where it lies in a module.
const folder = "_overlay"

func fileName(dir, file string) string {
	return filepath.Join(dir, folder, strings.ReplaceAll(file, "/", "_"))
}
