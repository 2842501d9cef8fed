package explain

import (
	"fmt"
	"slices"

	"github.com/seamgo/seam/cmd/seam/internal/quantity"
	"github.com/seamgo/seam/cmd/seam/internal/weld/cgofile"
)

// way is a table of the steps of a call.
func way(rows [][]string) Block {
	return Block{Table: &Table{
		Head: []string{"step", "what it does", "cost"}, Right: []bool{false, false, true},
		Code: []bool{true, false, false}, Wide: 1, Rows: rows, Last: true,
	}}
}

// cgoWay is the runtime's path of a call through cgo.
func (f *function) cgoWay() Section {
	s := Section{Title: "The path through the runtime"}
	p := f.prices
	var rows [][]string
	if f.wholeSeries() == labCgoPtr {
		rows = append(rows, []string{"caller", "Allocates what the pointer leads to, which would otherwise lie on the stack; in the lab, 24 bytes.", p.step(labCgoPtr, labCgo)})
	}
	if f.checked() {
		rows = append(rows, []string{cgofile.CheckPointer, "Looks through what the arguments lead to: memory of Go's must not have other pointers to Go in it. Welded calls leave it out, but with the race detector.", notMeasured})
	}
	s.add(way(append(rows, [][]string{
		{f.stubs[0].GoName, "Go's stub: puts the parameters side by side into memory.", p.step(labStruct, labSwitch)},
		{"runtime.cgocall", "Counts the call, records that the thread is in C, and remembers both for callbacks and tracebacks.", p.rest()},
		{"entersyscall", "Saves where Go is, for the garbage collector and tracebacks; marks the goroutine as being in a system call and lets go of the P, so that another thread can run Go while C runs.", p.step(labSyscall, labRaw)},
		{"asmcgocall", "Leaves the goroutine's small stack for the thread's own (g0), since C needs room, and calls the wrapper.", p.step(labSwitch, "")},
		{"wrapper", "Takes the arguments from memory, calls the function, and stores the result.", p.step(labWrapper, labStruct)},
		{quotedName(f.Name), "The C itself.", f.cTime()},
		{"exitsyscall", "Takes the P back: a compare-and-swap if nobody has taken it. Otherwise the goroutine waits for one, which takes microseconds or more.", "in entersyscall's"},
		{"cgo call", "All of it, with the lab's C instead of this function: a " + f.wholeName() + ".", p.whole(f.wholeSeries())},
	}...)))
	if f.trace != nil && f.trace.CrossingNS > 0 {
		s.add(prose(fmt.Sprintf("In your program the way there and back takes %s a call, without the C itself: a trimmed mean of what seam trace sampled (%s).",
			quantity.Time(f.trace.CrossingNS), quantity.Printable(f.TraceName))))
	}
	s.add(note(p.origin(f.LabName)))
	return s
}

// checked reports whether cgo has the arguments of a call checked.
func (f *function) checked() bool {
	callers, err := f.gen.Callers()
	return err == nil && slices.ContainsFunc(callers, func(c *cgofile.Callers) bool {
		return slices.ContainsFunc(f.stubs, c.Checks)
	})
}

// wholeSeries is the lab's row that resembles this call most.
func (f *function) wholeSeries() string {
	switch {
	case f.layout == nil || len(f.layout.Pointers()) == 0, f.NoEscape && !f.NoCallback:
		return labCgo
	case f.NoEscape:
		return labNoescape
	}
	return labCgoPtr
}

func (f *function) wholeName() string { return wholeNames[f.wholeSeries()] }

var wholeNames = map[string]string{
	labCgo:      "cgo call",
	labCgoPtr:   "cgo call with a pointer that escapes",
	labNoescape: "cgo call with noescape and nocallback",
}

// leafWay is the path of a welded call.
func (f *function) leafWay() Block {
	p := f.prices
	return way([][]string{
		{f.stubs[0].GoName, "Puts the parameters into memory, and loads the entry from the slot.", p.step(labStruct, labSwitch)},
		{"cgo.SeamCall", "Stores where Go is in the goroutine's saved context, sets the thread's g to g0, switches to g0's stack and calls the entry. The scheduler doesn't learn of it. Afterwards it restores g and the stack.", p.step(labSwitch, "")},
		{"entry", "Counts down to the next call that the guard times.", notMeasured},
		{"wrapper", "As before, without _cgo_topofstack.", p.step(labWrapper, labStruct)},
		{quotedName(f.Name), "The C itself.", f.cTime()},
		{"leaf call", "All of it: the lab's leaf call through a wrapper like cgo's, without the countdown.", p.whole(labWrapper)},
	})
}
