// Package report makes a report of what the Go runtime's stack tracer logged: which
// goroutine stacks were allocated, grew and shrank, and which functions made them.
//
// A [File] holds totals by place, not events: its size depends on the program's code, not
// on how long it ran.
package report

import "time"

// A File is the report on one run: of one program, or of all that a go test started.
// Sizes are in bytes, times in nanoseconds.
type File struct {
	Header

	Settings  Settings  `json:"settings"`
	Processes []Process `json:"processes"`
	Log       Log       `json:"log"`

	Sizes    []Size   `json:"sizes"`   // by size, smallest first
	Refills  []Refill `json:"refills"` // by size
	Growth   Totals   `json:"growth"`
	Shrink   Totals   `json:"shrink"`
	Shrinks  []Shrink `json:"shrinks"` // by From
	Sites    []Site   `json:"sites"`   // what took most time first; without times, most bytes copied
	Chains   []Chain  `json:"chains"`  // likewise
	Tree     []*Node  `json:"tree"`    // a root for each function that goroutines begin with; likewise
	Timeline Timeline `json:"timeline"`

	// Overflows are the goroutines whose stacks would have exceeded the limit, which is
	// what their programs died of; a hundred at most.
	Overflows []Overflow `json:"overflows"`
	// Preempts are the times that a goroutine came to the check for its stack because the
	// scheduler wanted it to pause. Nothing grew.
	Preempts int64 `json:"preempts"`
}

// A Header is what a log doesn't tell.
type Header struct {
	Seam    string    `json:"seam"`
	Go      string    `json:"go"`
	OS      string    `json:"os"`
	Arch    string    `json:"arch"`
	CPU     string    `json:"cpu,omitempty"`
	Module  string    `json:"module,omitempty"`
	Command []string  `json:"command"`
	Time    time.Time `json:"time"`
}

// Unknown is the name of functions that the log doesn't tell: in a plain log those that
// goroutines began with. A function without symbols is called by its address, 0x47a1c3.
const Unknown = "?"

// Others is the name of all functions for which there was no room of their own, where a
// run has had very many.
const Others = "(others)"

// An Overflow is a goroutine that died of its stack.
type Overflow struct {
	PID    int   `json:"pid"`
	Callee Place `json:"callee"` // the function that needed more, and where it is declared
	Frame  int64 `json:"frame"`  // of that function; 0 if not known
	Caller Place `json:"caller"` // the call
	Func   Place `json:"func"`   // what the goroutine began with
	Go     Place `json:"go"`     // the go statement
	Size   int64 `json:"size"`   // of the stack
	Used   int64 `json:"used"`   // what of it was in use
}

// Settings are what decides where stacks begin.
type Settings struct {
	// Adaptive is what GODEBUG=adaptivestackstart was set to for the run: "0" (stacks
	// begin with 2 KB), "1" (with what the collector found to be the average), or "" if
	// it is not known.
	Adaptive string `json:"adaptivestackstart"`
	// Starts are the sizes that new goroutines' stacks had, in the order in which the
	// runtime chose them.
	Starts []int64 `json:"starts"`
	Procs  []int   `json:"procs"` // GOMAXPROCS, likewise
	Guard  int64   `json:"guard"` // what the runtime keeps free at a stack's end; 0 if not known
}

// A Process is one process that wrote to the log.
type Process struct {
	PID     int    `json:"pid"`
	Program string `json:"program,omitempty"` // its file's name, as it was when it ran
	Go      string `json:"go,omitempty"`
	Start   int64  `json:"start"` // of its first event, from the first event of the run
	End     int64  `json:"end"`   // of its last event
	Events  int64  `json:"events"`
	Lost    int64  `json:"lost,omitempty"`    // events of threads beyond the 16384th
	Symbols string `json:"symbols,omitempty"` // why functions have no names, if so
	Ended   string `json:"ended,omitempty"`   // "exit code 2", "signal: killed"; "" if not known
	CPU     int64  `json:"cpu,omitempty"`     // CPU time it took, user and system; 0 if not known
	Tracing int64  `json:"tracing,omitempty"` // of that, what writing the log took
}

// Log tells what was read.
type Log struct {
	Name    string `json:"name,omitempty"` // its file's, of a log that was read
	Bytes   int64  `json:"bytes"`
	Events  int64  `json:"events"`
	Unknown int64  `json:"unknown,omitempty"` // lines that are no events
	// Stamped tells that lines have the process, thread and time that seam's tracer
	// writes. A log of the plain runtime has not: it has no times, and events of several
	// threads may be confused.
	Stamped bool `json:"stamped"`
}

// A Size counts the stacks of one size.
type Size struct {
	Bytes  int64 `json:"bytes"`
	Allocs int64 `json:"allocs"`
	Frees  int64 `json:"frees"`
	New    int64 `json:"new"`    // of Allocs, for new goroutines and threads
	Grown  int64 `json:"grown"`  // of Allocs, for growths
	Shrunk int64 `json:"shrunk"` // of Allocs, for shrinks
	Peak   int64 `json:"peak"`   // stacks of this size at once, in one process
}

// A Refill counts how often a P's cache of small stacks went to the pool that all share.
type Refill struct {
	Bytes    int64 `json:"bytes"` // of each stack in it
	Refills  int64 `json:"refills"`
	Releases int64 `json:"releases"` // back to the pool
}

// Totals are sums over copies of stacks.
type Totals struct {
	Count   int64 `json:"count"`
	Copied  int64 `json:"copied"`            // bytes in use, which were copied
	Time    int64 `json:"time"`              // 0 if not known
	Longest int64 `json:"longest,omitempty"` // the longest single one
}

// A Shrink is a halving by the garbage collector.
type Shrink struct {
	From int64 `json:"from"`
	To   int64 `json:"to"`
	Totals
}

// A Place is a line of source.
type Place struct {
	Func string `json:"func"`
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
	// In is the function whose code this is part of, where Func was inlined into it.
	In string `json:"in,omitempty"`
}

// A Variable has its place in a function's frame.
type Variable struct {
	Name  string `json:"name"`
	Type  string `json:"type"`
	Bytes int64  `json:"bytes"`
}

// A Site is a call for which stacks had to grow.
type Site struct {
	Callee Place `json:"callee"` // the function that needed more, and where it is declared
	Frame  int64 `json:"frame"`  // of that function; 0 if not known
	Caller Place `json:"caller"` // the call
	// Ring are the functions by which Callee calls Caller, both included, as it was on a
	// stack, or as the program's code has it; empty if neither does, or little of the stack
	// was in use.
	Ring []Place `json:"ring,omitempty"`
	// Below are functions that called each other over and over, the last one the first, until
	// one of them led to Caller; for a Callee that is in no ring itself.
	Below []Place `json:"below,omitempty"`
	// Calls are those that were going on when most was in use, innermost first, but for
	// Caller: 32 at most, and only of the most expensive sites.
	Calls []Place `json:"calls,omitempty"`
	// Variable is the largest in a large frame, where the program has debugging data.
	Variable *Variable `json:"variable,omitempty"`
	Totals
	Used    int64   `json:"used"`    // the largest use before a growth
	Largest int64   `json:"largest"` // the largest stack that it made
	Steps   []Step  `json:"steps"`   // by From; of very many sites, not all are told
	Entries []Entry `json:"entries"` // goroutines in which it happened, most often first, ten at most
}

// A Step is a growth from one size to another.
type Step struct {
	From int64 `json:"from"`
	To   int64 `json:"to"`
	Totals
}

// An Entry is the function that a goroutine began with, and the go statement that
// started it.
type Entry struct {
	Func  Place `json:"func"`
	Go    Place `json:"go"`
	Count int64 `json:"count"`
}

// A Chain is the growths of one goroutine, from its start: 2048, 4096, 8192.
type Chain struct {
	Entry      Entry   `json:"entry"` // Count is the number of goroutines
	Sizes      []int64 `json:"sizes"`
	Goroutines int64   `json:"goroutines"`
	Totals             // of all of them; Count is growths
}

// A Node is a step in the tree of doublings: of the goroutines that have come here, those
// whose next growth was at this site. Roots have an Entry, the others a Site's places.
type Node struct {
	Entry    *Entry  `json:"entry,omitempty"` // of a root; Count is goroutines that grew
	Callee   *Place  `json:"callee,omitempty"`
	Caller   *Place  `json:"caller,omitempty"`
	Frame    int64   `json:"frame,omitempty"`
	From     int64   `json:"from,omitempty"`
	To       int64   `json:"to,omitempty"`
	Totals           // of this step; of a root: of all below
	Children []*Node `json:"children,omitempty"`
	Others   int64   `json:"others,omitempty"` // growths below that were left out, the tree being full
}

// A Timeline tells how a run went, in steps of equal length.
type Timeline struct {
	Step  int64  `json:"step"` // nanoseconds; 0 if the log has no times
	Spans []Span `json:"spans"`
}

// A Span is one step.
type Span struct {
	New     int64 `json:"new"`     // stacks allocated for new goroutines
	Grown   int64 `json:"grown"`   // growths
	Shrunk  int64 `json:"shrunk"`  // shrinks
	Copied  int64 `json:"copied"`  // bytes, by both
	Time    int64 `json:"time"`    // nanoseconds spent in both
	Live    int64 `json:"live"`    // bytes of all stacks at its end
	Largest int64 `json:"largest"` // the largest stack that a growth made
}
