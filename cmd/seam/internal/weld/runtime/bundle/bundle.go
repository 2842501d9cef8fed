// Package bundle makes source files of this project part of package runtime/cgo,
// which every program that calls C links and no go.mod mentions.
package bundle

import (
	"bytes"
	"fmt"
	"go/parser"
	"go/token"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// sibling begins the import paths of the packages whose files are bundled
// together, so that none of them is imported.
const sibling = "github.com/seamgo/seam/cmd/seam/internal/weld/runtime/"

// qualifier is such a package's name in front of one of its own, all of which
// begin with Seam.
var qualifier = regexp.MustCompile(`\brecord\.(Seam)`)

// Known tells whether there is a run-time for a system.
func Known(goos, goarch string) bool {
	return goos == "linux" && (goarch == "amd64" || goarch == "arm64")
}

// Go makes one file of package cgo. The sources are embedded, so one that can't
// be parsed is a bug and panics. Build constraints, package comments and what
// else stands above the imports are left out.
func Go(sources ...[]byte) []byte {
	imports := map[string]bool{}
	var body bytes.Buffer
	for _, src := range sources {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, "", src, parser.ImportsOnly)
		if err != nil {
			panic(err)
		}
		end := file.Name.End()
		for _, d := range file.Decls {
			end = d.End()
		}
		for _, spec := range file.Imports {
			if !strings.HasPrefix(spec.Path.Value, `"`+sibling) {
				imports[spec.Path.Value] = true
			}
		}
		rest := bytes.TrimLeft(src[fset.Position(end).Offset:], "\n")
		body.WriteByte('\n')
		body.Write(qualifier.ReplaceAll(rest, []byte("$1")))
	}
	var b bytes.Buffer
	b.WriteString("// Code added by seam. See github.com/seamgo/seam.\n\npackage cgo\n\nimport (\n")
	for _, path := range slices.Sorted(maps.Keys(imports)) {
		fmt.Fprintf(&b, "\t%s\n", path)
	}
	b.WriteString(")\n")
	b.Write(body.Bytes())
	return b.Bytes()
}
