package calltrace

import (
	"github.com/seamgo/seam/cmd/seam/internal/weld/recording"
)

// Record is what one process recorded: the content of the file that it mapped.
type Record struct {
	recording.Process

	WallNS     int64
	ClockNS    float64 // a reading of the clock
	EmptyNS    float64 // what the tracer adds to a call in C
	LostCalls  uint64
	LostStacks uint64
	Samples    uint64  // calls that were timed from Go
	SamplesNS  uint64  // what timing them took
	NoSwitches bool    // the kernel doesn't count how often a thread waits
	NoWaits    bool    // it doesn't say where threads wait
	CPUNS      uint64  // processor time of the whole process; 0 if unknown
	CallbackNS float64 // C's call of a Go function that does nothing; 0 if unknown

	Functions []FunctionRecord
}

// FunctionRecord is one C function in a Record.
type FunctionRecord struct {
	Package, Name, Signature string
	Build                    string // cgo's hash over the package's files

	counters
	MaxThreads uint32
	Crossing   *[bins]uint64 // of samples; nil if there are none
	Callers    []CallerRecord
	Waits      []WaitRecord
}

// WaitRecord is a place where calls waited, or ran.
type WaitRecord struct {
	Wait
	Stack uint64 // bytes
}

// counters are those of a function, in one slot of threads or in all.
type counters struct {
	TotalNS, MaxNS, MaxBusyNS        uint64
	Callbacks, CallbackNS            uint64
	Judged, Blocked                  uint64
	Preempted, Abandoned, Unfinished uint64
	BlockedNS                        uint64
	Bins                             *[bins]uint64 // of calls that ended; nil if there are none

	// Between is by stretches of C where the function has called Go in some slot of threads:
	// calls of the others were one stretch each.
	Between *between
}

// between are counters of C that ran without calling Go.
type between struct {
	Callbacks, MaxNS, MaxBusyNS   uint64
	Blocked, Preempted, BlockedNS uint64
	Bins                          *[bins]uint64
}

// stretches are what a slot of threads has, with Between or without.
func (c *counters) stretches() between {
	if c.Between != nil {
		return *c.Between
	}
	return between{MaxNS: c.MaxNS, MaxBusyNS: c.MaxBusyNS, Blocked: c.Blocked, Preempted: c.Preempted, BlockedNS: c.BlockedNS, Bins: c.Bins}
}

func (b *between) add(x between) {
	b.Callbacks += x.Callbacks
	b.MaxNS, b.MaxBusyNS = max(b.MaxNS, x.MaxNS), max(b.MaxBusyNS, x.MaxBusyNS)
	b.Blocked += x.Blocked
	b.Preempted += x.Preempted
	b.BlockedNS += x.BlockedNS
	b.Bins = plus(b.Bins, x.Bins)
}

func (c *counters) add(x counters) {
	if c.Between != nil || x.Between != nil {
		var sum between
		sum.add(c.stretches())
		sum.add(x.stretches())
		c.Between = &sum
	}
	c.BlockedNS += x.BlockedNS
	c.TotalNS += x.TotalNS
	c.MaxNS = max(c.MaxNS, x.MaxNS)
	c.MaxBusyNS = max(c.MaxBusyNS, x.MaxBusyNS)
	c.Callbacks += x.Callbacks
	c.CallbackNS += x.CallbackNS
	c.Judged += x.Judged
	c.Blocked += x.Blocked
	c.Preempted += x.Preempted
	c.Abandoned += x.Abandoned
	c.Unfinished += x.Unfinished
	c.Bins = plus(c.Bins, x.Bins)
}

// CallerRecord is one Go stack that made calls, with the weights of its samples.
type CallerRecord struct {
	Calls, NS uint64
	Stack     []Frame
}

// binEnd is the largest value of a histogram's bin: there is one a nanosecond below
// 16, then eight for every doubling up to 2^36, a minute. The last has no upper end.
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

// ErrNotRecord says that a file is not one that a traced process writes, or that
// the process was only about to.
var ErrNotRecord = recording.NotOne("a traced process")

// ReadRecord reads a record. The process may still be writing it.
func ReadRecord(name string) (*Record, error) { return recording.Read(format, name, ParseRecord) }

// parser reads one file.
type parser struct {
	record  *Record
	byID    map[uint32]int         // in record.Functions
	start   uint64                 // of the process, on its clock
	between map[[2]uint32]*between // by function and slot
	last    uint64                 // end of the last call
	open    []openCalls
}

// openCalls are calls of one shard that have not returned.
type openCalls struct {
	function *FunctionRecord
	count    uint64
	starts   uint64 // sum
}

// ParseRecord reads the content of a record. What a process that was killed left
// half written is left out.
func ParseRecord(data []byte) (*Record, error) {
	process, chunks, err := format.Parse(data)
	if err != nil {
		return nil, err
	}
	h := recording.Decode[header](data)
	p := &parser{byID: map[uint32]int{}, between: map[[2]uint32]*between{}, start: h.Head.Start, last: h.Head.Start}
	p.record = &Record{
		Process: process,
		ClockNS: float64(h.ClockPS) / 1000, EmptyNS: float64(h.EmptyPS) / 1000,
		LostCalls: h.LostCalls, LostStacks: h.LostStacks, Samples: h.GoSamples, SamplesNS: h.GoSampleNS,
		NoSwitches: h.Flags&flagNoSwitches != 0, NoWaits: h.Flags&flagNoWaits != 0,
		CallbackNS: float64(h.CallbackPS) / 1000, CPUNS: h.CPU,
	}
	// Functions first: a thread that adds a part of theirs knows them, but a file
	// from elsewhere may have any order.
	recording.Chunks(chunks, p.functions)
	recording.Chunks(chunks, p.stretches)
	recording.Chunks(chunks, p.parts)
	p.finish()
	return p.record, nil
}

// functions reads the chunks that name functions.
func (p *parser) functions(kind uint32, chunk []byte) {
	if kind != chunkFunction {
		return
	}
	c, rest := recording.Split[function](chunk)
	text := recording.Texts(rest, c.Text)
	if len(text) < 4 {
		return
	}
	if _, twice := p.byID[c.ID]; twice {
		return
	}
	p.byID[c.ID] = len(p.record.Functions)
	p.record.Functions = append(p.record.Functions, FunctionRecord{
		Package: text[0], Name: text[1], Signature: text[2], Build: text[3], MaxThreads: c.Most,
	})
}

// stretches reads the chunks that belong to shards.
func (p *parser) stretches(kind uint32, chunk []byte) {
	if kind != chunkStretches {
		return
	}
	if c, _ := recording.Split[stretches](chunk); c.Chunk.Size > 0 {
		p.between[[2]uint32{c.ID, c.Slot}] = &between{
			Callbacks: c.Callbacks, MaxNS: c.Max, MaxBusyNS: c.MaxBusy,
			Blocked: c.Blocked, Preempted: c.Preempted, BlockedNS: c.BlockedNS, Bins: &c.Bins,
		}
	}
}

// parts reads all other chunks.
func (p *parser) parts(kind uint32, chunk []byte) {
	switch kind {
	case chunkShard:
		if c, _ := recording.Split[shard](chunk); c.Chunk.Size > 0 {
			p.shard(&c)
		}
	case chunkCrossing:
		c, _ := recording.Split[crossing](chunk)
		f := p.function(c.ID)
		if c.Chunk.Size > 0 && f != nil {
			f.Crossing = plus(f.Crossing, &c.Bins)
		}
	case chunkWait:
		c, rest := recording.Split[wait](chunk)
		text := recording.Texts(rest, c.Text)
		if f := p.function(c.ID); f != nil && len(text) >= 3 && c.Samples > 0 {
			f.Waits = append(f.Waits, p.wait(&c, text))
		}
	case chunkCaller:
		c, rest := recording.Split[caller](chunk)
		stack := recording.Stack(recording.Texts(rest, c.Text))
		if f := p.function(c.ID); f != nil && len(stack) > 0 {
			f.Callers = append(f.Callers, CallerRecord{Calls: c.Calls, NS: c.NS, Stack: stack})
		}
	}
}

// function is that with an ID; nil if the record has none.
func (p *parser) function(id uint32) *FunctionRecord {
	if i, known := p.byID[id]; known {
		return &p.record.Functions[i]
	}
	return nil
}

func (p *parser) shard(c *shard) {
	f := p.function(c.ID)
	if f == nil {
		return
	}
	f.add(counters{
		TotalNS: c.Total, MaxNS: c.Max, MaxBusyNS: c.MaxBusy, Callbacks: c.Callbacks, CallbackNS: c.CallbackNS, Judged: c.Judged, Blocked: c.Blocked,
		Preempted: c.Preempted, Abandoned: c.Abandoned, BlockedNS: c.BlockedNS, Bins: &c.Bins,
		Between: p.between[[2]uint32{c.ID, c.Slot}],
	})
	p.last = max(p.last, c.Last)
	if ended := total(&c.Bins); c.Entered > ended {
		p.open = append(p.open, openCalls{f, c.Entered - ended, c.Open})
	}
}

// finish works out what needs the whole file.
func (p *parser) finish() {
	p.record.WallNS = int64(p.last - p.start)
	for _, o := range p.open {
		f := o.function
		f.Unfinished += o.count
		// When they began, on average: exact for a single one, and only
		// something at all if the process didn't end between two stores.
		if began := o.starts / o.count; began >= p.start && began < p.last {
			f.MaxNS = max(f.MaxNS, p.last-began)
			f.MaxBusyNS = max(f.MaxBusyNS, p.last-began)
		}
	}
}
