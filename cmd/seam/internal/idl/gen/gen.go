// Package gen writes Go source for checked Thrift programs.
//
// A program becomes one Go file, in the package that its namespace names.
// Every byte of the text depends on the program, what it includes and the
// [Options] alone: it has no date, no path of this machine and no random
// order of a map.
package gen

import (
	"bytes"
	"cmp"
	"fmt"
	"go/format"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/idl/model"
)

// The run-time of generated code.
const (
	thriftPath = "github.com/seamgo/seam/thrift"       // what users of the code see: UUID, Caller, Processor
	codecPath  = "github.com/seamgo/seam/thrift/codec" // what it is made of
)

// The layouts of error paths in decoders.
const (
	LayoutBare     = "bare"
	LayoutInline   = "inline"
	LayoutGoto     = "goto"
	LayoutOutlined = "outlined"
)

// Options say what is generated and where it goes.
type Options struct {
	Out           string            // folder above the packages
	PackagePrefix string            // import path of Out
	Imports       map[string]string // import path of a program's package, by the program's path or an end of it; see [Options.Import]

	Views       bool   // strings and binaries are views of the input
	Unknown     bool   // unknown fields are kept
	UTF8        bool   // strings are checked for UTF-8
	ErrorLayout string // one of the layouts; "" is LayoutBare
	NoBinary    bool   // without the binary protocol
	NoCompact   bool   // without the compact protocol
	Naming      Naming // of Go names; "" is that of what the code is for: Kitex, Apache, or NamingGo
	Kitex       bool   // also what Kitex needs, see kitex.go
	Apache      bool   // also Read and Write for Apache's library
	Descriptors bool   // also what package descriptor gives a running program

	Setters   bool // also SetX and IsSetX
	SQL       bool // also Scan and Value of enums
	FieldMask bool // also Set_FieldMask, and encoders that heed it
	Validate  bool // also Validate, with what annotations vt.* ask for

	NoGetters, NoEqual, NoClone bool // without those methods

	MoreFlags []string // of the command line, for the header

	together int // how many fields a function handles, if not mostTogether: for tests
}

// A File is one generated file.
type File struct {
	Path    string // below Options.Out, which is its beginning
	Text    []byte
	Program *model.Program // what it was made from
}

// Generate writes the Go files of the programs, but not of what they include.
// It fails because of names: two programs need the same file or the same Go
// name, or packages would import each other.
func Generate(progs []*model.Program, opt Options) (made []File, err error) {
	switch opt.ErrorLayout {
	case "":
		opt.ErrorLayout = LayoutBare
	case LayoutBare, LayoutInline, LayoutGoto, LayoutOutlined:
	default:
		return nil, fmt.Errorf("unknown layout of error paths %q: choose one of %s, %s, %s, %s", opt.ErrorLayout, LayoutBare, LayoutInline, LayoutGoto, LayoutOutlined)
	}
	if opt.NoBinary && opt.NoCompact {
		return nil, fmt.Errorf("with neither the binary nor the compact protocol there is nothing to generate: keep one")
	}
	if opt.NoBinary && opt.Kitex {
		return nil, fmt.Errorf("methods for Kitex need the binary protocol, which the options leave out")
	}
	if err := cmp.Or(opt.refuseMasks(), opt.refuseWithout()); err != nil {
		return nil, err
	}
	g, err := newGenerator(progs, &opt)
	if err != nil {
		return nil, err
	}
	if err := g.layOut(progs); err != nil {
		return nil, err
	}
	defer func() {
		switch reason := recover().(type) {
		case nil:
		case tooLarge:
			made, err = nil, reason
		case unsupported:
			made, err = nil, reason
		default:
			panic(reason)
		}
	}()
	var files []File
	for _, p := range progs {
		list, err := g.program(p)
		if err != nil {
			return nil, err
		}
		files = append(files, list...)
		if opt.Kitex {
			for _, s := range p.Services {
				files = append(files, g.kitexService(s)...)
			}
		}
	}
	if err := g.checkCycles(); err != nil {
		return nil, err
	}
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return files, nil
}

// A generator is one run of Generate.
type generator struct {
	opt      *Options
	naming   Naming
	names    map[*model.Program]*names
	packages map[*model.Program]*goPackage
	fields   map[*model.Struct]map[*model.Field]string
	edges    map[string]map[string]edge // between packages, by import path

	recursive  map[*model.Struct]bool // see [file.recursive]
	footprints map[*model.Struct]int  // see [file.defaultsFootprint]
}

// newGenerator prepares for programs and those that they include.
func newGenerator(progs []*model.Program, opt *Options) (*generator, error) {
	naming, err := opt.naming()
	if err != nil {
		return nil, err
	}
	byValue(progs, opt.Kitex)
	return &generator{
		opt:      opt,
		naming:   naming,
		names:    map[*model.Program]*names{},
		packages: map[*model.Program]*goPackage{},
		fields:   map[*model.Struct]map[*model.Field]string{},

		recursive:  map[*model.Struct]bool{},
		footprints: map[*model.Struct]int{},
	}, nil
}

// program writes the files of one program.
func (g *generator) program(p *model.Program) ([]File, error) {
	base := g.fileBase(p)
	parts := []struct {
		suffix string
		wanted bool
		write  func(*file)
	}{
		{"", true, (*file).declarations},
		{"_kitex", g.opt.Kitex, (*file).kitex},
		{"_apache", g.opt.Apache, (*file).apache},
		{"_descriptors", g.opt.Descriptors, (*file).descriptors},
	}
	var files []File
	for _, part := range parts {
		if !part.wanted {
			continue
		}
		f := g.newFile(p)
		part.write(f)
		if part.suffix != "" && len(f.text) == 0 {
			continue // a program without structs
		}
		files = append(files, File{
			Path:    filepath.Join(g.opt.Out, filepath.FromSlash(g.packageOf(p).folder), base+part.suffix+".go"),
			Text:    f.source(part.suffix == ""),
			Program: p,
		})
	}
	return files, nil
}

// A file is one Go file in the making.
type file struct {
	buffer
	g       *generator
	opt     *Options
	prog    *model.Program
	pkg     *goPackage
	imports map[string]string // what is imported: path to the name before the dot
	taken   map[string]bool   // those names

	literals int // structs and containers that were taken from defaults

	containers     map[string]string // functions for containers, by what they do; see [file.container]
	containerNames map[string]bool
	pending        []func() // those still to be written

	stepMark int // see [file.steps]
}

func (g *generator) newFile(p *model.Program) *file {
	f := &file{g: g, opt: g.opt, prog: p, pkg: g.packageOf(p), imports: map[string]string{}, taken: map[string]bool{},
		containers: map[string]string{}, containerNames: map[string]bool{}}
	f.taken["thrift"], f.taken["codec"] = true, true // the run-time's
	return f
}

// declarations writes the main file of a program.
func (f *file) declarations() {
	f.consts()
	for _, e := range f.prog.Enums {
		f.enum(e)
		f.requestedSQL(e)
	}
	f.typedefs()
	for _, s := range f.prog.Structs {
		f.declareStruct(s)
		f.codec(s)
	}
	for _, s := range f.prog.Services {
		f.service(s)
	}
	f.flushContainers()
}

// source returns the whole file, with its header and imports. The main one has the
// comment of the Thrift file.
func (f *file) source(main bool) []byte {
	if main {
		return f.sourceWith(string(formatDoc(f.prog.Doc)))
	}
	return f.sourceWith("")
}

// sourceWith is source with a comment on the package.
func (f *file) sourceWith(doc string) []byte {
	var b bytes.Buffer
	b.WriteString(mark)
	fmt.Fprintf(&b, sourceMark+"%s\n", oneLine(path.Base(filepath.ToSlash(f.prog.Path))))
	if flags := f.opt.flags(); flags != "" {
		fmt.Fprintf(&b, "// Options: %s\n", oneLine(flags))
	}
	b.WriteString("\n")
	b.WriteString(doc)
	fmt.Fprintf(&b, "package %s\n", f.pkg.name)
	f.writeImports(&b)
	if len(f.text) > 0 && f.text[0] != '\n' {
		b.WriteString("\n")
	}
	b.Write(f.text)
	return b.Bytes()
}

// without names the methods that are left out, as the command line does.
func (o *Options) without() string {
	var list []string
	for _, x := range []struct {
		set  bool
		name string
	}{{o.NoGetters, "getters"}, {o.NoEqual, "equal"}, {o.NoClone, "clone"}} {
		if x.set {
			list = append(list, x.name)
		}
	}
	return strings.Join(list, ",")
}

// refuseWithout is the error of options that need methods which are to be left out.
func (o *Options) refuseWithout() error {
	switch {
	case o.NoGetters && o.Kitex:
		return fmt.Errorf("code for Kitex has getters: leave one of --kitex and --without=getters out")
	case o.NoGetters && o.Validate:
		return fmt.Errorf("rules refer to fields by their getters: leave one of --validate and --without=getters out")
	}
	return nil
}

// flags are the options that the text depends on, as the command line has
// them.
func (o *Options) flags() string {
	var list []string
	add := func(set bool, flag string) {
		if set {
			list = append(list, flag)
		}
	}
	add(o.Views, "--views")
	add(o.Unknown, "--unknown")
	add(o.UTF8, "--utf8")
	add(o.ErrorLayout != LayoutBare, "--error-layout="+o.ErrorLayout)
	add(o.NoBinary, "--protocols=compact")
	add(o.NoCompact, "--protocols=binary")
	add(o.Naming != "", "--naming="+string(o.Naming))
	add(o.NoGetters || o.NoEqual || o.NoClone, "--without="+o.without())
	add(o.Setters, "--setters")
	add(o.SQL, "--sql")
	add(o.FieldMask, "--field-mask")
	add(o.Validate, "--validate")
	add(o.Kitex, "--kitex")
	add(o.Apache, "--apache")
	add(o.Descriptors, "--descriptors")
	return strings.Join(append(list, o.MoreFlags...), " ")
}

// The beginning of every generated file.
const (
	mark       = "// Code generated by seam gen. DO NOT EDIT.\n"
	sourceMark = "// Source: "
)

// Source is the name of the Thrift file that a generated file was made from,
// or "" if the text isn't that of a generated file.
func Source(text []byte) string {
	rest, ok := strings.CutPrefix(string(text), mark+sourceMark)
	if !ok {
		return ""
	}
	name, _, _ := strings.Cut(rest, "\n")
	return name
}

// chunk runs write and brings the declarations that it wrote into gofmt's
// form, for those that have columns or comments from the source.
func (f *file) chunk(write func()) {
	start := len(f.text)
	write()
	// In a part of a file gofmt leaves the comments as they are.
	const clause = "package p\n"
	text, err := format.Source(append([]byte(clause), f.text[start:]...))
	if err != nil {
		panic(fmt.Sprintf("seam gen wrote Go that can't be read: %v\n%s", err, f.text[start:]))
	}
	f.text = append(f.text[:start], text[len(clause):]...)
}

// statement writes a statement of several lines in gofmt's form.
func (f *file) statement(s string) {
	text, err := format.Source([]byte(s))
	if err != nil {
		panic(fmt.Sprintf("seam gen wrote Go that can't be read: %v\n%s", err, s))
	}
	// String literals have no line ends, so no tab gets into one.
	for line := range strings.Lines(strings.TrimSuffix(string(text), "\n") + "\n") {
		f.text = append(f.text, strings.Repeat("\t", f.depth)...)
		f.text = append(f.text, line...)
	}
}

// oneLine makes s safe inside of a line comment.
func oneLine(s string) string {
	return strings.Join(strings.Fields(cleanText(s)), " ")
}
