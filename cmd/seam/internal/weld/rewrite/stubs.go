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
func (l *Leaves) callSlots(p *cgofile.Package) error {
	l.directStubs(p, func(s *cgofile.Stub) {
		// The slot's entry changes while it is read, which is meant: the race detector is
		// not told of the reading.
		p.Gotypes.InsertDecl(s, importC(slot(s.Symbol))+"//go:norace\n")
		if l.mayCallGo(p, s) {
			l.callOpenSlot(p, s)
		} else {
			callSlot(p.Gotypes, s)
		}
	})
	return nil
}

// callOpenSlot keeps everything that makes callbacks right with cgo: the parameters
// escape and stay alive behind the call.
func (l *Leaves) callOpenSlot(p *cgofile.Package, s *cgofile.Stub) {
	call, slow, assign := "_seam_CallOpen", "_seam_slow_open", ""
	if l.isCoro(p, s) {
		call, slow = "_seam_CallCoro", "_seam_slow_coro"
	}
	if s.Errno {
		assign = "errno = "
	}
	entry := fmt.Sprintf("%s(seam, unsafe.Pointer(&%s))", call, s.Arg)
	if s.Errno && l.isCoro(p, s) {
		entry = "int32(" + entry + ")"
	}
	p.Gotypes.ReplaceCall(s, fmt.Sprintf(`%[1]sif seam := (*_seam_Slot)(unsafe.Pointer(&_%[3]s)).Entry; seam != nil && !_seam_race {
		%[2]s%[5]s
	} else {
		%[2]s%[6]s((*_seam_Slot)(unsafe.Pointer(&_%[3]s)), unsafe.Pointer(&%[4]s))
	}`, declareErrno(s), assign, slot(s.Symbol), s.Arg, entry, slow))
}

func declareErrno(s *cgofile.Stub) string {
	if s.Errno {
		return "var errno int32\n\t"
	}
	return ""
}

func callSlot(g *cgofile.Gotypes, s *cgofile.Stub) {
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
	assign := ""
	if s.Errno {
		assign = "errno = "
	}
	g.DropEscape(s)
	g.ReplaceCall(s, fmt.Sprintf(`%[1]sif seam := (*_seam_Slot)(unsafe.Pointer(&_%[3]s)).Entry; seam != nil && !_seam_race {
		%[2]s_seam_Call(seam, unsafe.Pointer(&%[4]s))
	} else {
		%[2]s_seam_slow((*_seam_Slot)(unsafe.Pointer(&_%[3]s)), unsafe.Pointer(&%[4]s))
%[5]s	}`, declareErrno(s), assign, slot(s.Symbol), s.Arg, keep))
}

// appendSlowPath adds what the stubs of a package share.
//
// A demoted function that must not call Go is called as cgo calls a function with
// nocallback and noescape: its arguments lie on the goroutine's stack, which can't
// move while C runs unless C calls back, and that ends the program. One that may is
// called as cgo calls all.
func (l *Leaves) appendSlowPath(p *cgofile.Package) error {
	open, closed, coro := false, false, false
	l.directStubs(p, func(s *cgofile.Stub) {
		switch {
		case l.isCoro(p, s):
			coro = true
		case l.mayCallGo(p, s):
			open = true
		default:
			closed = true
		}
	})
	if closed {
		p.Gotypes.Append(slowPath("_seam_slow", "_seam_Call", `	returned := false
	defer func() {
		if !returned {
			_seam_CalledBack(s)
		}
	}()
	_Cgo_no_callback(true)
	errno := _cgo_runtime_cgocall(s.Call, uintptr(arg))
	_Cgo_no_callback(false)
	returned = true
	return errno
`))
	}
	if open {
		p.Gotypes.Append(slowPath("_seam_slow_open", "_seam_CallOpen", `	return _cgo_runtime_cgocall(s.Call, uintptr(arg))
`))
	}
	if coro {
		p.Gotypes.Append(`
//go:noinline
//go:norace
func _seam_slow_coro(s *_seam_Slot, arg unsafe.Pointer) int32 {
	entry := s.Entry
	if entry == nil && !_seam_race && _seam_MayCallGo() {
		entry = _seam_Prepare(s, _cgo_runtime_cgocall)
	}
	if entry != nil {
		return int32(_seam_CallCoro(entry, arg))
	}
	return _cgo_runtime_cgocall(s.Call, uintptr(arg))
}
`)
	}
	if open || closed || coro {
		p.Gotypes.Append(toolexec.RaceOff)
	}
	return nil
}

// slowPath is a function that calls a slot's C function by call, or else as rest says.
func slowPath(name, call, rest string) string {
	return `
//go:noinline
//go:norace
func ` + name + `(s *_seam_Slot, arg unsafe.Pointer) int32 {
	if _seam_race {
		_seam_Race(s, _cgo_runtime_cgocall)
	}
	entry := s.Entry
	if entry == nil {
		entry = _seam_Prepare(s, _cgo_runtime_cgocall)
	}
	if entry != nil {
		return ` + call + `(entry, arg)
	}
` + rest + `}
`
}
