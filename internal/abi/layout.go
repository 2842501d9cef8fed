//go:build linux && !android && (amd64 || arm64) && gc && !asan && !msan && go1.25 && !go1.28

package abi

// The layout of Go 1.25, 1.26 and 1.27, the same on amd64 and arm64, but for GStartPC, GCgoCtxt, MNcgo, MP and MAllLink. TestDWARF reads it from
// programs built with each of them. To admit a new version, run that test with it first and
// only then widen the build constraint above, which files of leaf and coro have too.
const (
	GStackLo = 0
	GStackHi = 8
	GM       = 48
	GSchedSP = 56
	GSchedPC = 64
	GSchedG  = 72
	GLockedM = 208
	MG0      = 0
	MCurg    = 184

	GSyscallSP = 104
	GSyscallPC = 112
	GSyscallBP = 120

	MProcID = 64

	GID         = 152
	GStackGuard = 16
	PID         = 0
	PCounts     = 16

	GSchedBP = 96
	GStatus  = 144
)

// Known reports whether this build has a layout.
const Known = true

// Current is the layout of the Go version that compiles the program.
var Current = Layout{
	GStackLo: GStackLo, GStackHi: GStackHi,
	GM: GM, GSchedSP: GSchedSP, GSchedPC: GSchedPC, GSchedG: GSchedG,
	GLockedM: GLockedM, GStartPC: GStartPC, MG0: MG0, MCurg: MCurg,
	GSyscallSP: GSyscallSP, GSyscallPC: GSyscallPC, GSyscallBP: GSyscallBP, GCgoCtxt: GCgoCtxt, MNcgo: MNcgo, MProcID: MProcID,
	GID: GID, GStackGuard: GStackGuard, MP: MP, MAllLink: MAllLink, PID: PID, PCounts: PCounts,
	GSchedBP: GSchedBP, GStatus: GStatus,
}
