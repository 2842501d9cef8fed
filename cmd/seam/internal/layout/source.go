package layout

import (
	"errors"
	"fmt"
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/gotool"
)

// A source is what the Go files of a package say.
type source struct {
	pairs  []Pair
	types  []string               // names of declared types
	fileOf map[string]*sourceFile // by type
	files  []*sourceFile
}

type sourceFile struct {
	name       string // without folder
	path       string
	preamble   string
	line       int             // where the preamble begins
	cgo        bool            // imports "C"
	constraint constraint.Expr // of //go:build; nil for none
}

// readSource parses the files of a package that belong to this build.
func readSource(p gotool.Package) (*source, error) {
	s := &source{fileOf: map[string]*sourceFile{}}
	var errs []error
	for _, name := range slices.Concat(p.GoFiles, p.CgoFiles) {
		if slices.Contains(checkFiles(".go"), name) {
			continue // our own, which may be of yesterday
		}
		f := &sourceFile{name: name, path: name}
		if !filepath.IsAbs(name) {
			f.path = filepath.Join(p.Dir, name)
		}
		set := token.NewFileSet()
		tree, err := parser.ParseFile(set, f.path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		s.files = append(s.files, f)
		errs = append(errs, s.file(f, set, tree)...)
	}
	return s, errors.Join(errs...)
}

func (s *source) file(f *sourceFile, set *token.FileSet, tree *ast.File) (errs []error) {
	used := map[*ast.Comment]bool{}
	for _, d := range tree.Decls {
		gen, ok := d.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range gen.Specs {
			switch spec := spec.(type) {
			case *ast.ImportSpec:
				if spec.Path.Value == `"C"` {
					f.cgo = true
					f.takePreamble(set, gen, spec)
				}
			case *ast.TypeSpec:
				s.types = append(s.types, spec.Name.Name)
				s.fileOf[spec.Name.Name] = f
				doc := spec.Doc
				if doc == nil && len(gen.Specs) == 1 {
					doc = gen.Doc
				}
				errs = append(errs, s.directives(f, set, spec, doc, used)...)
			}
		}
	}
	for _, group := range tree.Comments {
		for _, c := range group.List {
			if constraint.IsGoBuild(c.Text) && c.Pos() < tree.Package {
				if e, err := constraint.Parse(c.Text); err == nil {
					f.constraint = e
				}
			}
			if _, ok := directive(c.Text); ok && !used[c] {
				errs = append(errs, fmt.Errorf("%s: %s is not above a type declaration: put it in the comment right above one", position(set, c), Directive))
			}
		}
	}
	return errs
}

// directive gives what follows the directive in a comment.
func directive(comment string) (string, bool) {
	rest, ok := strings.CutPrefix(comment, Directive)
	if !ok || rest != "" && rest[0] != ' ' && rest[0] != '\t' {
		return "", false
	}
	return rest, true
}

func (s *source) directives(f *sourceFile, set *token.FileSet, spec *ast.TypeSpec, doc *ast.CommentGroup, used map[*ast.Comment]bool) (errs []error) {
	if doc == nil {
		return nil
	}
	for _, c := range doc.List {
		text, ok := directive(c.Text)
		if !ok {
			continue
		}
		used[c] = true
		p, err := parseDirective(text, spec.Name.Name, spec.TypeParams != nil)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", position(set, c), err))
			continue
		}
		p.Where, p.file = shortPosition(set, c), f.name
		s.pairs = append(s.pairs, p)
	}
	return errs
}

// takePreamble takes the comment above import "C", as cgo does.
func (f *sourceFile) takePreamble(set *token.FileSet, gen *ast.GenDecl, spec *ast.ImportSpec) {
	doc := spec.Doc
	if doc == nil && len(gen.Specs) == 1 {
		doc = gen.Doc
	}
	if doc == nil {
		return
	}
	if f.preamble == "" {
		f.line = set.Position(doc.Pos()).Line
	}
	for _, c := range doc.List {
		text := c.Text
		if strings.HasPrefix(text, "//") {
			text = text[2:]
		} else {
			text = text[2 : len(text)-2]
		}
		// Lines for cgo are not for C. They stay as empty ones for the numbers.
		for line := range strings.Lines(text + "\n") {
			trimmed := strings.TrimSpace(line)
			if strings.HasPrefix(trimmed, "#cgo") && (len(trimmed) == 4 || trimmed[4] == ' ' || trimmed[4] == '\t') {
				line = "\n"
			}
			f.preamble += line
		}
	}
}

func position(set *token.FileSet, c *ast.Comment) string {
	at := set.Position(c.Pos())
	return fmt.Sprintf("%s:%d:%d", at.Filename, at.Line, at.Column)
}

func shortPosition(set *token.FileSet, c *ast.Comment) string {
	at := set.Position(c.Pos())
	return fmt.Sprintf("%s:%d", filepath.Base(at.Filename), at.Line)
}

// built is when the file is compiled: its constraint, that of its name, and cgo.
func (f *sourceFile) built() constraint.Expr {
	e := f.constraint
	and := func(tag string) {
		var t constraint.Expr = &constraint.TagExpr{Tag: tag}
		if e != nil {
			t = &constraint.AndExpr{X: e, Y: t}
		}
		e = t
	}
	// The rule of go/build: _GOOS, _GOARCH or _GOOS_GOARCH at the end.
	parts := strings.Split(strings.TrimSuffix(f.name, ".go"), "_")
	if n := len(parts); n >= 2 {
		last := parts[n-1]
		isArch := slices.Contains(knownArch, last)
		if n >= 3 && isArch && slices.Contains(knownOS, parts[n-2]) {
			and(parts[n-2])
		}
		if isArch || slices.Contains(knownOS, last) {
			and(last)
		}
	}
	if f.cgo {
		and("cgo")
	}
	return e
}

// Names that the go command takes for constraints when a file name ends in them.
var (
	knownOS   = strings.Fields("aix android darwin dragonfly freebsd hurd illumos ios js linux nacl netbsd openbsd plan9 solaris wasip1 windows zos")
	knownArch = strings.Fields("386 amd64 amd64p32 arm armbe arm64 arm64be loong64 mips mipsle mips64 mips64le mips64p32 mips64p32le ppc ppc64 ppc64le riscv riscv64 s390 s390x sparc sparc64 wasm")
)
