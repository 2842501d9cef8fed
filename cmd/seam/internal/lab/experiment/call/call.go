// Package call measures one call: in Go, through cgo in its forms, through leaf,
// and the parts that the price of a cgo call is made of.
package call

import (
	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/reference"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
)

// Experiment is `seam lab call`.
var Experiment = lab.Experiment{
	Name:    "call",
	Title:   "What does one call cost?",
	Sources: []*result.Source{reference.CgoCost},
	About: "A function that adds two integers, called in a loop: in Go (not inlined), in C through cgo with integers, " +
		"with a pointer whose target escapes, with the same pointer under #cgo noescape and nocallback, and in C through leaf. " +
		"The second group breaks the cost down: each row adds one step of a cgo call to the previous row. " +
		"entersyscall and exitsyscall are the difference between syscall.Syscall and syscall.RawSyscall on the cheapest system call.",
	Cases:   func(lab.Mode) []lab.Case { return cases() },
	Explain: explain,
}

// The names of the series. Other tools and older files refer to them.
const (
	viaGo       = "Call/via=go"
	viaCgo      = "Call/via=cgo"
	viaCgoPtr   = "Call/via=cgo-ptr"
	viaNoescape = "Call/via=cgo-noescape"
	viaLeaf     = "Call/via=leaf"

	partGo      = "Call/part=go"
	partNested  = "Call/part=go-nested"
	partAsm     = "Call/part=asm"
	partSwitch  = "Call/part=switch"
	partStruct  = "Call/part=struct"
	partWrapper = "Call/part=wrapper"
	partRaw     = "Call/part=rawsyscall"
	partSyscall = "Call/part=syscall"
)

const (
	viaGroup  = "calls"
	partGroup = "parts"
)

func cases() []lab.Case {
	return []lab.Case{
		{Name: viaGo, Label: "Go, not inlined", Group: viaGroup, Base: true, Setup: goAdd,
			Reference: reference.GoCall.Reference()},
		{Name: viaCgo, Label: "cgo, integers", Group: viaGroup, Setup: cgoAdd,
			Reference: reference.CgoCall.Reference()},
		{Name: viaCgoPtr, Label: "cgo, pointer that escapes", Group: viaGroup, Setup: cgoAddAt},
		{Name: viaNoescape, Label: "cgo, pointer, noescape + nocallback", Group: viaGroup, Setup: cgoAddAtNoescape},
		{Name: viaLeaf, Label: "leaf, pointer", Group: viaGroup, Setup: leafAdd},

		{Name: partGo, Label: "an empty Go function", Group: partGroup, Base: true, Setup: goEmpty},
		{Name: partNested, Label: "two of them, nested", Group: partGroup, Setup: goNested},
		{Name: partAsm, Label: "an empty assembly function", Group: partGroup, Setup: asmEmpty},
		{Name: partSwitch, Label: "+ stack switch and an empty C function", Group: partGroup, Setup: leafEmpty},
		{Name: partStruct, Label: "+ arguments in a struct", Group: partGroup, Setup: leafStruct},
		{Name: partWrapper, Label: "+ a wrapper like cgo's", Group: partGroup, Setup: leafWrapped},
		{Name: partRaw, Label: "system call, scheduler not informed", Group: partGroup, Setup: rawSyscall},
		{Name: partSyscall, Label: "system call, scheduler informed", Group: partGroup, Setup: toldSyscall},
	}
}

// sink keeps results alive.
var sink int64
