package layout

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/gotool"
)

// A unit is C code that is compiled for its types: the preamble of a file, or
// the headers that were named.
type unit struct {
	file string // the Go file that the preamble is of; "" for headers
	text string

	done   bool
	index  *index
	reader *reader
	err    error
	name   string // of the object file, without extension
}

// cSide compiles a package's C code.
type cSide struct {
	pkg    gotool.Package
	work   string
	target Target
	cxx    bool
	cflags []string
	units  []*unit

	headers strings.Builder // all that were included, as the compiler lists them
	classes string          // the compiler's flag for all of C++'s classes
	aliases map[string]bool // names that DWARF has only where something uses them
}

// uncheckedMacro silences a layout_seam.h that doesn't match the types any more.
const uncheckedMacro = "SEAM_LAYOUT_UNCHECKED"

// prolog is what cgo puts in front of every preamble, as far as it can matter to
// types.
const prolog = `#include <stddef.h>
typedef struct { const char *p; ptrdiff_t n; } _GoString_;
`

func newCSide(p gotool.Package, src *source, o Options, work string, target Target) (*cSide, error) {
	c := &cSide{pkg: p, work: work, target: target, cxx: o.CXX, cflags: o.CFlags}
	if len(o.Headers) > 0 {
		text := ""
		for _, h := range o.Headers {
			if searched(o, h) {
				text += fmt.Sprintf("#if __has_include(<%[1]s>)\n#include <%[1]s>\n#else\n#error --header %[1]s: it is neither in the folder nor in the include paths of the compiler\n#endif\n", h)
				continue
			}
			abs, err := filepath.Abs(filepath.Join(o.Dir, h))
			if filepath.IsAbs(h) {
				abs, err = h, nil
			}
			if err != nil {
				return nil, err
			}
			if strings.ContainsAny(abs, "\"\n\\") {
				return nil, fmt.Errorf("--header %q: no C compiler accepts such a name", abs)
			}
			text += "#include \"" + abs + "\"\n"
		}
		c.units = []*unit{{text: text}}
		return c, nil
	}
	for _, f := range src.files {
		if f.cgo && strings.TrimSpace(f.preamble) != "" {
			c.units = append(c.units, &unit{file: f.name, text: fmt.Sprintf("%s#line %d %q\n%s", prolog, f.line, f.path, f.preamble)})
		}
	}
	return c, nil
}

// searched reports whether a header is one that the C compiler looks for: it has no
// place of its own.
func searched(o Options, header string) bool {
	if filepath.IsAbs(header) || strings.ContainsAny(header, "<>\"\n\\") {
		return false
	}
	_, err := os.Stat(filepath.Join(o.Dir, header))
	return err != nil
}

// read reads the C types of pairs.
func (c *cSide) read(ctx context.Context, pairs []Pair) ([]*Type, error) {
	if len(c.units) == 0 {
		return nil, fmt.Errorf("package %s has no C code: no file with a preamble above import \"C\" is built (CGO_ENABLED, build tags), and no --header was given", c.pkg.ImportPath)
	}
	wanted := map[*unit][]string{}
	units, names := make([]*unit, len(pairs)), make([]string, len(pairs))
	for i, p := range pairs {
		var err error
		if units[i], names[i], err = c.find(ctx, p); err != nil {
			return nil, at(p, err)
		}
		if !slices.Contains(wanted[units[i]], names[i]) {
			wanted[units[i]] = append(wanted[units[i]], names[i])
		}
	}
	found := map[*unit]map[string]*Type{}
	for _, u := range c.units {
		if len(wanted[u]) == 0 {
			continue
		}
		var err error
		if found[u], err = c.readFrom(ctx, u, wanted[u]); err != nil {
			return nil, err
		}
	}
	types := make([]*Type, len(pairs))
	for i := range pairs {
		types[i] = found[units[i]][names[i]]
	}
	return types, nil
}

// find finds a pair's C type: in the preamble of the file that declares the Go type,
// else in any. It returns the name that the C compiler knows.
func (c *cSide) find(ctx context.Context, p Pair) (*unit, string, error) {
	order := slices.Clone(c.units)
	if own := slices.IndexFunc(order, func(u *unit) bool { return u.file == p.file }); own > 0 {
		order = slices.Insert(slices.Delete(order, own, own+1), 0, c.units[own])
	}
	var first *unknown
	for _, u := range order {
		if err := c.compile(ctx, u); err != nil {
			return nil, "", err
		}
		at, name, err := u.index.find(p.C, c.cxx)
		if err == nil {
			return u, name, u.reader.defined(at, name)
		}
		var none *unknown
		if !errors.As(err, &none) {
			return nil, "", err
		}
		if first == nil || len(first.meant) == 0 {
			first = none
		}
	}
	// gcc leaves out a name that C++ gives to a type within a namespace, unless it is used.
	for _, u := range order {
		if c.cxx {
			_, err := c.object(ctx, u, fmt.Sprintf("\ntypedef %s %s0;\nchar %s0[sizeof(%[2]s0)];\n", p.C, aliasType, sizeVariable), "named")
			if err == nil {
				if c.aliases == nil {
					c.aliases = map[string]bool{}
				}
				c.aliases[p.C] = true
				return u, p.C, nil
			}
		}
	}
	return nil, "", first
}

// compile compiles a unit, to see which types it has.
func (c *cSide) compile(ctx context.Context, u *unit) error {
	if u.done {
		return u.err
	}
	u.done = true
	u.name = fmt.Sprintf("unit%d", slices.Index(c.units, u))
	u.err = func() error {
		object, err := c.object(ctx, u, "", "")
		if err != nil {
			return err
		}
		data, err := openDWARF(object)
		if err != nil {
			return fmt.Errorf("the C compiler's object file: %w (is there a -g0 or a wrapper that drops -g?)", err)
		}
		u.reader = newReader(data, c.target, false)
		u.index, err = readIndex(data, func(string) bool { return false })
		return err
	}()
	return u.err
}

// alignVariable and a number is an array with as many elements as a type's
// alignment: the compiler's own word, which DWARF has only where an attribute was
// written. sizeVariable has one more than its size, against which what was made of DWARF is held.
// aliasType uses a name.
const (
	alignVariable = "seam_layout_alignment"
	sizeVariable  = "seam_layout_size"
	aliasType     = "seam_layout_alias"
)

// readFrom reads types of a unit. The unit is compiled once more with the questions
// for their alignments.
func (c *cSide) readFrom(ctx context.Context, u *unit, names []string) (map[string]*Type, error) {
	alignOf := "_Alignof"
	if c.cxx {
		alignOf = "alignof"
	}
	var ask strings.Builder
	for i, name := range names {
		fmt.Fprintf(&ask, "\nchar %s%d[%s(%s)];\nchar %s%d[sizeof(%s) + 1];", alignVariable, i, alignOf, name, sizeVariable, i, name)
		if c.aliases[name] {
			fmt.Fprintf(&ask, "\ntypedef %s %s%d;", name, aliasType, i)
		}
	}
	object, err := c.object(ctx, u, ask.String()+"\n", "asked")
	if err != nil {
		return nil, err
	}
	data, err := openDWARF(object)
	if err != nil {
		return nil, err
	}
	x, err := readIndex(data, func(name string) bool { return strings.HasPrefix(name, "seam_layout_") })
	if err != nil {
		return nil, err
	}
	r := newReader(data, c.target, false)
	types := map[string]*Type{}
	for i, name := range names {
		known := name
		if c.aliases[name] {
			known = fmt.Sprint(aliasType, i)
		}
		at, _, err := x.find(known, c.cxx)
		if err != nil {
			return nil, err
		}
		t, err := r.read(at)
		if err != nil {
			return nil, err
		}
		answer := func(variable string) (int64, error) {
			asked, ok := x.variables[fmt.Sprint(variable, i)]
			if !ok {
				return 0, fmt.Errorf("DWARF has no variable %s%d", variable, i)
			}
			array, err := r.read(asked)
			if err != nil {
				return 0, err
			}
			return array.Count, nil
		}
		align, err := answer(alignVariable)
		if err != nil {
			return nil, err
		}
		size, err := answer(sizeVariable)
		if err != nil {
			return nil, err
		}
		if size--; size != t.Size {
			return nil, fmt.Errorf("%s: the compiler says that it has %s, its DWARF says %s: seam layout can't compare it", name, bytesOf(size), bytesOf(t.Size))
		}
		whole := *t
		whole.Name, whole.anonymous = name, false
		whole.system = c.system(t.file)
		if align > 0 {
			whole.Align = align
			whole.Packed = whole.Packed || whole.Kind == Struct && whole.Align < natural(&whole)
		}
		types[name] = &whole
	}
	return types, nil
}

// system reports whether a file is the system's: neither of the package nor one of
// those that the compiler lists when it leaves the system's out.
func (c *cSide) system(file string) bool {
	below := func(dir string) bool { return strings.HasPrefix(file, dir+string(filepath.Separator)) }
	return filepath.IsAbs(file) && !below(c.work) && !below(c.pkg.Dir) && !slices.ContainsFunc(c.headerFiles(), func(name string) bool {
		return filepath.Clean(name) == filepath.Clean(file)
	})
}

// natural is the alignment that a struct's fields require.
func natural(t *Type) int64 {
	a := int64(1)
	for i := range t.Fields {
		a = max(a, t.Fields[i].Align)
	}
	return a
}

// headerFiles are the included headers, except the system's.
func (c *cSide) headerFiles() []string {
	// What make reads: names are separated by spaces, and have \ before one of
	// their own.
	text := strings.NewReplacer("\\\n", " ", "\\ ", "\x00").Replace(c.headers.String())
	var list []string
	for _, name := range strings.Fields(text) {
		name = strings.ReplaceAll(name, "\x00", " ")
		if !filepath.IsAbs(name) {
			name = filepath.Join(c.pkg.Dir, name)
		}
		if !strings.HasSuffix(name, ":") && !strings.HasPrefix(name, c.work+string(filepath.Separator)) {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// headerSum differs if the headers do.
func (c *cSide) headerSum() []byte {
	sum := sha256.New()
	for _, name := range c.headerFiles() {
		text, err := os.ReadFile(name)
		fmt.Fprintf(sum, "%q %v %q\n", name, err == nil, text)
	}
	return sum.Sum(nil)
}

// includes reports whether what was compiled, or a source file of the package,
// includes a file of checks.
func (c *cSide) includes(header string) bool {
	return strings.Contains(c.headers.String(), string(filepath.Separator)+header) || includes(c.pkg, header)
}

// object compiles a unit with more text after it.
func (c *cSide) object(ctx context.Context, u *unit, more, suffix string) (string, error) {
	command, env, err := c.pkg.Compiler(ctx, c.work, c.cxx)
	if err != nil {
		return "", err
	}
	source := filepath.Join(c.work, u.name+suffix+".c")
	if c.cxx {
		source += "c"
		if c.classes == "" {
			// A class whose virtual functions are elsewhere would be described there.
			c.classes = "-femit-class-debug-always"
			if version, err := gotool.Run(ctx, gotool.Cmd{Args: append(slices.Clone(command), "--version"), Dir: c.pkg.Dir, Env: env}); err == nil && strings.Contains(string(version), "clang") {
				c.classes = "-fstandalone-debug"
			}
		}
	}
	if err := os.WriteFile(source, []byte(u.text+more), 0o666); err != nil {
		return "", err
	}
	object := filepath.Join(c.work, u.name+suffix+".o")
	args := append(slices.Clone(command), c.cflags...)
	// These come last and win. Types that no code uses are wanted too.
	args = append(args, "-w", "-O0", "-g", "-gno-split-dwarf", "-fno-eliminate-unused-debug-types", "-fno-debug-types-section", "-fno-lto",
		"-fdiagnostics-color=never", "-D"+uncheckedMacro, "-MMD", "-MF", object+".d", "-c", "-o", object, source)
	if c.classes != "" {
		args = append(args, c.classes)
	}
	if _, err := gotool.Run(ctx, gotool.Cmd{Args: args, Dir: c.pkg.Dir, Env: env}); err != nil {
		if gotool.NotFound(err) {
			err = fmt.Errorf("%w (install a C compiler, or name one by CC)", err)
		}
		if _, said, ours := strings.Cut(err.Error(), "#error --header "); ours {
			line, _, _ := strings.Cut(said, "\n")
			return "", errors.New("--header " + line)
		}
		return "", fmt.Errorf("the C of package %s: %w", c.pkg.ImportPath, err)
	}
	list, err := os.ReadFile(object + ".d")
	c.headers.Write(list)
	return object, err
}
