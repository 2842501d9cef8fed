// Package textedit changes source texts at places that were noted before.
package textedit

import (
	"bytes"
	"cmp"
	"embed"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strconv"
)

// Source is that of this package: what is made with it depends on it.
//
//go:embed *.go
var Source embed.FS

// Edits are replacements of parts of a text, which must not overlap.
type Edits []edit

type edit struct {
	start, end int
	text       string
}

// Replace notes that the bytes from start to end become a text.
func (e *Edits) Replace(start, end int, text string) { *e = append(*e, edit{start, end, text}) }

// Apply makes the new text. Insertions at one place keep their order.
func (e Edits) Apply(src []byte) []byte {
	list := slices.Clone(e)
	slices.SortStableFunc(list, func(a, b edit) int { return cmp.Compare(a.start, b.start) })
	var b bytes.Buffer
	at := 0
	for _, x := range list {
		if x.start < at || x.end < x.start || x.end > len(src) {
			panic(fmt.Sprintf("edits overlap at %d", x.start)) // a bug of ours
		}
		b.Write(src[at:x.start])
		b.WriteString(x.text)
		at = x.end
	}
	b.Write(src[at:])
	return b.Bytes()
}

// Move makes a Go file of ours a file of the package with another name. imports gives for the
// paths that it imports the places that those packages have there. The file knows them by the
// names that it did, so that only the clause and the paths change; a file that can't be parsed is a
// bug and panics.
func Move(src []byte, name string, imports map[string]string) []byte {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, "", src, parser.ImportsOnly)
	if err != nil {
		panic(err)
	}
	var e Edits
	replace := func(n ast.Node, text string) {
		e.Replace(set.Position(n.Pos()).Offset, set.Position(n.End()).Offset, text)
	}
	replace(file.Name, name)
	for _, spec := range file.Imports {
		from, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			panic(err)
		}
		to, moves := imports[from]
		if !moves {
			continue
		}
		text := strconv.Quote(to)
		if spec.Name == nil {
			text = path.Base(from) + " " + text
		}
		replace(spec.Path, text)
	}
	return e.Apply(src)
}
