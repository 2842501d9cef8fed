package cgofile

import (
	"errors"
	"fmt"
	"strings"
)

// A Package is what cgo generated for one package, on its way through passes.
type Package struct {
	*Generated
	ImportPath string

	Selected []Function        // the functions that are rewritten: the first pass chooses them
	Skipped  []Skipped         // those that are not, although they should be
	Headers  map[string][]byte // C to be written beside cgo's files, by name
}

// Skipped is a function that can't be rewritten.
type Skipped struct{ Func, Reason string }

// A Pass is one step of a rewrite. It reads what cgo wrote and what the passes
// before it chose, and notes its changes by the methods of Gotypes and Wrappers.
// Passes don't see each other's changes.
type Pass func(*Package) error

// ErrSkipRest is what a pass returns when there is nothing left to rewrite.
var ErrSkipRest = errors.New("skip the remaining passes")

// Run runs passes in their order.
func (p *Package) Run(passes []Pass) error {
	for _, pass := range passes {
		if err := pass(p); errors.Is(err, ErrSkipRest) {
			return nil
		} else if err != nil {
			return err
		}
	}
	return nil
}

// Skip notes that a function stays as it is.
func (p *Package) Skip(name, reason string) {
	p.Skipped = append(p.Skipped, Skipped{name, reason})
}

// Stubs calls do for the stubs of the selected functions. k is the function's place
// in Selected; with and without errno, a function has two stubs.
func (p *Package) Stubs(do func(k int, s *Stub)) {
	index := map[string]int{}
	for k, f := range p.Selected {
		index[f.Name] = k
	}
	for i := range p.Gotypes.Stubs {
		s := &p.Gotypes.Stubs[i]
		if k, ok := index[s.Name]; ok {
			do(k, s)
		}
	}
}

// Stem is how cgo begins all names of the package in C: "_cgo_22f1173705d1". It
// is "" if none is known.
func (p *Package) Stem() string {
	for _, s := range p.Gotypes.Stubs {
		if i := strings.Index(s.Symbol, "_C"); i > 0 && s.Reason == "" {
			return s.Symbol[:i]
		}
	}
	return ""
}

// QuoteC is a string literal of C: everything but letters, digits and the plainest
// signs in octal, so that no trigraph or other surprise is left.
func QuoteC(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range []byte(s) {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte(" _./-()[]{},;*=:", c) >= 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "\\%03o", c)
		}
	}
	b.WriteByte('"')
	return b.String()
}
