// Package calltrace finds out what every C call of a program costs and who makes it.
//
// Passes rewrite cgo's output so that the program records its calls, in a file that
// it maps into memory: nothing is lost when it is killed. recordlayout.go has the layout of
// such a record, one for each process. Merge makes one File of the records of a run:
// that is what is kept, read by people, and what a plan is made from.
package calltrace

import (
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/weld/recording"
)

// File is what a traced run found: the content of seam.trace.
type File struct {
	Seam    string    `json:"seam"`    // version of seam
	Go      string    `json:"go"`      // version of Go that built the program: "go1.26.8"
	OS      string    `json:"os"`      // GOOS
	Arch    string    `json:"arch"`    // GOARCH
	CPU     string    `json:"cpu"`     // model of the processor
	Module  string    `json:"module"`  // path of the main module, "" if there is none
	Build   string    `json:"build"`   // what the traced packages were built from: a hash over their functions and flags
	Command []string  `json:"command"` // what was run: ["go", "test", …]
	Time    time.Time `json:"time"`    // start of the run

	// OverheadNS is what tracing adds to one call, in nanoseconds, measured in
	// the traced processes at their start; the figures below don't contain it
	// as far as it can be told apart.
	OverheadNS float64 `json:"overhead_ns"`

	// NoSwitches says that the kernel did not count how often threads waited (a
	// sandbox): every call that lost the processor counts as blocked.
	NoSwitches bool `json:"no_switches,omitempty"`

	// NoWaits says that the kernel does not tell where threads wait: then Waits are missing.
	NoWaits bool `json:"no_waits,omitempty"`

	// CallbackCrossingNS is what C's call of an exported Go function takes beyond that
	// function, measured in the traced processes; 0 if it is not known.
	CallbackCrossingNS float64 `json:"callback_crossing_ns,omitempty"`

	// Failed says how the traced command ended, if it failed: then the trace is a part of
	// what was to be traced.
	Failed string `json:"failed,omitempty"`

	Heap      *Heap      `json:"heap,omitempty"`    // of the process that grew most; nil if nobody looked
	Machine   *Machine   `json:"machine,omitempty"` // what it did to all code meanwhile; nil if that is not known
	Processes []Process  `json:"processes"`
	LeftOut   []string   `json:"left_out,omitempty"` // recordings that could not be read: file and reason
	Functions []Function `json:"functions"`          // every C function of every traced package, called or not
}

// Heap is what C's malloc had in memory, as looks from outside saw it. All but the numbers of the process
// and of the looks is bytes that were resident.
type Heap struct {
	PID      int    `json:"pid"`
	Looks    int    `json:"looks"`
	MostUsed uint64 `json:"most_used"` // handed out to C, and to Go through it
	MostFree uint64 `json:"most_free"` // freed, and kept by malloc
	LastUsed uint64 `json:"last_used"` // at the last look
	LastFree uint64 `json:"last_free"`
}

// Calls are those of all functions.
func (f *File) Calls() (n uint64) {
	for _, x := range f.Functions {
		n += x.Calls
	}
	return n
}

// Process is one run of one traced program.
type Process struct {
	Exe     string    `json:"exe"`
	PID     int       `json:"pid"`
	Start   time.Time `json:"start"`
	WallNS  int64     `json:"wall_ns"`           // from its first traced call to the end of its last
	CPUNS   uint64    `json:"cpu_ns,omitempty"`  // processor time of all it did, tracing with it; 0 if unknown
	Running bool      `json:"running,omitempty"` // it had not ended when the trace was made

	// Incomplete says what is missing of this process, so that calls may have been
	// made, or have waited, that the trace doesn't show.
	Incomplete []string `json:"incomplete,omitempty"`

	LostCalls  uint64 `json:"lost_calls,omitempty"`  // calls that did not fit into the record: they are counted nowhere else
	LostStacks uint64 `json:"lost_stacks,omitempty"` // stacks that did not
}

// Function is one C function as Go calls it, both forms of the call (with and
// without errno) together. All times are of C alone unless said.
type Function struct {
	Package   string `json:"package"`   // import path
	Name      string `json:"name"`      // name in C; "_CMalloc" is what C.CString, C.CBytes and C.malloc call
	Signature string `json:"signature"` // see cgofile.Function.Signature

	Calls     uint64 `json:"calls"`
	TotalNS   uint64 `json:"total_ns"`
	P50NS     uint64 `json:"p50_ns"` // upper end of the histogram's bin
	P99NS     uint64 `json:"p99_ns"`
	P999NS    uint64 `json:"p999_ns"`
	MaxNS     uint64 `json:"max_ns"`      // by the clock on the wall
	MaxBusyNS uint64 `json:"max_busy_ns"` // the same, but a call during which the kernel took the processor away counts with no more than the time it ran; see docs/trace-json.md

	CrossingNS float64 `json:"crossing_ns"` // what one call costs beyond C itself, sampled

	Callbacks  uint64 `json:"callbacks"`             // calls that called back into Go
	CallbackNS uint64 `json:"callback_ns,omitempty"` // of TotalNS, what passed between C's call of Go and Go's return
	Examined   uint64 `json:"examined"`              // calls of which it is known whether they waited: those that returned
	Blocked    uint64 `json:"blocked"`               // of these, calls that waited
	Preempted  uint64 `json:"preempted"`             // calls over 50 µs on the wall that had not run that long
	MaxThreads int    `json:"max_threads"`           // threads inside at once
	Abandoned  uint64 `json:"abandoned,omitempty"`   // calls that a panic in a callback ended; their time is that up to the callback
	Unfinished uint64 `json:"unfinished,omitempty"`  // calls that had not returned when the process ended; in Calls, not in the histogram

	BlockedNS  uint64   `json:"blocked_ns,omitempty"`        // of TotalNS, what calls that waited did not run
	Between    *Between `json:"between_callbacks,omitempty"` // C alone, of a function that called Go
	Looks      uint64   `json:"looks,omitempty"`             // how often a call that lasted was looked at from outside
	Running    uint64   `json:"running,omitempty"`           // of these, how often it ran
	Waits      []Wait   `json:"waits,omitempty"`             // and where it waited, longest first
	StackBytes uint64   `json:"stack_bytes,omitempty"`       // the most of C's stack that was seen to be used by a thread which waited in it

	Histogram []Bin    `json:"histogram"` // not empty bins, ascending
	Callers   []Caller `json:"callers"`   // the Go stacks that make the calls, most expensive first
}

// Between tells of a function that called Go how long C ran without: each stretch from
// the call or the end of a callback to the next callback or the return. A call without
// callbacks is one stretch.
type Between struct {
	Callbacks uint64 `json:"callbacks"` // calls of Go
	Stretches uint64 `json:"stretches"`
	P50NS     uint64 `json:"p50_ns"`
	P99NS     uint64 `json:"p99_ns"`
	P999NS    uint64 `json:"p999_ns"`
	MaxNS     uint64 `json:"max_ns"`
	MaxBusyNS uint64 `json:"max_busy_ns"`
	Blocked   uint64 `json:"blocked"`    // stretches that waited
	BlockedNS uint64 `json:"blocked_ns"` // and how long
	Preempted uint64 `json:"preempted"`
	Histogram []Bin  `json:"histogram"`
}

// Wait is a place where calls of a function were seen to wait.
type Wait struct {
	In    string   `json:"in"`              // the function of the C library that was called: "recv"; "" if it is not known
	Call  string   `json:"call"`            // the system call: "recvfrom", "futex"; "page fault" if it is none
	On    string   `json:"on,omitempty"`    // what a read or write was of: "socket", "pipe", "file", "device", "anon_inode"
	Looks uint64   `json:"looks"`           // how often it was seen
	NS    uint64   `json:"ns"`              // how long, estimated from that
	Stack []string `json:"stack,omitempty"` // C functions that had called it, innermost first, as far as words on the stack tell

	Searched uint64   `json:"searched,omitempty"`     // looks in which locks were searched for
	Held     uint64   `json:"held,omitempty"`         // of these, in which the thread had a lock
	Local    []string `json:"thread_local,omitempty"` // libraries in Stack that have thread-local data
}

// Bin counts the calls that took at most UpToNS nanoseconds and more than the
// bin before.
type Bin struct {
	UpToNS uint64 `json:"up_to_ns"`
	Calls  uint64 `json:"calls"`
}

// Caller is one Go stack that a call was made from. Calls and NS are estimated
// from a sample of the calls and scaled so that their sums are those of the
// function (NS including the crossing).
type Caller struct {
	Calls uint64  `json:"calls"`
	NS    uint64  `json:"ns"`
	Stack []Frame `json:"stack"` // innermost first; cgo's own stub left out
}

// Frame is a place in Go source.
type Frame = recording.Frame
