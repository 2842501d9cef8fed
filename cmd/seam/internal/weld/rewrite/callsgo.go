package rewrite

import (
	"bytes"

	"github.com/seamgo/seam/cmd/seam/internal/weld/cgofile"
	"github.com/seamgo/seam/cmd/seam/internal/weld/plan"
)

// cannotCallGo says why a function can't be coro; "" if it can.
func cannotCallGo(f cgofile.Function) string {
	switch {
	case f.Name == cgofile.Malloc:
		return "malloc calls no Go: write leaf"
	case f.NoCallback:
		return "#cgo nocallback says that it calls no Go: write leaf"
	case f.NoEscape:
		return "#cgo noescape puts its arguments on the goroutine's stack, which may move while Go runs: write leaf or cgo"
	}
	return ""
}

// directStubs calls do for the stubs of leaves and of coro functions.
func (l *Leaves) directStubs(p *cgofile.Package, do func(s *cgofile.Stub)) {
	p.Stubs(func(_ int, s *cgofile.Stub) {
		if e, _ := l.line(p.ImportPath, s.Name); e.Direct() {
			do(s)
		}
	})
}

// isCoro reports whether the plan says that the function calls Go as a matter of course.
func (l *Leaves) isCoro(p *cgofile.Package, s *cgofile.Stub) bool {
	e, _ := l.line(p.ImportPath, s.Name)
	return e.Mode == plan.Coro
}

// mayCallGo reports whether a function is welded so that it survives a callback, with
// arguments that escape as cgo makes them, and that C finds again where the
// goroutine's stack has moved: all that are coro, and leaves in a package that exports Go
// functions, unless the plan says that the function is closed. All others end the program
// when they call Go.
func (l *Leaves) mayCallGo(p *cgofile.Package, s *cgofile.Stub) bool {
	if s.NoCallback || s.NoEscape || s.Name == cgofile.Malloc {
		return false
	}
	e, _ := l.line(p.ImportPath, s.Name)
	return e.Mode == plan.Coro || len(p.Exports) > 0 && !e.Closed
}

// enterFromC has the package's exports come to Go without asking whether the runtime has begun
// and whether somebody wants a context for tracebacks, where C was called by a coro function: then it
// has, and nobody is asked for one. All else is done by _seam_slowly_v1 as cgo does it.
func (l *Leaves) enterFromC(p *cgofile.Package) error {
	coro := false
	l.directStubs(p, func(s *cgofile.Stub) { coro = coro || l.isCoro(p, s) })
	if coro && knownExports(p) {
		p.Export().Insert(`#define _cgo_wait_runtime_init_done() ((__SIZE_TYPE__)0)
#define crosscall2(_f, _a, _n, _ctxt) __atomic_load_n(&_seam_gate_v1._from_c, __ATOMIC_ACQUIRE)(_f, _a, _n, _ctxt)
#define _cgo_release_context(_ctxt) ((void)(_ctxt))
`)
	}
	return nil
}

// knownExports reports whether each export calls crosscall2 between the two that are left out.
func knownExports(p *cgofile.Package) bool {
	text := p.Export().Src[p.Export().Start:]
	for _, call := range []string{
		" _cgo_ctxt = _cgo_wait_runtime_init_done();\n", "\tcrosscall2(_cgoexp_", "\t_cgo_release_context(_cgo_ctxt);\n",
	} {
		if bytes.Count(text, []byte(call)) != len(p.Exports) {
			return false
		}
	}
	return len(p.Exports) > 0
}
