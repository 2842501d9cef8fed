// Package cgofile reads and rewrites the files that cgo generates: the Go stubs
// in _cgo_gotypes.go, their callers in *.cgo1.go, the C wrappers in *.cgo2.c, and
// _cgo_export.c.
//
// It knows the exact shapes that the cgo of Go 1.25, 1.26 and 1.27 writes. What
// looks different is not touched: it is reported with the reason, and the
// function stays as it is.
package cgofile

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Malloc is the name under which the malloc behind C.malloc, C.CString and
// C.CBytes is known.
const Malloc = "_CMalloc"

// GoString and CString are the names of C.GoString and C.CString in a plan. They are cgo's own, written in
// Go, so they are none of a package's functions.
const (
	GoString = "GoString"
	CString  = "CString"
)

// Helper reports whether a name in a plan is one of these.
func Helper(name string) bool { return name == GoString || name == CString }

// limit is the size up to which a generated file is read. The largest seen
// (the bindings of the Windows API) has 6 MB.
const limit = 256 << 20

// Function is a C function that a package calls: what the two files say about
// it, with and without errno together.
type Function struct {
	Name string // in C, or Malloc

	// Params and Result are the Go types as cgo writes them, "_Ctype_int",
	// "*_Ctype_char", "unsafe.Pointer", except that types without a name are
	// written out. Result is "" for void.
	Params []string
	Result string

	NoEscape   bool // #cgo noescape
	NoCallback bool // #cgo nocallback

	// Reason says why the function can't be rewritten; "" if it can.
	Reason string
}

// Signature is the function's type: "func(_Ctype_int, *_Ctype_char) _Ctype_int".
func (f Function) Signature() string {
	s := "func(" + strings.Join(f.Params, ", ") + ")"
	if f.Result != "" {
		s += " " + f.Result
	}
	return s
}

// Sig is a short hash of the signature: eight hexadecimal digits.
func (f Function) Sig() string {
	sum := sha256.Sum256([]byte(f.Signature()))
	return hex.EncodeToString(sum[:4])
}

// TakesCallback reports whether a parameter is the address of a C function, which
// may be one that calls Go.
func (f Function) TakesCallback() bool {
	return slices.ContainsFunc(f.Params, func(p string) bool { return strings.Contains(p, "*[0]byte") })
}

// Generated is what cgo wrote for one package.
type Generated struct {
	Dir      string
	Gotypes  *Gotypes
	Wrappers []*Wrappers // a file each; _cgo_export.c is the last
	Exports  []Export    // Go functions that C may call; they stand in _cgo_export.c

	callers []*Callers // once they were asked for
}

// Load reads what cgo wrote into dir.
func Load(dir string) (*Generated, error) {
	name := filepath.Join(dir, "_cgo_gotypes.go")
	src, err := read(name)
	if err != nil {
		return nil, err
	}
	g := &Generated{Dir: dir}
	if g.Gotypes, err = ParseGotypes(src); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	names, err := filepath.Glob(filepath.Join(globEscape(dir), "*.cgo2.c"))
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	for _, name := range append(names, filepath.Join(dir, "_cgo_export.c")) {
		src, err := read(name)
		if err != nil {
			return nil, err
		}
		g.Wrappers = append(g.Wrappers, ParseWrappers(filepath.Base(name), src))
	}
	g.Exports = ParseExports(g.Export().Src)
	g.match()
	return g, nil
}

func read(name string) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if info.Size() > limit {
		return nil, fmt.Errorf("%s: larger than %d bytes, more than cgo writes", name, limit)
	}
	return os.ReadFile(name)
}

// Callers are the files of the package that call the stubs, but for those that the parser can't
// read, as of a newer Go.
func (g *Generated) Callers() ([]*Callers, error) {
	if g.callers != nil {
		return g.callers, nil
	}
	names, err := filepath.Glob(filepath.Join(globEscape(g.Dir), "*.cgo1.go"))
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	for _, name := range names {
		src, err := read(name)
		if err != nil {
			return nil, err
		}
		if c := ParseCallers(filepath.Base(name), src); c != nil {
			g.callers = append(g.callers, c)
		}
	}
	return g.callers, nil
}

// globEscape makes a pattern that matches name alone.
func globEscape(name string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(name)
}

// Export is _cgo_export.c.
func (g *Generated) Export() *Wrappers { return g.Wrappers[len(g.Wrappers)-1] }

// Wrapper finds the C wrapper of a stub; nil if there is none.
func (g *Generated) Wrapper(s *Stub) (*Wrappers, *Wrapper) {
	for _, file := range g.Wrappers {
		for i := range file.List {
			if file.List[i].Symbol == s.Symbol {
				return file, &file.List[i]
			}
		}
	}
	return nil, nil
}

// match notes for every stub whether its wrapper is one we know.
func (g *Generated) match() {
	for i := range g.Gotypes.Stubs {
		s := &g.Gotypes.Stubs[i]
		if s.Reason != "" {
			continue
		}
		_, w := g.Wrapper(s)
		switch {
		case w == nil:
			s.Reason = "its C wrapper was not found where cgo writes it"
		case w.Reason != "":
			s.Reason = w.Reason
		case w.Errno != s.Errno:
			s.Reason = "its C wrapper and its Go stub disagree about errno"
		}
	}
}

// Functions lists the C functions that the package calls, by name.
func (g *Generated) Functions() []Function {
	byName := map[string]*Function{}
	for _, s := range g.Gotypes.Stubs {
		f := byName[s.Name]
		if f == nil {
			f = &Function{Name: s.Name, Params: s.ParamTypes, Result: s.Result}
			byName[s.Name] = f
		}
		f.NoEscape = f.NoEscape || s.NoEscape
		f.NoCallback = f.NoCallback || s.NoCallback
		if f.Reason == "" {
			f.Reason = s.Reason
		}
	}
	var list []Function
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		list = append(list, *byName[name])
	}
	return list
}

// Save writes back the files that Rewrite changed, with the file modes that
// cgo gave them.
func (g *Generated) Save() error {
	var errs []error
	if len(g.Gotypes.edits) > 0 {
		errs = append(errs, os.WriteFile(filepath.Join(g.Dir, "_cgo_gotypes.go"), g.Gotypes.Bytes(), 0o600))
	}
	for _, c := range g.callers {
		if len(c.edits) > 0 {
			errs = append(errs, os.WriteFile(filepath.Join(g.Dir, c.Name), c.Bytes(), 0o600))
		}
	}
	for _, w := range g.Wrappers {
		if len(w.edits) > 0 {
			errs = append(errs, os.WriteFile(filepath.Join(g.Dir, w.Name), w.Bytes(), 0o600))
		}
	}
	return errors.Join(errs...)
}
