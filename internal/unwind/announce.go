//go:build linux && !android && cgo && (amd64 || arm64)

package unwind

// #cgo nocallback seam_announce
// #include "traceback.h"
import "C"

import (
	"errors"

	"github.com/seamgo/seam/internal/abi"
)

// Announce has the runtime ask for the frames of C that it doesn't know of, too: of leaves,
// coroutines and welded calls. The layout has been checked; thisG is [abi.ThisG]'s.
func Announce(l abi.Layout, thisG uintptr) error {
	layout := C.seam_layout{
		this_g: C.uintptr_t(thisG), g_stack_lo: C.uintptr_t(l.GStackLo), g_stack_hi: C.uintptr_t(l.GStackHi), g_m: C.uintptr_t(l.GM),
		g_sched_sp: C.uintptr_t(l.GSchedSP), g_sched_pc: C.uintptr_t(l.GSchedPC),
		g_syscall_sp: C.uintptr_t(l.GSyscallSP), g_syscall_pc: C.uintptr_t(l.GSyscallPC),
		g_cgo_ctxt: C.uintptr_t(l.GCgoCtxt),
		m_g0:       C.uintptr_t(l.MG0), m_curg: C.uintptr_t(l.MCurg), m_ncgo: C.uintptr_t(l.MNcgo),
	}
	if why := C.seam_announce(&layout); why != nil {
		return errors.New(C.GoString(why))
	}
	return nil
}
