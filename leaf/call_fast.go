//go:build linux && !android && (amd64 || arm64) && gc && cgo && !asan && !msan && go1.25 && !go1.28

package leaf

//lint:file-ignore U1000 the assembly uses what seems unused

import (
	"runtime"
	"unsafe"

	"github.com/seamgo/seam/internal/abi"
	"github.com/seamgo/seam/leaf/internal/viacgo"
)

// The assembly reads these as const_gM and so on.
const (
	gM       = abi.GM
	mG0      = abi.MG0
	gSchedSP = abi.GSchedSP
	gSchedPC = abi.GSchedPC
)

// hot is what the assembly reads on every call. It is written once, at start. The padding
// keeps variables that others write out of its cache line.
var hot = hotState{slow: true}

type hotState struct {
	_     [128]byte
	slow  bool    // take callSlow
	gSlot uintptr // arm64: where a thread keeps g, relative to the thread pointer
	inC   uintptr // arm64: the address that stands for the C function in tracebacks
	_     [128]byte
}

// call runs fn(arg) on the system stack, or jumps to callSlow.
//
//go:noescape
func call(fn, arg unsafe.Pointer) int32

// direct is call without the jump to callSlow. The guard calls by it.
//
//go:noescape
func direct(fn, arg unsafe.Pointer) int32

// mustNotCallGo is what tracebacks show in place of the C function. It has the arguments of
// call so that tracebacks show them too.
//
//go:noescape
func mustNotCallGo(fn, arg unsafe.Pointer) uintptr

// entries returns where call and direct begin.
//
//go:noescape
func entries() (call, direct uintptr)

// tell tells profiles of them. On amd64 they have no frame, on arm64 call switches nothing:
// Go walks it.
func tell() {
	callAt, directAt := entries()
	pc, frame := mustNotCallGo(nil, nil), runtime.GOARCH == "arm64"
	standIns := [2]viacgo.StandIn{{PC: pc, Low: directAt, High: abi.End(directAt), Frame: frame}}
	if !frame {
		standIns[1] = viacgo.StandIn{PC: pc, Low: callAt, High: abi.End(callAt)}
	}
	viacgo.Tell(standIns)
}

// callSlow is where call jumps while hot.slow is set: if the self-check has failed, and in
// guard mode. The arguments don't escape: C is done with them before it returns.
func callSlow(fn, arg unsafe.Pointer) int32 {
	switch {
	case guard.on:
		return guardCall(fn, arg, state.Path == PathAssembly)
	case state.Path == PathAssembly:
		return direct(fn, arg)
	default:
		return viacgo.Call(fn, arg)
	}
}

func setFast() { hot.slow = false }

// argumentAt returns where the C function is from the stack pointer that the assembly saves.
func argumentAt() uintptr

func watch() {
	viacgo.Watch(viacgo.Runtime{
		Near: uintptr(unsafe.Pointer(&hot)), InC: mustNotCallGo(nil, nil), Argument: argumentAt(),
		GGuard: abi.GStackGuard, GSchedSP: gSchedSP, GM: gM, MG0: mG0, MCurg: abi.MCurg, MP: abi.MP, MAllLink: abi.MAllLink, MProcID: abi.MProcID, PCounts: abi.PCounts,
	})
}
