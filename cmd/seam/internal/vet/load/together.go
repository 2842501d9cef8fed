package load

import (
	"bytes"
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/gotool"
)

// cgo starts the C compiler five times or more for each file: for its macros, and then for
// kinds and types of its names until no new one turns up. It does so once for all files if they
// are one. What types C's names have is the same then, and so is what the C in the comments
// does: those comments are one file of C, if they can be. Only the Go that cgo writes would
// be of no use, which nobody reads here.

// hint makes the compiler's work for cgo short. cgo asks whether a name is a type by declaring
// name *__cgo_undefined__2; where the name is a value that is a product with something that was
// never declared, and gcc searches all that is declared for something spelled nearly so, once for
// each name: with libvirt's headers 3.7 s for 780 names. With this it is a product with a struct,
// just as wrong, and takes 0.1 s.
const hint = "extern struct seam_no_number { int x; } __cgo_undefined__2;\n"

// runCgo runs cgo for a package: once for all of its files if that can be. The compiler isn't
// to optimise: cgo only reads what it says of types, and functions in comments, which it would
// compile anew each time cgo asks, took a fifth of all that seam vet does. It reports whether
// several files were one.
func runCgo(ctx context.Context, p gotool.Package, dir string, may bool) (joined bool, err error) {
	name := filepath.Join(dir, "seam_hint.h")
	if err := os.WriteFile(name, []byte(hint), 0o600); err != nil {
		return false, err
	}
	alone := map[string]bool{}
	for range 3 {
		if !may {
			break
		}
		files, err := together(ctx, p, dir, alone)
		if err == nil {
			err = gotool.GenerateFrom(ctx, p, dir, paths(files), "-include", name, "-O0")
		}
		if err == nil || ctx.Err() != nil {
			return slices.ContainsFunc(files, func(f written) bool { return len(f.of) > 1 }), err
		}
		// Guards of headers that are equal by mistake, for one: without them it may go.
		wrong := blamed(err, files)
		if len(wrong) == 0 {
			break
		}
		for _, f := range wrong {
			alone[f] = true
		}
	}
	if err := os.RemoveAll(dir); err != nil { // of what cgo left there
		return false, err
	}
	return false, gotool.Generate(ctx, p, dir)
}

// written is a file that is made of some, with the line at which each ends.
type written struct {
	path string
	of   []cFile
	ends []int
}

func paths(files []written) (list []string) {
	for _, f := range files {
		list = append(list, f.path)
	}
	return list
}

// blamed are the files of which an error speaks, among those that aren't alone.
func blamed(err error, files []written) (names []string) {
	for _, f := range files {
		if len(f.of) < 2 {
			continue
		}
		at := regexp.MustCompile(regexp.QuoteMeta(f.path) + `:(\d+)`)
		for _, m := range at.FindAllStringSubmatch(err.Error(), -1) {
			line, _ := strconv.Atoi(m[1])
			if i, _ := slices.BinarySearch(f.ends, line); i < len(f.of) && !slices.Contains(names, f.of[i].name) {
				names = append(names, f.of[i].name)
			}
		}
	}
	return names
}

// a cFile is a Go file with C in it, taken apart.
type cFile struct {
	name     string
	preamble string // the C above import "C", as cgo gives it to the compiler
	rest     string // the Go below the imports
	exports  bool
}

// readC takes a file apart.
func readC(name string) (f cFile, err error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return f, err
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, text, parser.ImportsOnly|parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return f, err
	}
	f.name = name
	end := file.Name.End()
	for _, d := range file.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok {
			continue
		}
		end = max(end, g.End())
		for _, spec := range g.Specs {
			s, ok := spec.(*ast.ImportSpec)
			if !ok || s.Path.Value != `"C"` {
				continue
			}
			doc := s.Doc
			if doc == nil && len(g.Specs) == 1 {
				doc = g.Doc
			}
			if doc != nil {
				f.preamble += commentText(doc) + "\n"
			}
		}
	}
	f.rest = string(text[fset.PositionFor(end, false).Offset:])
	f.exports = bytes.Contains(text, []byte("\n//export "))
	return f, nil
}

// commentText is a comment without its marks, as cgo reads it.
func commentText(doc *ast.CommentGroup) string {
	var pieces []string
	for _, c := range doc.List {
		if text, ok := strings.CutPrefix(c.Text, "//"); ok {
			pieces = append(pieces, text+"\n")
		} else {
			pieces = append(pieces, c.Text[2:len(c.Text)-2])
		}
	}
	return strings.Join(pieces, "")
}

// together writes the files of a package as few files into a folder, but for those that must
// be alone. Those that export functions stay apart from others: their C goes into the header
// that cgo writes for other files.
func together(ctx context.Context, p gotool.Package, dir string, alone map[string]bool) (files []written, err error) {
	var plain, exporting []cFile
	for _, name := range p.CgoFiles {
		f, err := readC(filepath.Join(p.Dir, name))
		switch {
		case err != nil:
			return nil, err
		case alone[f.name]:
			files = append(files, written{path: f.name, of: []cFile{f}})
		case f.exports:
			exporting = append(exporting, f)
		default:
			plain = append(plain, f)
		}
	}
	t := teller{pkg: p, dir: dir}
	if t.command, t.env, err = p.Compiler(ctx, dir, false); err != nil {
		return nil, err
	}
	for _, list := range [][]cFile{plain, exporting} {
		groups, err := t.groups(ctx, list)
		if err != nil {
			return nil, err
		}
		for _, g := range groups {
			f := written{path: g[0].name, of: g}
			if len(g) > 1 {
				f.path = filepath.Join(dir, fmt.Sprintf("seam_together_%d.go", len(files)))
				if err := f.write(p.Name); err != nil {
					return nil, err
				}
			}
			files = append(files, f)
		}
	}
	return files, nil
}

// write makes one Go file of some.
func (f *written) write(pkg string) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "package %s\n\n", pkg)
	for line := range strings.Lines(preamble(f.of)) {
		fmt.Fprintf(&b, "//%s", line)
	}
	b.WriteString("import \"C\"\n")
	lines := bytes.Count(b.Bytes(), []byte("\n"))
	for _, part := range f.of {
		b.WriteString("\n" + part.rest + "\n")
		lines += strings.Count(part.rest, "\n") + 2
		f.ends = append(f.ends, lines)
	}
	return os.WriteFile(f.path, b.Bytes(), 0o600)
}

// preamble is the C of some files, each text once.
func preamble(files []cFile) string {
	var b strings.Builder
	seen := map[string]bool{}
	for _, f := range files {
		if seen[f.preamble] {
			continue
		}
		seen[f.preamble] = true
		fmt.Fprintf(&b, "#line 1 %q\n%s\n", f.name, strings.TrimRight(f.preamble, "\n"))
	}
	return b.String()
}

// teller tells which files' C can stand in one file.
type teller struct {
	pkg          gotool.Package
	dir          string
	command, env []string
}

// groups divides files into as few groups as is soon found.
func (t teller) groups(ctx context.Context, files []cFile) ([][]cFile, error) {
	if len(files) == 0 {
		return nil, nil
	}
	if len(files) == 1 || t.agree(ctx, files) {
		return [][]cFile{files}, ctx.Err()
	}
	first, err := t.groups(ctx, files[:len(files)/2])
	if err != nil {
		return nil, err
	}
	second, err := t.groups(ctx, files[len(files)/2:])
	return append(first, second...), err
}

// agree reports whether the C of files compiles in one, and no macro gets a second meaning.
func (t teller) agree(ctx context.Context, files []cFile) bool {
	if !slices.ContainsFunc(files, func(f cFile) bool { return f.preamble != files[0].preamble }) {
		return true
	}
	var text strings.Builder
	for line := range strings.Lines(preamble(files)) {
		if !strings.HasPrefix(strings.TrimSpace(line), "#cgo") {
			text.WriteString(line)
		}
	}
	said, err := gotool.Run(ctx, gotool.Cmd{
		Args: slices.Concat(t.command, []string{"-fsyntax-only", "-O0", "-xc", "-"}), Dir: t.pkg.Dir,
		Env: append(slices.Clip(t.env), "LC_ALL=C"), Stdin: strings.NewReader(text.String()), Merge: true,
	})
	return err == nil && !bytes.Contains(said, []byte("redefined"))
}
