package gen

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/idl/model"
)

// use imports a package and returns the name to write before the dot.
func (f *file) use(importPath string) string {
	if name, ok := f.imports[importPath]; ok {
		return name
	}
	name := packageName(path.Base(importPath))
	if importPath == thriftPath || importPath == codecPath {
		f.imports[importPath] = name
		return name
	}
	return f.useAs(importPath, name)
}

// useAs is use for a package whose name is known.
func (f *file) useAs(importPath, want string) string {
	if name, ok := f.imports[importPath]; ok {
		return name
	}
	name := want
	for n := 2; f.taken[name]; n++ {
		name = want + strconv.Itoa(n)
	}
	f.imports[importPath], f.taken[name] = name, true
	return name
}

// useProgram imports the package of another program. It returns "" for
// the file's own package, or else the name and a dot.
func (f *file) useProgram(p *model.Program) string {
	to, from := f.g.packageOf(p), f.pkg
	if to.importPath == from.importPath {
		return ""
	}
	if f.g.edges == nil {
		f.g.edges = map[string]map[string]edge{}
	}
	if f.g.edges[from.importPath] == nil {
		f.g.edges[from.importPath] = map[string]edge{}
	}
	if _, ok := f.g.edges[from.importPath][to.importPath]; !ok {
		f.g.edges[from.importPath][to.importPath] = edge{f.prog, p}
	}
	name := to.name
	if to.foreign {
		name = packageName(path.Base(to.importPath))
	}
	if shadowed(name) {
		name += "pkg"
	}
	return f.useAs(to.importPath, name) + "."
}

// shadowed reports whether a package's name could be hidden by a variable of
// generated code: those are short, or in this list.
func shadowed(name string) bool {
	if len(name) <= 3 || keyword(name) || predeclared(name) || strings.Trim(name, "0123456789") == "old" {
		return true
	}
	switch name {
	case "args", "before", "body", "data", "depth", "elem", "fail", "field", "fields", "handler", "head", "init", "item", "keys", "kind", "last",
		"left", "limit", "method", "mess", "next", "opts", "other", "part", "processor", "read", "rest", "result", "room", "self", "size",
		"start", "success", "text", "this", "transport", "value", "values", "want", "which", "write", "client", "count", "name",
		"seen", "again", "decoder", "encoder", "length", "header", "message", "found", "call", "done", "used", "fresh", "iprot", "oprot",
		"bytes", "context", "errors", "fmt", "maps", "math", "slices", "strconv", "strings", "sync", "time", "unsafe", "binary", "bits",
		"thrift", "codec", "gopkg", "kitex", "apache":
		return true
	}
	return false
}

// writeImports writes the import declaration: the standard library, then the
// others.
func (f *file) writeImports(b *bytes.Buffer) {
	if len(f.imports) == 0 {
		return
	}
	var std, others []string
	for importPath, name := range f.imports {
		line := strconv.Quote(importPath)
		if name != path.Base(importPath) {
			line = name + " " + line
		}
		if first, _, _ := strings.Cut(importPath, "/"); strings.Contains(first, ".") || f.fromPrograms(importPath) {
			others = append(others, importPath+"\x00"+line)
		} else {
			std = append(std, importPath+"\x00"+line)
		}
	}
	b.WriteString("\nimport (\n")
	for i, group := range [][]string{std, others} {
		slices.Sort(group)
		if i == 1 && len(std) > 0 && len(others) > 0 {
			b.WriteString("\n")
		}
		for _, line := range group {
			_, line, _ = strings.Cut(line, "\x00")
			fmt.Fprintf(b, "\t%s\n", line)
		}
	}
	b.WriteString(")\n")
}

func (f *file) fromPrograms(importPath string) bool {
	_, ok := f.g.edges[f.pkg.importPath][importPath]
	return ok
}
