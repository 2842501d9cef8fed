package rewrite

import "github.com/seamgo/seam/cmd/seam/internal/weld/cgofile"

// dropChecks leaves out cgo's check of the arguments, which takes longer than the call. It finds
// mistakes and prevents none: a program in which it finds nothing does the same without it. With
// the race detector it stays.
func (l *Leaves) dropChecks(p *cgofile.Package) error {
	callers, err := p.Callers()
	if err != nil {
		return err
	}
	l.directStubs(p, func(s *cgofile.Stub) {
		for _, c := range callers {
			c.CheckIf(s, "_seam_race")
		}
	})
	return nil
}
