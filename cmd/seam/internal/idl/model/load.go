package model

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/seamgo/seam/cmd/seam/internal/idl/syntax"
)

// Options say how files are found and read.
type Options struct {
	// IncludeDirs are searched for included files, in order, after the
	// folder of the including file.
	IncludeDirs []string

	// Descriptors says that a program will see the annotations of functions.
	Descriptors bool

	// Validate reads the annotations vt.* of fields, and refuses what isn't supported.
	Validate bool

	// NoCode says that nothing is written, so that no annotation asks for code in vain.
	NoCode bool
	// KeepStreams keeps functions that stream, in the binary protocol; otherwise they are left out with
	// a warning.
	KeepStreams bool
	// Kitex says that code is written for Kitex's clients and servers.
	Kitex bool

	// RuleFuncs are functions of the user's own that those annotations may call.
	RuleFuncs []*RuleFunc

	// ReadFile reads a file; nil is [ReadFile]. For a file that isn't there
	// its error is fs.ErrNotExist.
	ReadFile func(path string) ([]byte, error)

	// ListDir returns the names of the files in a folder, to propose one for
	// an include that is missing; nil is os.ReadDir, or nothing where
	// ReadFile is given.
	ListDir func(dir string) ([]string, error)

	// KeepNegativeIDs keeps field ids of 0 and less as they are written, like
	// --allow-neg-keys of Apache's compiler. Without it they are replaced by
	// the numbers that fields without an id get.
	KeepNegativeIDs bool

	// ValueTypeInContainer has structs in containers themselves, not pointers to them, where no
	// annotation says otherwise.
	ValueTypeInContainer bool
}

// Load reads files and all that they include, and checks them.
//
// It returns every program that was read, once and after those that it
// includes, and the errors and warnings of all, in the same order and by line.
// If one of the errors is fatal it returns no programs, because a [Program] has
// no mistakes.
//
// A file with syntax errors is not checked further, and names that only it
// could define are not reported in other files.
func Load(paths []string, opt Options) ([]*Program, syntax.Errors) {
	l := newLoader(opt)
	for _, path := range paths {
		if f := l.load(path); f != nil {
			f.prog.Requested = true
		}
	}
	errs := l.errs
	for _, f := range l.order {
		f.check()
		slices.SortStableFunc(f.errs, func(a, b *syntax.Error) int { return a.Pos.Compare(b.Pos) })
		errs = append(errs, f.errs...)
	}
	if errs.Fatal() {
		return nil, errs
	}
	programs := make([]*Program, len(l.order))
	for i, f := range l.order {
		programs[i] = f.prog
	}
	return programs, errs
}

// A loader reads files and knows which it has read.
type loader struct {
	opt   Options
	files map[string]*file // by identity
	open  []*file          // the chain of includes that is being read
	order []*file          // those that are included first
	errs  syntax.Errors    // about files that were named by the caller

	nearBudget int // how many more names are compared to find what was meant

	extents map[*Typedef]extent
	intern  Interner

	fields      map[*Struct]map[string]int      // places of fields by name
	hasDefault  map[*Field]bool                 // defaults may not be worked out yet
	enums       map[*Enum]map[string]*EnumValue // by name
	enumNumbers map[*Enum]map[int32]*EnumValue  // by number, the first of each

	conversions int // values of constants that were converted to other types

	// For values with parts: how deep they are nested, and how many values
	// have to be written out for them. For others these are 0 and 1.
	heights, written map[*Value]int
}

func newLoader(opt Options) *loader {
	if opt.ListDir == nil && opt.ReadFile == nil {
		opt.ListDir = listDir
	}
	return &loader{
		opt: opt, files: map[string]*file{}, nearBudget: 30_000,
		extents: map[*Typedef]extent{}, fields: map[*Struct]map[string]int{}, hasDefault: map[*Field]bool{},
		enums: map[*Enum]map[string]*EnumValue{}, enumNumbers: map[*Enum]map[int32]*EnumValue{},
		heights: map[*Value]int{}, written: map[*Value]int{},
	}
}

// A file is a program that is being checked.
type file struct {
	*loader
	prog      *Program
	tree      *syntax.File
	errs      syntax.Errors
	broken    bool    // it has syntax errors, so nothing is said about the rest
	includes  []*file // those that could be read
	includeAt map[*file]syntax.Pos
	twice     map[string]bool // names that were found in two of them, which was reported
	missing   map[string]bool // names of programs that couldn't be included

	symbols map[string]*symbol   // types and services by name
	consts  map[string]*constant // by name
	running []*constant          // those that are being worked out

	typeNamesKnown, constNamesKnown []string // for proposals, once there is one to make
}

func (f *file) errorf(pos syntax.Pos, format string, args ...any) {
	f.report(pos, false, format, args)
}

func (f *file) warnf(pos syntax.Pos, format string, args ...any) {
	f.report(pos, true, format, args)
}

func (f *file) report(pos syntax.Pos, warning bool, format string, args []any) {
	if f.broken {
		return // what seems wrong may be due to what could not be read
	}
	f.errs = append(f.errs, &syntax.Error{Path: f.prog.Path, Pos: pos, Message: fmt.Sprintf(format, args...), Warning: warning})
}

// load reads a file that the caller named.
func (l *loader) load(path string) *file {
	if f := l.files[l.identity(path)]; f != nil {
		return f
	}
	src, err := l.read(path)
	if err != nil {
		l.errs = append(l.errs, &syntax.Error{Path: path, Message: fmt.Sprintf("can't read it: %v%s", reason(err), l.didYouMeanFile(path, filepath.Base(path), []string{filepath.Dir(path)}))})
		return nil
	}
	return l.parse(path, src)
}

// parse reads the text of a file, and what it includes.
func (l *loader) parse(path string, src []byte) *file {
	f := &file{loader: l, missing: map[string]bool{}}
	f.prog = &Program{Path: path, Name: programName(path), Namespaces: map[string]string{}, NamespaceAt: map[string]syntax.Pos{}}
	l.files[l.identity(path)] = f
	f.tree, f.errs = syntax.Parse(path, src)
	f.broken = f.errs.Fatal()
	l.open = append(l.open, f)
	if f.tree != nil {
		for _, inc := range f.tree.Includes {
			f.include(inc)
		}
	} else {
		f.tree = &syntax.File{Path: path}
	}
	l.open = l.open[:len(l.open)-1]
	l.order = append(l.order, f)
	return f
}

// include reads an included file unless it was read before.
func (f *file) include(inc *syntax.Include) {
	if inc == nil || inc.Path == "" {
		if inc != nil {
			f.errorf(inc.Pos, "include without a file name: write include \"path/of/file.thrift\"")
		}
		return
	}
	g := f.find(inc)
	switch {
	case g == nil:
		f.missing[programName(inc.Path)] = true
	case slices.Contains(f.open, g):
		f.errorf(inc.Pos, "files include each other in a cycle: %s; move what both need into a third file", f.circle(g))
		f.missing[g.prog.Name] = true
	case slices.Contains(f.includes, g):
		// A second include of a file adds nothing, but may give it another name.
	default:
		if f.includeAt == nil {
			f.includeAt = map[*file]syntax.Pos{}
		}
		f.includeAt[g] = inc.Pos
		f.includes = append(f.includes, g)
		f.prog.Includes = append(f.prog.Includes, g.prog)
	}
}

// find finds and reads an included file; nil says that it was reported.
func (f *file) find(inc *syntax.Include) *file {
	var tried []string
	for _, path := range f.candidates(inc.Path) {
		if g := f.files[f.identity(path)]; g != nil {
			return g
		}
		src, err := f.read(path)
		if err == nil {
			return f.parse(path, src)
		}
		if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
			f.errorf(inc.Pos, "can't include %s: %v", path, reason(err))
			return nil
		}
		tried = append(tried, path)
	}
	dirs := make([]string, len(tried))
	for i, path := range tried {
		dirs[i] = filepath.Dir(path)
	}
	meant := f.didYouMeanFile(inc.Path, filepath.Base(inc.Path), dirs)
	switch {
	case meant != "":
	case filepath.IsAbs(inc.Path): // as of another computer; no folder is put in front
		f.errorf(inc.Pos, "no such file: %s; include it by a path from this file's folder, or from one named with -I", clip(inc.Path))
		return nil
	default:
		meant = "; name its folder with -I"
	}
	f.errorf(inc.Pos, "no such file: %s; it was looked for as %s%s", clip(inc.Path), strings.Join(tried, ", "), meant)
	return nil
}

// candidates are the paths that an included file may have, in the order in
// which they are tried. If the including file was found through a symbolic
// link, the folder that it really is in counts too.
func (f *file) candidates(path string) []string {
	path = filepath.FromSlash(path)
	if filepath.IsAbs(path) {
		return []string{path}
	}
	dirs := []string{filepath.Dir(f.prog.Path)}
	if f.opt.ReadFile == nil {
		if target, err := filepath.EvalSymlinks(f.prog.Path); err == nil {
			dirs = append(dirs, filepath.Dir(target))
		}
	}
	var paths []string
	for _, dir := range append(dirs, f.opt.IncludeDirs...) {
		if p := filepath.Join(dir, path); !slices.Contains(paths, p) {
			paths = append(paths, p)
		}
	}
	return paths
}

// circle is the chain of includes from a file that is being read to itself.
func (l *loader) circle(g *file) string {
	var names []string
	for _, f := range l.open[slices.Index(l.open, g):] {
		names = append(names, f.prog.Path)
	}
	return strings.Join(append(names, g.prog.Path), " → ")
}

// didYouMeanFile proposes a file in one of the folders, in the words of path.
func (l *loader) didYouMeanFile(path, base string, dirs []string) string {
	if l.opt.ListDir == nil {
		return ""
	}
	var names []string
	for _, dir := range dirs {
		all, err := l.opt.ListDir(dir)
		if err != nil {
			continue
		}
		for _, name := range all {
			// All have this ending, which would make every short name similar.
			if short, ok := strings.CutSuffix(name, ".thrift"); ok && name != base {
				names = append(names, short)
			}
		}
	}
	name := l.nearestName(strings.TrimSuffix(base, ".thrift"), names)
	if name == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %s?", strings.TrimSuffix(path, base)+name+".thrift")
}

func (l *loader) read(path string) ([]byte, error) {
	if l.opt.ReadFile != nil {
		return l.opt.ReadFile(path)
	}
	return ReadFile(path)
}

// identity is the same for all paths of a file.
func (l *loader) identity(path string) string {
	if l.opt.ReadFile == nil {
		if target, err := filepath.EvalSymlinks(path); err == nil {
			if full, err := filepath.Abs(target); err == nil {
				return full
			}
		}
	}
	return filepath.Clean(path)
}

func listDir(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names, err
}

// reason is the system's error without the path, which the message has anyway.
func reason(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}

func programName(path string) string {
	base := filepath.Base(filepath.FromSlash(path))
	return strings.TrimSuffix(base, filepath.Ext(base))
}
