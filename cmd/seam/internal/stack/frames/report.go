package frames

import (
	"io"

	"github.com/seamgo/seam/cmd/seam/internal/jsonfile"
)

// docs/stack.md describes the JSON form.
var jsonKind = jsonfile.Kind{Schema: "seam.stack-frames/1"}

// A Report is what the binaries of some packages say about their stacks.
type Report struct {
	Seam     string   `json:"seam"`
	Panics   bool     `json:"panics"`           // chains that can only end in a panic count
	Traced   bool     `json:"traced,omitempty"` // goroutines have what a traced run saw of them
	Binaries []Binary `json:"binaries"`
}

// A Binary is a program or a test binary.
type Binary struct {
	Package    string      `json:"package,omitempty"` // "" for one that was there before
	Path       string      `json:"path,omitempty"`    // of one that was there before
	Test       bool        `json:"test"`
	Go         string      `json:"go"`
	Arch       string      `json:"arch"`
	Functions  int         `json:"functions"`
	Start      int64       `json:"startBytes"` // size of a fresh stack
	Guard      int64       `json:"guardBytes"` // of it that prologues keep free
	Taken      int64       `json:"takenBytes"` // of it that are used before the goroutine's function begins
	Largest    []Frame     `json:"largestFrames"`
	Chains     []Chain     `json:"chains"`
	Goroutines []Goroutine `json:"goroutines"`
	Rings      []Ring      `json:"rings"`     // recursion; those of the standard library alone are left out
	MainRings  []int       `json:"mainRings"` // of Rings, those that main and the initialisation of packages can reach
}

// A Place is a line of the source.
type Place struct {
	File string `json:"file"`
	Line int    `json:"line"`
}

// A Frame is a function with the bytes that it takes.
type Frame struct {
	Function string `json:"function"`
	Place
	Bytes  int64   `json:"bytes"`
	Locals []Local `json:"locals,omitempty"` // the largest variables in it, where there is DWARF
}

// A Local is a variable that has its place in a frame.
type Local struct {
	Name  string `json:"name"`
	Type  string `json:"type"`
	Bytes int64  `json:"bytes"`
	Line  int    `json:"line,omitempty"`
}

// A Chain is a way of calls on one stack.
type Chain struct {
	Kind     string `json:"kind"`     // goroutine, main or test
	Function string `json:"function"` // where it begins
	Place
	Bytes     int64  `json:"bytes"`           // of all frames and return addresses
	Stack     int64  `json:"stack"`           // bytes of the stack that it makes of a fresh one
	Copies    int    `json:"copies"`          // how often the stack is copied on the way
	Worst     int64  `json:"worst"`           // stack, if the runtime does what it seldom does on a goroutine's stack
	AtLeast   bool   `json:"atLeast"`         // it can be longer, for one of these reasons
	Pointers  bool   `json:"pointers"`        // something on the way is called through a pointer or an interface
	Recursive bool   `json:"recursive"`       // functions call each other in a ring, which is counted once
	Rings     []int  `json:"rings,omitempty"` // of the binary's rings, those that can be reached, nearest first
	Steps     []Step `json:"steps"`
}

// A Ring is functions that call each other in a circle, or one that calls itself.
// Nothing in the code bounds how often.
type Ring struct {
	Functions []string `json:"functions"` // a way round: the one that takes most, of the shortest through each
	Place              // of the first
	Bytes     int64    `json:"bytes"`   // that a round takes
	Members   int      `json:"members"` // all functions that call each other here, in any way
}

// A Step is a call of a chain.
type Step struct {
	Function  string `json:"function"`
	Bytes     int64  `json:"bytes"`     // what it adds: frame and return address
	Sum       int64  `json:"sum"`       // of it and those before
	Recursive bool   `json:"recursive"` // it can come to call itself
	Tail      bool   `json:"tail"`      // jumped to: the frame before it is gone
}

// A Goroutine is a go statement.
type Goroutine struct {
	Function string `json:"function"` // that has the statement
	Place
	Entry    string `json:"entry"` // what the goroutine runs; "" if that is a value
	Loop     bool   `json:"loop"`
	Outgrows bool   `json:"outgrows"` // the chain makes a fresh stack too small
	Runtime  bool   `json:"runtime"`  // the statement is the runtime's own
	Chain    *Chain `json:"chain,omitempty"`
	Seen     *Seen  `json:"seen,omitempty"` // nil if none of them was seen to grow
}

// may reports whether the goroutine can outgrow its first stack, though what is known of
// its calls doesn't.
func (g *Goroutine) may() bool { return !g.Outgrows && g.Chain != nil && g.Chain.AtLeast }

// WriteJSON writes the report as JSON; docs/stack.md describes it.
func (r *Report) WriteJSON(w io.Writer) error { return jsonKind.Encode(w, r) }
