package rewrite

import (
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

// isCoro tells whether the plan says that the function calls Go as a matter of course.
func (l *Leaves) isCoro(p *cgofile.Package, s *cgofile.Stub) bool {
	e, _ := l.line(p.ImportPath, s.Name)
	return e.Mode == plan.Coro
}

// mayCallGo tells whether a function is welded so that it survives a callback, with
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
