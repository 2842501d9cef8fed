// Package welder rewrites what cgo generated so that the functions of a plan
// are called as leaves.
package rewrite

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/weld/cgofile"
	"github.com/seamgo/seam/cmd/seam/internal/weld/plan"
	"github.com/seamgo/seam/cmd/seam/internal/weld/runtime/leaf"
	"github.com/seamgo/seam/cmd/seam/internal/weld/runtime/macros"
	"github.com/seamgo/seam/cmd/seam/internal/weld/toolexec"
)

// Welder is the transform that makes a welded program.
type Welder struct {
	Plan *plan.Plan

	// Off says why nothing can be welded in this build (the Go version, the
	// system); "" if it can.
	Off string
}

var _ toolexec.Transform = (*Welder)(nil)

// ID covers the whole plan and the run-time.
func (w *Welder) ID() string { return w.PackageID("") }

// PackageID covers the lines for one package and the run-time: what the
// package's code depends on.
func (w *Welder) PackageID(importPath string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "weld %s %q %s", runtimeID(), w.Off, w.Plan.Hash(importPath)))
	return hex.EncodeToString(sum[:12])
}

// RuntimeID covers what is added to runtime/cgo.
func (w *Welder) RuntimeID() string { return runtimeID() }

// source is this package: what it writes depends on it.
//
//go:embed *.go
var source embed.FS

func runtimeID() string {
	h := sha256.New()
	fmt.Fprintln(h, cgofile.Hash(source), cgofile.SourceID())
	h.Write(macros.Shield(leaf.Header))
	h.Write(macros.Shield(leaf.Implementation))
	for _, arch := range []string{"amd64", "arm64"} {
		g, err := leaf.GoFile(arch)
		if err != nil {
			panic(err) // embedded
		}
		s, err := leaf.AsmFile(arch)
		if err != nil {
			panic(err) // embedded
		}
		h.Write(g)
		h.Write(s)
	}
	return hex.EncodeToString(h.Sum(nil)[:12])
}

// Runtime is the leaf entry.
func (w *Welder) Runtime(goarch string) (r toolexec.Runtime, err error) {
	if w.Off != "" || !leaf.Known("linux", goarch) {
		return r, nil
	}
	if r.Go, err = leaf.GoFile(goarch); err != nil {
		return r, err
	}
	r.Asm, err = leaf.AsmFile(goarch)
	return r, err
}

// A Mistake is one in the plan, found when a package was built.
type Mistake struct{ err error }

func (m *Mistake) Error() string { return m.err.Error() }
func (m *Mistake) Unwrap() error { return m.err }

// Packages lists the packages of which a function is to be welded, in the order
// of the plan.
func (w *Welder) Packages() []string {
	var list []string
	seen := map[string]bool{}
	for _, e := range w.Plan.Entries {
		if e.Mode == plan.Leaf && !seen[e.Package] {
			seen[e.Package] = true
			list = append(list, e.Package)
		}
	}
	return list
}

// Plans tells whether a function is to be a leaf.
func (w *Welder) Plans(importPath, function string) bool {
	for _, e := range w.Plan.Entries {
		if e.Mode == plan.Leaf && e.Package == importPath && e.Func == function {
			return true
		}
	}
	return false
}

// Package welds the functions of one package.
func (w *Welder) Package(importPath string, g *cgofile.Generated) (toolexec.Result, error) {
	var r toolexec.Result
	leaves := map[string]plan.Entry{}
	known := map[string]cgofile.Function{}
	for _, f := range g.Functions() {
		known[f.Name] = f
	}
	var errs []error
	for _, e := range w.Plan.Entries {
		if e.Package != importPath {
			continue
		}
		f, ok := known[e.Func]
		wrong := func(format string, a ...any) {
			errs = append(errs, fmt.Errorf("%s:%d: %s: %s", w.Plan.Name, e.Line, e.Path(), fmt.Sprintf(format, a...)))
		}
		switch {
		case !ok:
			wrong("the package calls no C function of this name%s; mend the line, or make the plan anew with: seam plan", didYouMean(e.Func, known))
		case e.Mode != plan.Leaf:
		case f.TakesCallback():
			wrong("it takes a C function pointer, through which it can call Go (%s), so it can't be a leaf; write cgo", f.Signature())
		case w.Off != "":
			r.Left = append(r.Left, toolexec.Left{Func: e.Func, Reason: w.Off})
		case f.Reason != "":
			r.Left = append(r.Left, toolexec.Left{Func: e.Func, Reason: f.Reason})
		case e.Sig != "" && e.Sig != f.Sig():
			r.Left = append(r.Left, toolexec.Left{Func: e.Func, Reason: fmt.Sprintf("its signature has changed since the plan was made: it is %s now; make the plan anew with: seam plan", f.Signature())})
		default:
			leaves[e.Func] = e
		}
	}
	if err := errors.Join(errs...); err != nil {
		return r, &Mistake{err}
	}
	if len(leaves) == 0 {
		return r, nil
	}
	cgoName := g.Gotypes.ImportCgo()
	touched := map[*cgofile.Wrappers]bool{}
	for i := range g.Gotypes.Stubs {
		s := &g.Gotypes.Stubs[i]
		e, ok := leaves[s.Name]
		if !ok {
			continue
		}
		file, x := g.Wrapper(s)
		weldC(file, x, e)
		weldGo(g.Gotypes, s, cgoName)
		touched[file] = true
	}
	for file := range touched {
		if file != g.Export() {
			file.Insert("#include \"" + leaf.HeaderName + "\"\n")
		}
	}
	g.Export().Insert("#include \"" + leaf.HeaderName + "\"\n#include \"" + leaf.ImplementationName + "\"\n")
	g.Gotypes.Append(helper(cgoName))
	for _, f := range g.Functions() {
		if _, ok := leaves[f.Name]; ok {
			r.Done = append(r.Done, f.Name)
		}
	}
	r.Files = map[string][]byte{
		leaf.HeaderName:         macros.Shield(leaf.Header),
		leaf.ImplementationName: macros.Shield(leaf.Implementation),
	}
	return r, nil
}

// slot is the C name of a wrapper's slot: unique like the wrapper's, which has a
// hash of the package in it.
func slot(symbol string) string { return strings.Replace(symbol, "_cgo_", "_seam_", 1) + "_slot" }

// weldC makes the wrapper a static function and puts the functions that Go
// calls behind it.
func weldC(file *cgofile.Wrappers, x *cgofile.Wrapper, e plan.Entry) {
	macro := "SEAM_WELD"
	if x.Errno {
		macro = "SEAM_WELD_ERRNO"
	}
	body := strings.Replace(x.Symbol, "_cgo_", "_seam_", 1)
	file.DropTopOfStack(x)
	file.Outer(x, body, fmt.Sprintf("\n%s(%s, %s, %s, %s, %s, %dull, %dull)\n",
		macro, slot(x.Symbol), cString(e.Path()), body, x.Symbol, body+"_probe",
		e.Budget.Nanoseconds(), int64(e.Allow*1e6)))
}

// cString quotes an import path and a name for C.
func cString(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range []byte(s) {
		if c < ' ' || c > '~' || c == '"' || c == '\\' || c == '?' {
			fmt.Fprintf(&b, "\\%03o", c)
		} else {
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// weldGo makes the stub call the slot's entry.
//
// In the leaf's branch nothing keeps the parameters alive behind the call, and
// nothing needs to: the goroutine can't be stopped before C returns, so no
// garbage collection can end in between that has not seen them.
//
// C may return what it was given (strchr does). So the compiler is told, by code
// that is never run, that the result may be any of the parameters: they stay on
// the stack only if the result does. With noescape the user has promised more.
// A pointer in a union's bytes is none to the compiler: there they escape.
func weldGo(g *cgofile.Gotypes, s *cgofile.Stub, cgoName string) {
	name := "_" + slot(s.Symbol)
	g.InsertDecl(s, fmt.Sprintf(`//go:cgo_import_static %[1]s
//go:linkname %[2]s %[1]s
var %[2]s byte

`, slot(s.Symbol), name))
	keep := ""
	if len(s.Params) > 0 {
		var b strings.Builder
		for _, p := range s.Params {
			fmt.Fprintf(&b, "\t\t\t_Cgo_keepalive(%s)\n", p)
			switch {
			case s.NoEscape || s.Name == cgofile.Malloc:
			case s.ResultHidesPointers:
				fmt.Fprintf(&b, "\t\t\t_Cgo_use(%s)\n", p)
			case s.ResultHasPointers:
				fmt.Fprintf(&b, "\t\t\tr1 = *(*%s)(unsafe.Pointer(&%s))\n", s.ResultText, p)
			}
		}
		keep = "\t\tif _Cgo_always_false {\n" + b.String() + "\t\t}\n"
	}
	declare, assign := "", ""
	if s.Errno {
		declare, assign = "var errno int32\n\t", "errno = "
	}
	g.DropEscape(s)
	g.ReplaceCall(s, fmt.Sprintf(`%[1]sif seam := (*%[3]s.SeamSlot)(unsafe.Pointer(&%[4]s)).Entry; seam != nil && !_seam_race {
		%[2]s%[3]s.SeamCall(seam, unsafe.Pointer(&%[5]s))
	} else {
		%[2]s_seam_slow((*%[3]s.SeamSlot)(unsafe.Pointer(&%[4]s)), unsafe.Pointer(&%[5]s))
%[6]s	}`, declare, assign, cgoName, name, s.Arg, keep))
}

// helper is what the stubs of a package share.
//
// A demoted function is called as cgo calls a function with nocallback and
// noescape: its arguments lie on the goroutine's stack, which can't move while
// C runs unless C calls back, and that ends the program.
func helper(cgoName string) string {
	return `
//go:noinline
func _seam_slow(s *` + cgoName + `.SeamSlot, arg unsafe.Pointer) int32 {
	if _seam_race {
		` + cgoName + `.SeamRace(s, _cgo_runtime_cgocall)
	}
	entry := s.Entry
	if entry == nil {
		entry = ` + cgoName + `.SeamPrepare(s, _cgo_runtime_cgocall)
	}
	if entry != nil {
		return ` + cgoName + `.SeamCall(entry, arg)
	}
	returned := false
	defer func() {
		if !returned {
			` + cgoName + `.SeamCalledBack(s)
		}
	}()
	_Cgo_no_callback(true)
	errno := _cgo_runtime_cgocall(s.Call, uintptr(arg))
	_Cgo_no_callback(false)
	returned = true
	return errno
}
` + toolexec.RaceOff
}
