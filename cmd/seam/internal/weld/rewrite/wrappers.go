package rewrite

import (
	"fmt"

	"github.com/seamgo/seam/cmd/seam/internal/weld/cgofile"
	"github.com/seamgo/seam/cmd/seam/internal/weld/plan"
)

// makeSlots makes each wrapper a static function and puts the functions that Go
// calls behind it.
func (l *Leaves) makeSlots(p *cgofile.Package) error {
	l.directStubs(p, func(s *cgofile.Stub) {
		file, w := p.Wrapper(s)
		e, _ := l.line(p.ImportPath, s.Name)
		macro := "SEAM_WELD"
		if e.Mode == plan.Coro {
			macro = "SEAM_CORO"
		}
		if w.Errno {
			macro += "_ERRNO"
		}
		inner := body(w.Symbol)
		if !l.mayCallGo(p, s) {
			file.DropTopOfStack(w)
		}
		file.Outer(w, inner, fmt.Sprintf("\n%s(%s, %s, %s, %s, %s, %s, %dull, %dull)\n",
			macro, slot(w.Symbol), cgofile.QuoteC(e.Path()), inner, w.Symbol, inner+"_probe", inner+"_watched",
			e.Budget.Nanoseconds(), int64(e.Allow*1e6)))
	})
	return nil
}
