package calltrace

import "github.com/seamgo/seam/cmd/seam/internal/weld/recording"

// The tool is built of this package, so what no longer compiles goes first.
//go:generate rm -f layout_seam.go
//go:generate go run ../../.. layout --write --header ../runtime/trace/c/seam_trace.h --header ../runtime/trace/c/seam_trace_impl.h "--cflags=-I ../runtime/record/c -I ../../../../../internal/csys"

// The records of traced programs, as seam_trace_process.h has them: see package
// recording. Chunks belong to the function with their ID.

var format = recording.Format{Magic: magic, Version: version, Verb: "trace", Err: ErrNotRecord}

const (
	magic   = "SEAMRAW\x00"
	version = 2

	// bins is the number of a histogram's bins, see binEnd.
	bins = 272

	flagNoSwitches = 1 // the kernel doesn't count how often a thread waits
	flagNoWaits    = 2 // it doesn't say where threads wait
)

// Types of chunks.
const (
	chunkFunction = 1 + iota
	chunkShard
	chunkCaller
	_ // recording.TextChunk
	chunkCrossing
	chunkStretches
	chunkWait
)

//seam:layout struct seam_trace_header
type header struct {
	Head                  recording.Header
	ClockPS, EmptyPS      uint64 // a reading of the clock; what tracing adds to a call
	LostCalls, LostStacks uint64
	GoSamples, GoSampleNS uint64 // calls that were timed from Go; what that took
	Flags                 uint64
	CallbackPS            uint64 // C's call of a Go function that does nothing
	CPU                   uint64 // processor time of the process, ns
}

// A function names a C function: package, name, signature and build follow.
//
//seam:layout struct seam_trace_record
type function struct {
	Chunk        recording.Chunk
	ID, Text     uint32
	Crossing     [8]byte // a pointer of the process
	_            [5]uint64
	Inside, Most uint32 // threads, now and at most
	_            [7]uint64
}

// A shard has the counters of one function in one slot of threads.
//
//seam:layout struct seam_trace_shard
type shard struct {
	Chunk           recording.Chunk
	ID, Slot        uint32
	Entered, Open   uint64 // calls that began; the sum of the starts of those not ended
	Last, Total     uint64 // end of the last call; ns
	Max, MaxBusy    uint64 // ns
	Callbacks       uint64
	Judged, Blocked uint64
	Preempted       uint64
	Abandoned       uint64
	CallbackNS      uint64
	BlockedNS       uint64
	Stretches       [8]byte // a pointer of the process
	Bins            [bins]uint64
}

// Stretches has a shard's counters by stretches of C, where the function has called Go.
//
//seam:layout struct seam_trace_stretches
type stretches struct {
	Chunk              recording.Chunk
	ID, Slot           uint32
	Callbacks          uint64 // calls of Go
	Max, MaxBusy       uint64 // ns
	Blocked, Preempted uint64
	BlockedNS          uint64
	Bins               [bins]uint64
}

// A wait is a place where calls were seen to wait: the C function, the system call and what its descriptor
// is follow, and triples of function, object and offset.
//
//seam:layout struct seam_trace_wait
type wait struct {
	Chunk       recording.Chunk
	ID, Text    uint32
	Samples, NS uint64
	Stack       uint64 // bytes
	Searched    uint32 // looks in which locks were searched for
	Held        uint32 // of these, in which the thread had one
	Local       uint32 // a bit for each triple whose library has thread-local data
	_           uint32
}

// A caller is a Go stack that makes calls: triples of function, file and line follow.
//
//seam:layout struct seam_trace_caller
type caller struct {
	Chunk     recording.Chunk
	ID, Text  uint32
	Calls, NS uint64
}

// A crossing is a histogram of what calls took beyond C.
//
//seam:layout struct seam_trace_crossing
type crossing struct {
	Chunk recording.Chunk
	ID, _ uint32
	Bins  [bins]uint32
}
