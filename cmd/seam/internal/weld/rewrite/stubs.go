package rewrite

import (
	"fmt"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/weld/cgofile"
	"github.com/seamgo/seam/cmd/seam/internal/weld/toolexec"
)

// callSlots makes the stubs call their slots' entries.
//
// In the leaf's branch nothing keeps the parameters alive behind the call, and
// nothing needs to: the goroutine can't be stopped before C returns, so no
// garbage collection can end in between that has not seen them.
//
// C may return what it was given (strchr does). So the compiler is told, by code
// that is never run, that the result may be any of the parameters: they stay on
// the stack only if the result does. With noescape the user has promised more.
// A pointer in a union's bytes is none to the compiler: there they escape.
func callSlots(p *cgofile.Package) error {
	cgo := p.Gotypes.ImportCgo()
	p.Stubs(func(_ int, s *cgofile.Stub) { callSlot(p.Gotypes, s, cgo) })
	return nil
}

func callSlot(g *cgofile.Gotypes, s *cgofile.Stub, cgo string) {
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
%[6]s	}`, declare, assign, cgo, name, s.Arg, keep))
}

// appendSlowPath adds what the stubs of a package share.
//
// A demoted function is called as cgo calls a function with nocallback and
// noescape: its arguments lie on the goroutine's stack, which can't move while
// C runs unless C calls back, and that ends the program.
func appendSlowPath(p *cgofile.Package) error {
	cgo := p.Gotypes.ImportCgo()
	p.Gotypes.Append(`
//go:noinline
func _seam_slow(s *` + cgo + `.SeamSlot, arg unsafe.Pointer) int32 {
	if _seam_race {
		` + cgo + `.SeamRace(s, _cgo_runtime_cgocall)
	}
	entry := s.Entry
	if entry == nil {
		entry = ` + cgo + `.SeamPrepare(s, _cgo_runtime_cgocall)
	}
	if entry != nil {
		return ` + cgo + `.SeamCall(entry, arg)
	}
	returned := false
	defer func() {
		if !returned {
			` + cgo + `.SeamCalledBack(s)
		}
	}()
	_Cgo_no_callback(true)
	errno := _cgo_runtime_cgocall(s.Call, uintptr(arg))
	_Cgo_no_callback(false)
	returned = true
	return errno
}
` + toolexec.RaceOff)
	return nil
}
