package rewrite

import (
	"fmt"
	"slices"

	"github.com/seamgo/seam/cmd/seam/internal/weld/cgofile"
	"github.com/seamgo/seam/cmd/seam/internal/weld/plan"
	"github.com/seamgo/seam/cmd/seam/internal/weld/toolexec"
)

// has reports whether the plan has a line with the word.
func (l *Leaves) has(word plan.Mode) bool {
	return slices.ContainsFunc(l.Plan.Entries, func(e plan.Entry) bool { return e.Mode == word })
}

// cannotPark says why a function can't be parked; "" if it can.
func cannotPark(f cgofile.Function) string {
	switch {
	case f.Name == cgofile.Malloc:
		return "malloc doesn't wait: write leaf"
	case f.NoEscape:
		return "#cgo noescape puts its arguments on the goroutine's stack, which may move while it is parked: write cgo"
	}
	return ""
}

// parkedStubs calls do for the stubs of functions that the plan parks.
func (l *Leaves) parkedStubs(p *cgofile.Package, do func(s *cgofile.Stub)) {
	p.Stubs(func(_ int, s *cgofile.Stub) {
		if e, _ := l.line(p.ImportPath, s.Name); e.Mode == plan.Park {
			do(s)
		}
	})
}

func parked(symbol string) string { return body(symbol) + "_park" }

// makeParked gives each function a second wrapper, for arguments in C's memory, and tells what
// to copy there and back. The first one is for calls through cgo.
func (l *Leaves) makeParked(p *cgofile.Package) error {
	l.parkedStubs(p, func(s *cgofile.Stub) {
		file, w := p.Wrapper(s)
		e, _ := l.line(p.ImportPath, s.Name)
		name := parked(w.Symbol)
		args, inner, run := name+"_args", name+"_body", name+"_run"
		in, outAt, out := "0", "0", "0"
		field := func(f string) string { return fmt.Sprintf("((struct %s *)0)->%s", args, f) }
		for _, f := range w.Fields {
			switch f.Name {
			case "":
			case "r":
				outAt = fmt.Sprintf("__builtin_offsetof(struct %s, r)", args)
				out = "sizeof " + field("r")
			default:
				in = fmt.Sprintf("__builtin_offsetof(struct %s, %s) + sizeof %s", args, f.Name, field(f.Name))
			}
		}
		result := "%s(v); return 0;"
		declared := "void"
		if w.Errno {
			result, declared = "return %s(v);", "int"
		}
		file.Insert(fmt.Sprintf("%sstatic %s %s(void *);\nstatic int %s(void *v) { "+result+" }\n%s %s(void *);\nSEAM_PARK(%s, %s, %s, %s, %s, %s, %s, %dull)\n%s",
			file.Arguments(w, args), declared, inner, run, inner, declared, w.Symbol,
			name, cgofile.QuoteC(e.Path()), w.Symbol, run, in, outAt, out, e.Stack, file.Copy(w, inner)))
	})
	return nil
}

// callParked makes the stubs call C by SeamPark. Arguments escape and stay alive as they did.
func (l *Leaves) callParked(p *cgofile.Package) error {
	some, direct := false, false
	l.directStubs(p, func(*cgofile.Stub) { direct = true })
	l.parkedStubs(p, func(s *cgofile.Stub) {
		some = true
		name := parked(s.Symbol)
		p.Gotypes.InsertDecl(s, importC(name))
		call := fmt.Sprintf("_seam_parked((*_seam_Parked)(unsafe.Pointer(&_%s)), unsafe.Pointer(&%s))", name, s.Arg)
		if s.Errno {
			call = "errno := " + call
		}
		p.Gotypes.ReplaceCall(s, call)
	})
	if !some {
		return nil
	}
	p.Gotypes.Append(`
//go:noinline
func _seam_parked(f *_seam_Parked, arg unsafe.Pointer) int32 {
	if _seam_race {
		return _cgo_runtime_cgocall(f.Call, uintptr(arg))
	}
	return _seam_Park(f, arg, _cgo_runtime_cgocall)
}
`)
	if !direct {
		p.Gotypes.Append(toolexec.RaceOff)
	}
	return nil
}
