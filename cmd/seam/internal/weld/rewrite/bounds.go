package rewrite

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/weld/cgofile"
	"github.com/seamgo/seam/cmd/seam/internal/weld/plan"
)

// A bound is what lets so many goroutines at once into C: its name in C, what people call
// it, and how many.
type bound struct {
	symbol, name string
	threads      int
}

// allocators are never bounded: they don't wait, and a program that frees memory must not
// wait for those that need some.
var allocators = []string{cgofile.Malloc, "malloc", "calloc", "realloc", "free"}

// library are Seam's own packages. Who asks package weld how many calls wait must not wait
// behind them.
var library = regexp.MustCompile(`^github\.com/seamgo/seam/(leaf|coro|offload|mem|ring|thrift|weld|internal)(/|$)`)

// Counts reports whether a function is one of those that the plan's threads: lets in.
func (l *Leaves) Counts(importPath, function string) bool {
	if l.Plan.Threads == 0 || slices.Contains(allocators, function) || library.MatchString(importPath) {
		return false
	}
	e, ok := l.line(importPath, function)
	return !ok || e.Mode == plan.Offload || e.Mode == plan.Cgo && !e.Unbounded
}

// bounds are those of a stub's function, its own before the program's.
func (l *Leaves) bounds(p *cgofile.Package, s *cgofile.Stub) []bound {
	var list []bound
	if e, _ := l.line(p.ImportPath, s.Name); e.Mode == plan.Offload {
		b := bound{"_seam_bound_group_" + e.Group, fmt.Sprintf("offload:%d group=%s", e.Threads, e.Group), e.Threads}
		if e.Group == "" {
			// With errno and without, a function has two stubs and one bound.
			b.symbol = strings.Replace(body(s.Symbol), "_C2func_", "_Cfunc_", 1) + "_bound"
			b.name = fmt.Sprintf("offload:%d %s", e.Threads, e.Path())
		}
		list = append(list, b)
	}
	if l.Counts(p.ImportPath, s.Name) {
		list = append(list, bound{"_seam_bound_program", fmt.Sprintf("threads: %d", l.Plan.Threads), l.Plan.Threads})
	}
	return list
}

// boundStubs calls do for the stubs of bounded functions.
func (l *Leaves) boundStubs(p *cgofile.Package, do func(s *cgofile.Stub, list []bound)) {
	p.Stubs(func(_ int, s *cgofile.Stub) {
		if list := l.bounds(p, s); len(list) > 0 {
			do(s, list)
		}
	})
}

// defineBounds defines the package's bounds in C.
func (l *Leaves) defineBounds(p *cgofile.Package) error {
	defined := map[bound]bool{}
	l.boundStubs(p, func(_ *cgofile.Stub, list []bound) {
		for _, b := range list {
			if !defined[b] {
				defined[b] = true
				p.Export().Insert(fmt.Sprintf("SEAM_BOUND(%s, %s, %d)\n", b.symbol, cgofile.QuoteC(b.name), b.threads))
			}
		}
	})
	return nil
}

// enterBounds makes the stubs wait for their bounds. Nothing else changes: C is called as
// cgo calls it, with arguments that escape as they did.
func (l *Leaves) enterBounds(p *cgofile.Package) error {
	declared := map[bound]bool{}
	most := 0
	l.boundStubs(p, func(s *cgofile.Stub, list []bound) {
		call := fmt.Sprintf("_seam_bounded%d(", len(list))
		for _, b := range list {
			call += fmt.Sprintf("unsafe.Pointer(&_%s), ", b.symbol)
			if !declared[b] {
				declared[b] = true
				p.Gotypes.InsertDecl(s, importC(b.symbol))
			}
		}
		call += fmt.Sprintf("%q, %s, unsafe.Pointer(&%s))", p.ImportPath+"."+s.Name+"\x00", s.Symbol, s.Arg)
		if s.Errno {
			call = "errno := " + call
		}
		if s.NoCallback {
			call = "_Cgo_no_callback(true)\n\t" + call + "\n\t_Cgo_no_callback(false)"
		}
		p.Gotypes.ReplaceCall(s, call)
		most = max(most, len(list))
	})
	for n := 1; n <= most; n++ {
		p.Gotypes.Append(bounded(n))
	}
	return nil
}

// importC declares a variable of C's to Go.
func importC(symbol string) string {
	return fmt.Sprintf(`//go:cgo_import_static %[1]s
//go:linkname _%[1]s %[1]s
var _%[1]s byte

`, symbol)
}

// bounded is a function that calls C within n bounds. A panic and Goexit that leave C by a
// callback give the places back too.
func bounded(n int) string {
	params, places := "", ""
	for i := range n {
		params += fmt.Sprintf("b%d, ", i)
		places += fmt.Sprintf("\tdefer _seam_Leave(b%[1]d, _seam_Enter(b%[1]d, who, _cgo_runtime_cgocall))\n", i)
	}
	return fmt.Sprintf(`
//go:noinline
func _seam_bounded%d(%s unsafe.Pointer, who string, fn, arg unsafe.Pointer) int32 {
%s	return _cgo_runtime_cgocall(fn, uintptr(arg))
}
`, n, strings.TrimSuffix(params, ", "), places)
}
