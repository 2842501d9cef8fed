package gen

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
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
// program. The longest key that is the program's path, or an end of it
// after a slash, wins.
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
	folder := folderOf(cmp.Or(p.Namespace("go"), strings.ToLower(p.Name)))
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
		// The go command ignores these unless they are named.
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

// fileBase is the name of a program's Go file without .go. If a program
// that it includes into its own package has the same name, that one keeps
// it and this one gets a number.
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

// fileName is the name of a Go file for a Thrift file. A name whose end the
// go command would take for a test or a platform gets one more word.
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
	name := strings.Join(words, "")
	if !lower(name[0]) {
		name = "x" + name // 2d.thrift
	}
	return name
}

// constrains reports whether _word at the end of a file's name means something
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

// layOut finds the packages of the programs and refuses programs that
// collide.
func (g *generator) layOut(progs []*model.Program) error {
	var mistakes []error
	type owner struct {
		prog *model.Program
		what string
	}
	files := map[string]*model.Program{} // by lower-case path: some file systems don't distinguish them
	folders := map[string]string{}
	goNames := map[string]owner{}
	for _, p := range progs {
		pkg := g.packageOf(p)
		if pkg.foreign {
			mistakes = append(mistakes, fmt.Errorf("%s: its Go package is given as %s, so it can't be generated here too: remove it from one of the two", p.Path, pkg.importPath))
			continue
		}
		lower := strings.ToLower(pkg.folder)
		if other, ok := folders[lower]; ok && other != pkg.folder {
			mistakes = append(mistakes, fmt.Errorf("%s: its Go package %s differs from %s only in case, which some file systems ignore: spell the namespace one way", p.Path, pkg.folder, other))
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
	if g.opt.Kitex {
		mistakes = append(mistakes, g.layOutServices(progs, folders)...)
	}
	return errors.Join(mistakes...)
}

// layOutServices refuses services whose packages collide with each other or with those of
// programs, which are in folders.
func (g *generator) layOutServices(progs []*model.Program, folders map[string]string) (mistakes []error) {
	services := map[string]*model.Service{}
	for _, p := range progs {
		for _, s := range p.Services {
			folder := g.servicePackage(s).folder
			lower := strings.ToLower(folder)
			other, twice := services[lower]
			services[lower] = s
			if _, taken := folders[lower]; taken {
				mistakes = append(mistakes, fmt.Errorf("%s:%d:%d: the package of service %s would be %s, which is that of another file's namespace: rename one", p.Path, s.Pos.Line, s.Pos.Col, s.Name, folder))
			} else if twice {
				mistakes = append(mistakes, fmt.Errorf("%s:%d:%d: the package of service %s would be %s, like that of service %s of %s: rename one, or give one file a namespace go of its own", p.Path, s.Pos.Line, s.Pos.Col, s.Name, folder, other.Name, other.Program.Path))
			}
		}
	}
	return mistakes
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
