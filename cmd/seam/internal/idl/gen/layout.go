package gen

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/idl/model"
)

// A goPackage is where a program's Go code is.
type goPackage struct {
	folder     string // below Options.Out, with slashes
	name       string
	importPath string
	foreign    bool // given by Options.Imports: nothing is known about its folder
}

// An edge says why one package imports another.
type edge struct{ from, to *model.Program }

// Import is the import path that the options give for the package of a
// program. The longest key that is the program's path or an end of it at a
// slash counts.
func (o *Options) Import(p *model.Program) (string, bool) {
	found, best := "", -1
	name := filepath.ToSlash(p.Path)
	for key, importPath := range o.Imports {
		key = filepath.ToSlash(key)
		if (name == key || strings.HasSuffix(name, "/"+key)) && len(key) > best {
			found, best = importPath, len(key)
		}
	}
	return found, best >= 0
}

// packageOf is the Go package of a program.
func (g *generator) packageOf(p *model.Program) *goPackage {
	if known := g.packages[p]; known != nil {
		return known
	}
	space := p.Namespace("go")
	if space == "" {
		space = strings.ToLower(p.Name)
	}
	folder := folderOf(space)
	pkg := &goPackage{folder: folder, name: packageName(path.Base(folder)), importPath: path.Join(g.opt.PackagePrefix, folder)}
	if importPath, ok := g.opt.Import(p); ok {
		pkg.importPath, pkg.foreign = importPath, true
	}
	g.packages[p] = pkg
	return pkg
}

// folderOf is a namespace as a path that Go accepts in imports.
func folderOf(space string) string {
	parts := strings.Split(space, ".")
	for i, part := range parts {
		part = strings.Map(func(r rune) rune {
			if r == '_' || r == '-' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
				return r
			}
			return '_'
		}, part)
		// The go command doesn't look into these by itself.
		if part == "" || part == "vendor" || part == "testdata" || part[0] == '_' {
			part = "x" + part
		}
		parts[i] = part
	}
	return strings.Join(parts, "/")
}

// packageName makes a package's name of its folder's.
func packageName(folder string) string {
	name := strings.ReplaceAll(strings.ToLower(folder), "-", "_")
	if '0' <= name[0] && name[0] <= '9' {
		name = "x" + name
	}
	if keyword(name) || name == "main" || name == "init" {
		name += "_"
	}
	if strings.HasSuffix(name, "_test") {
		name += "_"
	}
	return name
}

// fileBase is the name of a program's Go file without .go. Programs that it
// includes into its own package keep the name, if it is theirs too: then it
// gets a number.
func (g *generator) fileBase(p *model.Program) string {
	name := fileName(p.Name)
	taken := map[string]bool{}
	seen := map[*model.Program]bool{}
	var visit func(*model.Program)
	visit = func(p *model.Program) {
		for _, q := range p.Includes {
			if !seen[q] {
				seen[q] = true
				if fileName(q.Name) == name && g.packageOf(q).importPath == g.packageOf(p).importPath {
					taken[g.fileBase(q)] = true
				}
				visit(q)
			}
		}
	}
	visit(p)
	unique := name
	for n := 2; taken[unique]; n++ {
		unique = name + strconv.Itoa(n)
	}
	return unique
}

// fileName is the name of a Go file for a Thrift file. A name whose end means
// a test or a platform to the go command gets one more word.
func fileName(thrift string) string {
	name := identifier(strings.ToLower(thrift))
	if name == "" || name[0] == '_' {
		name = "x" + name
	}
	if at := strings.LastIndexByte(name, '_'); at >= 0 && constrains(name[at+1:]) {
		name += "_thrift"
	}
	return name
}

// prefix is the beginning of the names of unexported functions in the file:
// no other file of the package has it.
func (f *file) prefix() string {
	words := strings.Split(f.g.fileBase(f.prog), "_")
	for i, word := range words {
		switch {
		case i == 0:
		case word != "" && lower(word[0]):
			words[i] = strings.ToUpper(word[:1]) + word[1:]
		default:
			words[i] = "_" + word
		}
	}
	return strings.Join(words, "")
}

// constrains tells whether _word at the end of a file's name means something
// to the go command.
func constrains(word string) bool {
	switch word {
	case "test", "unix",
		"aix", "android", "darwin", "dragonfly", "freebsd", "hurd", "illumos", "ios", "js", "linux", "nacl", "netbsd",
		"openbsd", "plan9", "solaris", "wasip1", "windows", "zos",
		"386", "amd64", "amd64p32", "arm", "armbe", "arm64", "arm64be", "loong64", "mips", "mipsle", "mips64",
		"mips64le", "mips64p32", "mips64p32le", "ppc", "ppc64", "ppc64le", "riscv", "riscv64", "s390", "s390x",
		"sparc", "sparc64", "wasm":
		return true
	}
	return false
}

// layOut finds the packages of the programs and refuses programs that are in
// each other's way.
func (g *generator) layOut(progs []*model.Program) error {
	var mistakes []error
	type owner struct {
		prog *model.Program
		what string
	}
	files := map[string]*model.Program{} // by lower-case path: some file systems see no difference
	folders := map[string]string{}
	goNames := map[string]owner{}
	for _, p := range progs {
		pkg := g.packageOf(p)
		if pkg.foreign {
			mistakes = append(mistakes, fmt.Errorf("%s: its Go package is given as %s, so it can't be generated here too: take it out of one of both", p.Path, pkg.importPath))
			continue
		}
		lower := strings.ToLower(pkg.folder)
		if other, ok := folders[lower]; ok && other != pkg.folder {
			mistakes = append(mistakes, fmt.Errorf("%s: its Go package %s differs from %s in case only, which some file systems don't tell apart: write the namespace in one way", p.Path, pkg.folder, other))
			continue
		}
		folders[lower] = pkg.folder
		clash := false
		for _, suffix := range g.suffixes() {
			name := lower + "/" + g.fileBase(p) + suffix
			if other := files[name]; other != nil && !clash {
				clash = true
				mistakes = append(mistakes, fmt.Errorf("%s and %s would both become %s.go: rename one, or give it a namespace go of its own", other.Path, p.Path, name))
			}
			files[name] = p
		}
		if clash {
			continue
		}
		for _, n := range g.namesOf(p).all {
			key := pkg.folder + "." + n.goName
			other, ok := goNames[key]
			switch {
			case !ok:
				goNames[key] = owner{p, n.what}
			case other.prog != p:
				mistakes = append(mistakes, fmt.Errorf("%s:%d:%d: %s would be %s in Go package %s, like %s of %s: rename it, or give one file a namespace go of its own", p.Path, n.pos.Line, n.pos.Col, n.what, n.goName, pkg.folder, other.what, other.prog.Path))
			}
		}
	}
	return errors.Join(mistakes...)
}

// suffixes are the ends of the names of a program's files.
func (g *generator) suffixes() []string {
	list := []string{""}
	if g.opt.Kitex {
		list = append(list, "_kitex")
	}
	if g.opt.Apache {
		list = append(list, "_apache")
	}
	return list
}

// use imports a package and gives the name to write before the dot.
func (f *file) use(importPath string) string {
	if name, ok := f.imports[importPath]; ok {
		return name
	}
	want := packageName(path.Base(importPath))
	if importPath == f.opt.RuntimePath {
		f.imports[importPath] = "thrift"
		return "thrift"
	}
	return f.useAs(importPath, want)
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

// useProgram imports the package of another program. It gives "" for the
// file's own package, else the name and a dot.
func (f *file) useProgram(p *model.Program) string {
	to, from := f.g.packageOf(p), f.g.packageOf(f.prog)
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

// shadowed tells whether a package's name could be hidden by a variable of
// generated code: those are short, or in this list.
func shadowed(name string) bool {
	if len(name) <= 3 || keyword(name) || predeclared(name) {
		return true
	}
	switch name {
	case "args", "body", "data", "elem", "fail", "field", "fields", "handler", "head", "init", "item", "keys", "kind", "last",
		"left", "limit", "method", "mess", "next", "opts", "other", "part", "processor", "read", "rest", "result", "self", "size",
		"start", "success", "text", "this", "transport", "value", "values", "want", "which", "write", "client", "count", "name",
		"seen", "decoder", "encoder", "length", "header", "message", "found", "call", "done", "iprot", "oprot",
		"bytes", "context", "errors", "fmt", "maps", "math", "slices", "strconv", "strings", "sync", "time", "unsafe", "binary", "bits",
		"thrift", "gopkg", "kitex", "apache":
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
	_, ok := f.g.edges[f.g.packageOf(f.prog).importPath][importPath]
	return ok || importPath == f.opt.RuntimePath
}

// checkCycles refuses packages that import each other: Go would.
func (g *generator) checkCycles() error {
	const (
		open = 1
		done = 2
	)
	state := map[string]int{}
	var way []edge
	var visit func(string) error
	visit = func(from string) error {
		state[from] = open
		for _, to := range slices.Sorted(maps.Keys(g.edges[from])) {
			e := g.edges[from][to]
			switch state[to] {
			case open:
				lines := []string{fmt.Sprintf("the Go packages %s and %s would import each other, which Go forbids: give their files one namespace go, or move what both need to a third", from, to)}
				at := slices.IndexFunc(way, func(e edge) bool { return g.packageOf(e.from).importPath == to })
				cycle := []edge{e}
				if at >= 0 {
					cycle = append(slices.Clone(way[at:]), e)
				}
				for _, e := range cycle {
					lines = append(lines, fmt.Sprintf("\t%s (package %s) uses %s (package %s)", e.from.Path, g.packageOf(e.from).importPath, e.to.Path, g.packageOf(e.to).importPath))
				}
				return errors.New(strings.Join(lines, "\n"))
			case done:
			default:
				way = append(way, e)
				if err := visit(to); err != nil {
					return err
				}
				way = way[:len(way)-1]
			}
		}
		state[from] = done
		return nil
	}
	for _, from := range slices.Sorted(maps.Keys(g.edges)) {
		if state[from] == 0 {
			if err := visit(from); err != nil {
				return err
			}
		}
	}
	return nil
}

// NeedsPrefix tells whether one of the programs may import the package of
// another, so that Options.PackagePrefix is needed.
func NeedsPrefix(progs []*model.Program) bool {
	for _, p := range progs {
		if len(p.Includes) > 0 {
			return true
		}
	}
	return false
}

// FindPrefix is the import path of a folder, by the go.mod in it or above it.
func FindPrefix(folder string) (string, error) {
	abs, err := filepath.Abs(folder)
	if err != nil {
		return "", err
	}
	for dir := abs; ; dir = filepath.Dir(dir) {
		text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		switch {
		case err == nil:
			module := moduleName(string(text))
			if module == "" {
				return "", fmt.Errorf("%s has no module line", filepath.Join(dir, "go.mod"))
			}
			rel, err := filepath.Rel(dir, abs)
			if err != nil {
				return "", err
			}
			return path.Join(module, filepath.ToSlash(rel)), nil
		case !errors.Is(err, fs.ErrNotExist) && !notFolder(err):
			return "", err
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("no go.mod in %s or above it: say the import path of that folder by --package-prefix", folder)
		}
	}
}

// notFolder tells whether a part of a path is a file: what is written there
// later says so better.
func notFolder(err error) bool {
	return strings.Contains(err.Error(), "not a directory")
}

// moduleName is the module line of a go.mod file.
func moduleName(text string) string {
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "//")
		if fields := strings.Fields(line); len(fields) == 2 && fields[0] == "module" {
			if name, err := strconv.Unquote(fields[1]); err == nil {
				return name
			}
			return fields[1]
		}
	}
	return ""
}
