package calltrace

import (
	"encoding/binary"

	"github.com/seamgo/seam/cmd/seam/internal/weld/recording"
)

// Raw is what one process recorded: the content of the file that it mapped. The
// layout is that of seam_trace_impl.h, where the record is written.
type Raw struct {
	recording.Process

	WallNS     int64
	ClockNS    float64 // a reading of the clock
	EmptyNS    float64 // what the tracer adds to a call in C
	LostCalls  uint64
	LostStacks uint64
	Samples    uint64 // calls that were timed from Go
	SamplesNS  uint64 // what timing them took
	NoSwitches bool   // the kernel doesn't count how often a thread waits

	Functions []RawFunction
}

// RawFunction is one C function in a Raw.
type RawFunction struct {
	Package, Name, Signature string
	Build                    string // cgo's hash over the package's files

	TotalNS, MaxNS, MaxBusyNS        uint64
	Callbacks, Judged, Blocked       uint64
	Preempted, Abandoned, Unfinished uint64
	MaxThreads                       uint32
	Bins                             *[bins]uint64 // of calls that ended; nil if there are none
	Crossing                         *[bins]uint64 // of samples; nil if there are none
	Callers                          []RawCaller
}

// RawCaller is one Go stack that made calls, with the weights of its samples.
type RawCaller struct {
	Calls, NS uint64
	Stack     []Frame
}

// bins is the number of a histogram's bins: one a nanosecond below 16, then
// eight for every doubling up to 2^36, a minute. The last has no upper end.
const bins = 272

// binEnd is the largest value of a bin.
func binEnd(i int) uint64 {
	if i < 16 {
		return uint64(i)
	}
	e, part := uint(i-16)/8, uint64(i-16)%8 // values begin at (8+part) << (e+1)
	return (8+part+1)<<(e+1) - 1
}

// binStart is the smallest value of a bin.
func binStart(i int) uint64 {
	if i == 0 {
		return 0
	}
	return binEnd(i-1) + 1
}

// format is that of seam_trace_process.h.
var format = recording.Format{Magic: rawMagic, Version: rawVersion, Verb: "trace", Err: ErrNotRaw}

const (
	rawMagic   = "SEAMRAW\x00"
	rawVersion = 1

	// Sizes of the fixed parts of chunks.
	functionSize = 128
	shardSize    = 128 + 8*bins
	callerSize   = recording.TextSize
	crossingSize = 16 + 4*bins
)

// Types of chunks.
const (
	chunkFunction = 1 + iota
	chunkShard
	chunkCaller
	_ // record.TextChunk
	chunkCrossing
)

// ErrNotRaw says that a file is not one that a traced process writes, or that
// the process was only about to.
var ErrNotRaw = recording.NotOne("a traced process")

// ReadRaw reads a raw file. The process may still be writing it.
func ReadRaw(name string) (*Raw, error) { return recording.Read(format, name, ParseRaw) }

// rawParser reads one file.
type rawParser struct {
	raw   *Raw
	byID  map[uint32]int // in raw.Functions
	start uint64         // of the process, on its clock
	last  uint64         // end of the last call
	open  []openCalls
}

// openCalls are calls of one shard that have not returned.
type openCalls struct {
	function int
	count    uint64
	starts   uint64 // sum
}

// ParseRaw reads the content of a raw file. What a process that was killed left
// half written is left out.
func ParseRaw(data []byte) (*Raw, error) {
	process, chunks, err := format.Parse(data)
	if err != nil {
		return nil, err
	}
	u64 := func(at int) uint64 { return binary.LittleEndian.Uint64(data[at:]) }
	p := &rawParser{byID: map[uint32]int{}, start: u64(40), last: u64(40)}
	p.raw = &Raw{
		Process: process,
		ClockNS: float64(u64(48)) / 1000, EmptyNS: float64(u64(56)) / 1000,
		LostCalls: u64(64), LostStacks: u64(72), Samples: u64(80), SamplesNS: u64(88),
		NoSwitches: u64(96)&1 != 0,
	}
	// Functions first: whoever adds a part of theirs knows them, but a file
	// from elsewhere may have any order.
	recording.Chunks(chunks, p.functions)
	recording.Chunks(chunks, p.parts)
	p.finish()
	return p.raw, nil
}

// functions reads the chunks that name functions.
func (p *rawParser) functions(kind uint32, chunk []byte) {
	if kind != chunkFunction || len(chunk) < functionSize {
		return
	}
	text := recording.Texts(chunk, functionSize, recording.TextLengthAt)
	if len(text) < 4 {
		return
	}
	id := binary.LittleEndian.Uint32(chunk[8:])
	if _, twice := p.byID[id]; twice {
		return
	}
	p.byID[id] = len(p.raw.Functions)
	p.raw.Functions = append(p.raw.Functions, RawFunction{
		Package: text[0], Name: text[1], Signature: text[2], Build: text[3],
		MaxThreads: binary.LittleEndian.Uint32(chunk[68:]),
	})
}

// parts reads all other chunks.
func (p *rawParser) parts(kind uint32, chunk []byte) {
	i, known := p.byID[binary.LittleEndian.Uint32(chunk[8:])]
	switch {
	case !known:
	case kind == chunkShard && len(chunk) >= shardSize:
		p.shard(i, chunk)
	case kind == chunkCrossing && len(chunk) >= crossingSize:
		f := &p.raw.Functions[i]
		if f.Crossing == nil {
			f.Crossing = new([bins]uint64)
		}
		for b := range f.Crossing {
			f.Crossing[b] += uint64(binary.LittleEndian.Uint32(chunk[16+4*b:]))
		}
	case kind == chunkCaller:
		stack := recording.Stack(recording.Texts(chunk, callerSize, recording.TextLengthAt))
		if len(stack) == 0 {
			return
		}
		c := RawCaller{Calls: binary.LittleEndian.Uint64(chunk[16:]), NS: binary.LittleEndian.Uint64(chunk[24:]), Stack: stack}
		f := &p.raw.Functions[i]
		f.Callers = append(f.Callers, c)
	}
}

// shard adds the counters of one slot.
func (p *rawParser) shard(i int, chunk []byte) {
	u64 := func(at int) uint64 { return binary.LittleEndian.Uint64(chunk[at:]) }
	f := &p.raw.Functions[i]
	if f.Bins == nil {
		f.Bins = new([bins]uint64)
	}
	ended := uint64(0)
	for b := range f.Bins {
		n := u64(128 + 8*b)
		f.Bins[b] += n
		ended += n
	}
	f.TotalNS += u64(40)
	f.MaxNS = max(f.MaxNS, u64(48))
	f.MaxBusyNS = max(f.MaxBusyNS, u64(56))
	f.Callbacks += u64(64)
	f.Judged += u64(72)
	f.Blocked += u64(80)
	f.Preempted += u64(88)
	f.Abandoned += u64(96)
	p.last = max(p.last, u64(32))
	if entered := u64(16); entered > ended {
		p.open = append(p.open, openCalls{i, entered - ended, u64(24)})
	}
}

// finish works out what needs the whole file.
func (p *rawParser) finish() {
	p.raw.WallNS = int64(p.last - p.start)
	for _, o := range p.open {
		f := &p.raw.Functions[o.function]
		f.Unfinished += o.count
		// When they began, on average: exact for a single one, and only
		// something at all if the process didn't end between two stores.
		if began := o.starts / o.count; began >= p.start && began < p.last {
			f.MaxNS = max(f.MaxNS, p.last-began)
			f.MaxBusyNS = max(f.MaxBusyNS, p.last-began)
		}
	}
}
