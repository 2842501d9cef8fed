package explain

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/gotool"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
	"github.com/seamgo/seam/cmd/seam/internal/nearest"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
	"github.com/seamgo/seam/cmd/seam/internal/weld/calltrace"
	"github.com/seamgo/seam/cmd/seam/internal/weld/cgofile"
	"github.com/seamgo/seam/cmd/seam/internal/weld/plan"
)

// Options say where to look, and what is known besides the code.
type Options struct {
	Go    string   // the go command
	Dir   string   // where it is run; "" for here
	Flags []string // build flags that decide which files belong to a package

	GOARCH     string
	GOTOOLDIR  string
	CgoEnabled bool
	Off        string // why nothing can be welded here; "" if it can

	Plan      *plan.Plan      // nil if there is none
	Trace     *calltrace.File // nil if there is none
	TraceName string
	Lab       *result.Run // nil if there is none
	LabName   string

	// Measure measures the rows of the lab that Lab lacks; nil if it can't be done here. Its
	// answer is nil if nothing came of it.
	Measure func() *result.Run
}

// Explain explains a function, "import/path.name", or gives an overview of the C
// functions that a package calls. Paths may be relative.
func Explain(ctx context.Context, o Options, target string) (*Doc, error) {
	p, name, err := find(ctx, o, target)
	if none := (*noC)(nil); errors.As(err, &none) {
		if list, fset, err := boundFunctions(none.pkg); err != nil {
			return nil, err
		} else if len(list) > 0 {
			return explainBound(none.pkg, list, fset, name)
		}
		if o.CgoEnabled && name == "" {
			return dependencies(ctx, o, none)
		}
	}
	if err != nil {
		return nil, err
	}
	coroutines, fset, err := coroutineFunctions(p)
	if err != nil {
		return nil, err
	}
	if d, err := explainCoroutine(coroutines, fset, name); d != nil || err != nil {
		return d, err
	}
	work, err := os.MkdirTemp("", "seam-explain-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	objdir := filepath.Join(work, "obj")
	if err := gotool.Generate(ctx, p, objdir); err != nil {
		return nil, err
	}
	k, err := newPackage(o, p, objdir)
	if err != nil {
		return nil, fmt.Errorf("package %s: %w", p.ImportPath, err)
	}
	if name == "" {
		d := k.overview()
		if len(coroutines) > 0 {
			d.Sections = append(d.Sections, coroutineTable(p, coroutines))
		}
		return d, k.addDependencies(ctx, d)
	}
	if name == cgofile.GoString && k.gen.Gotypes.GoString {
		return k.goString(), nil
	}
	if name == cgofile.CString && k.gen.Gotypes.CString {
		return k.cString()
	}
	if name, err = k.resolve(name); err != nil {
		return nil, err
	}
	return k.explain(ctx, name)
}

// pkg is a package and what cgo wrote for it.
type pkg struct {
	Options
	gotool.Package
	objdir    string
	gen       *cgofile.Generated
	functions []cgofile.Function
	sizes     *sizes
	sites     map[string][]Site
	prices    prices
}

func newPackage(o Options, p gotool.Package, objdir string) (*pkg, error) {
	k := &pkg{Options: o, Package: p, objdir: objdir, prices: prices{o.Lab}}
	var err error
	if k.gen, err = cgofile.Load(objdir); err != nil {
		return nil, err
	}
	if k.functions = k.gen.Functions(); len(k.functions) == 0 {
		return nil, errors.New("it imports \"C\" but calls no C function")
	}
	if k.sizes, err = newSizes(k.gen.Gotypes, o.GOARCH); err != nil {
		return nil, err
	}
	k.sites, err = sites(p)
	return k, err
}

var identifier = regexp.MustCompile(`^[\pL_][\pL\p{Nd}_]*$`)

// split separates a function's name from its package's path; name is "" if there is none.
func split(target string) (path, name string) {
	i := strings.LastIndexByte(target, '.')
	if i == 0 && identifier.MatchString(target[1:]) {
		return ".", target[1:] // ".f" is f of the package here
	}
	if i <= 0 || !identifier.MatchString(target[i+1:]) {
		return target, ""
	}
	path = target[:i]
	// "./x/.f" is f of "./x/", and "..f" f of ".".
	if trimmed := strings.TrimSuffix(path, "/"); trimmed != "" && trimmed != path {
		path = trimmed
	}
	return path, target[i+1:]
}

// find finds the package of a target, and the function's name if it has one. An
// import path may have dots too, so a package of the whole name comes first.
func find(ctx context.Context, o Options, target string) (p gotool.Package, name string, err error) {
	const want = "want PACKAGE or PACKAGE.FUNCTION, such as ./db or github.com/mattn/go-sqlite3.sqlite3_reset"
	switch {
	case target == "" || strings.HasPrefix(target, "-"):
		return p, "", fmt.Errorf("%q is not a package; %s", target, want)
	case strings.Contains(target, "..."):
		return p, "", fmt.Errorf("%s: one package is explained at a time; %s", target, want)
	case strings.HasSuffix(target, ".go"):
		return p, "", fmt.Errorf("%s is a file; %s", target, want)
	}
	whole, wrong := load(ctx, o, target)
	if wrong != nil {
		path, n := split(target)
		if n == "" {
			full, err := byEnd(ctx, o, target)
			if err == nil && full != "" {
				return find(ctx, o, full)
			}
			return p, "", fmt.Errorf("there is no package %s here; %s:\n\t%w", target, want, errors.Join(wrong, err))
		}
		part, err := load(ctx, o, path)
		if err != nil {
			full, several := byEnd(ctx, o, path)
			if several == nil && full != "" {
				return find(ctx, o, full+"."+n)
			}
			if several != nil {
				return p, "", several
			}
			return p, "", fmt.Errorf("there is neither a package %s nor a package %s here:\n\t%w", target, path, err)
		}
		whole, name = part, n
	}
	if !whole.CallsC() {
		why := "it has no file that imports \"C\" with these build flags"
		if !o.CgoEnabled {
			why = "CGO_ENABLED=0 turns all C calls off"
		}
		return p, name, &noC{whole, why}
	}
	return whole, name, nil
}

func load(ctx context.Context, o Options, path string) (gotool.Package, error) {
	list, err := gotool.List(ctx, o.Go, o.Dir, append(slices.Clone(o.Flags), "-find"), path)
	if err == nil && len(list) != 1 {
		err = fmt.Errorf("%s is not one package", path)
	}
	if err != nil {
		return gotool.Package{}, err
	}
	return list[0], nil
}

// resolve finds the function that a name means.
func (k *pkg) resolve(name string) (string, error) {
	var names []string
	for _, f := range k.functions {
		names = append(names, f.Name)
	}
	if slices.Contains(names, name) {
		return name, nil
	}
	// C.malloc and what cgo builds on it.
	if slices.Contains(allocators, name) && slices.Contains(names, cgofile.Malloc) {
		return cgofile.Malloc, nil
	}
	if slices.Contains([]string{"GoString", "GoStringN", "GoBytes"}, name) {
		return "", fmt.Errorf("cgo's C.%s copies memory in Go and makes no C call, so there is nothing to explain", name)
	}
	hint := fmt.Sprintf("; seam explain %s lists the %s that it calls", k.ImportPath, quantity.Plural(len(names), "function"))
	if near := nearest.Names(name, names); len(near) > 0 {
		hint = fmt.Sprintf("; did you mean %s?", strings.Join(near, " or "))
	}
	return "", fmt.Errorf("package %s calls no C function %s%s", k.ImportPath, name, hint)
}

// stubs are the Go stubs of a function: with and without errno.
func (k *pkg) stubs(name string) (list []*cgofile.Stub) {
	for i := range k.gen.Gotypes.Stubs {
		if s := &k.gen.Gotypes.Stubs[i]; s.Name == name {
			list = append(list, s)
		}
	}
	// The plain one first.
	slices.SortStableFunc(list, func(a, b *cgofile.Stub) int { return strings.Compare(b.GoName, a.GoName) })
	return list
}

// layout is the argument struct of a function.
func (k *pkg) layout(s *cgofile.Stub) (*Layout, error) {
	_, w := k.gen.Wrapper(s)
	switch {
	case w == nil:
		return nil, errors.New("its C wrapper was not found where cgo writes it")
	case w.Reason != "":
		return nil, errors.New(w.Reason)
	}
	return k.sizes.layout(s, w)
}

// entry is the plan's line for a function; nil if there is none.
func (k *pkg) entry(name string) *plan.Entry {
	if k.Plan == nil {
		return nil
	}
	for i := range k.Plan.Entries {
		if e := &k.Plan.Entries[i]; e.Package == k.ImportPath && e.Func == name {
			return e
		}
	}
	return nil
}

// traced is what a trace found out about a function; nil if nothing.
func (k *pkg) traced(name string) *calltrace.Function {
	if k.Trace == nil {
		return nil
	}
	for i := range k.Trace.Functions {
		if f := &k.Trace.Functions[i]; f.Package == k.ImportPath && f.Name == name {
			return f
		}
	}
	return nil
}

// cannot says why a function can't be welded; "" if it can.
func (k *pkg) cannot(f cgofile.Function) string {
	switch {
	case k.Standard:
		return "packages of the standard library are not welded"
	case f.Reason != "":
		return f.Reason
	case f.TakesCallback():
		return "it takes a C function pointer, through which it can call Go"
	}
	return k.Off
}

// signature is a function's type in C, or in Go where its wrapper is not known:
// "int puts(char*)".
func (k *pkg) signature(f cgofile.Function) string {
	stub := k.stubs(f.Name)[0]
	_, w := k.gen.Wrapper(stub)
	if w == nil || w.Reason != "" {
		return quotedName(f.Name) + strings.TrimPrefix(plainType(f.Signature()), "func")
	}
	result := "void"
	var params []string
	for _, m := range w.Fields {
		switch {
		case m.Name == "":
		case strings.HasPrefix(m.Name, "r"):
			result = m.Type
		default:
			params = append(params, m.Type)
		}
	}
	return strings.Replace(result, " *", "*", 1) + " " + quotedName(f.Name) + "(" + strings.Join(params, ", ") + ")"
}

// quotedName is a function's name in C.
func quotedName(name string) string {
	if name == cgofile.Malloc {
		return "malloc"
	}
	return name
}
