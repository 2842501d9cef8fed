// Package leaks finds the blocks that a program gets from C through cgo and
// never frees.
//
// Passes rewrite cgo's output so that the program records its blocks, in a file that
// it maps into memory: nothing is lost when it is killed. recordlayout.go has the layout of
// such a record, one for each process. Merge makes one File of the records of a run.
package leaks

import (
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/weld/recording"
)

// File is what a run found.
type File struct {
	Seam    string    `json:"seam"`    // version of seam
	Go      string    `json:"go"`      // version of Go that built the program: "go1.26.8"
	OS      string    `json:"os"`      // GOOS
	Arch    string    `json:"arch"`    // GOARCH
	Module  string    `json:"module"`  // path of the main module, "" if there is none
	Command []string  `json:"command"` // what was run: ["go", "test", …]
	Time    time.Time `json:"time"`    // start of the run

	Made      uint64 `json:"made"` // blocks that Go got from C, freed or not
	MadeBytes uint64 `json:"made_bytes"`
	Blocks    uint64 `json:"blocks"` // those never freed
	Bytes     uint64 `json:"bytes"`

	Processes []Process `json:"processes"`
	LeftOut   []string  `json:"left_out,omitempty"` // recordings that could not be read: file and reason
	Leaks     []Leak    `json:"leaks"`              // most bytes first
	Omitted   int       `json:"omitted,omitempty"`  // places that OnlyGrowing left out
	Wrong     []Wrong   `json:"wrong"`              // frees that must not be

	Resident *Resident `json:"resident,omitempty"` // nil if it was not watched

	freed []Leak // stacks of which all was freed, for the profile
}

// Process is one run of one program.
type Process struct {
	Exe     string    `json:"exe"`
	PID     int       `json:"pid"`
	Start   time.Time `json:"start"`
	WallNS  int64     `json:"wall_ns"`           // from when its packages were initialised to the end, or to when it was there last
	Running bool      `json:"running,omitempty"` // it had not ended

	// Unsearched says that the process could not see what is freed, and recorded
	// nothing; it has said why on its standard error.
	Unsearched bool `json:"unsearched,omitempty"`

	// Incomplete says what is missing of this process, so that nothing follows from
	// what is not found.
	Incomplete []string `json:"incomplete,omitempty"`

	LostBlocks uint64 `json:"lost_blocks,omitempty"` // blocks that there was no room for: they are counted nowhere else
	LostStacks uint64 `json:"lost_stacks,omitempty"` // stacks that did not
	LostWrong  uint64 `json:"lost_wrong,omitempty"`  // wrong frees that did not
}

// Class says how the number of a place's live blocks came about: of all stacks with
// the same innermost line.
type Class string

// The classes.
const (
	Growing Class = "growing" // it grew until the end
	Steady  Class = "steady"  // several blocks, and it did not
	Unclear Class = "unclear" // the run was too short, or the blocks too few, to tell
	Once    Class = "once"    // a single block was ever allocated, in each process
	Init    Class = "init"    // allocated while a package was initialised
)

// Leak is what was allocated from one Go stack and never freed.
type Leak struct {
	What   string `json:"what"` // "C.CString"
	Class  Class  `json:"class"`
	Why    string `json:"why,omitempty"` // it is unclear
	Blocks uint64 `json:"blocks"`        // never freed
	Bytes  uint64 `json:"bytes"`         // as asked for, in these

	Made      uint64 `json:"made"` // blocks from this stack, freed or not
	MadeBytes uint64 `json:"made_bytes"`

	// History is how many blocks were live at the ends of sixteen equal parts
	// of the run.
	History []uint64 `json:"history"`

	Stack []recording.Frame `json:"stack"` // innermost first; cgo's own stubs left out
}

// Wrong is a free of a block that was freed before, or of a pointer into a block.
type Wrong struct {
	Kind   Kind   `json:"kind"`
	Count  uint64 `json:"count"`
	What   string `json:"what"`   // what allocated the block: "C.malloc"
	Size   uint64 `json:"size"`   // of the block
	Offset uint64 `json:"offset"` // of the pointer in it

	Made  []recording.Frame `json:"made"`            // the stack that made the block
	First *Place            `json:"first,omitempty"` // where it was freed the first time
	Again *Place            `json:"again,omitempty"` // where it was freed wrongly
}

// Place is where something was freed: a Go stack if Go called C.free, else a
// place in C.
type Place struct {
	Stack []recording.Frame `json:"stack,omitempty"`
	C     string            `json:"c,omitempty"` // "give_back in libx.so.1"
}
