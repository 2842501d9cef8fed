package trace

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"
)

// Raw is what one process recorded: the content of the file that it mapped. The
// layout is that of seam_trace_impl.h, where the record is written.
type Raw struct {
	PID   int
	Start time.Time
	Exe   string // "" if unknown

	Go, OS, Arch string // what it was built by and for; "" if unknown

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

const (
	rawMagic   = "SEAMRAW\x00"
	rawVersion = 1
	rawOrder   = 0x01020304
	rawHeader  = 4096
	rawLimit   = 256 << 20

	// Sizes of the fixed parts of chunks.
	functionSize = 128
	shardSize    = 128 + 8*bins
	callerSize   = 32
	crossingSize = 16 + 4*bins
)

// Types of chunks.
const (
	chunkFunction = 1 + iota
	chunkShard
	chunkCaller
	chunkText
	chunkCrossing
)

// ErrNotRaw says that a file is not one that a traced process writes, or that
// the process was only about to.
var ErrNotRaw = errors.New("not the record of a traced process")

// ReadRaw reads a raw file. The process may still be writing it.
func ReadRaw(name string) (*Raw, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	// Most of the file may be a hole behind what is used.
	head := make([]byte, rawHeader)
	if _, err := io.ReadFull(f, head); err != nil {
		return nil, fmt.Errorf("%s: %w", name, ErrNotRaw)
	}
	used, err := rawUsed(head)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	rest, err := io.ReadAll(io.LimitReader(f, used-rawHeader))
	if err != nil {
		return nil, err
	}
	r, err := ParseRaw(append(head, rest...))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return r, nil
}

// rawUsed checks the beginning of a raw file and returns how much of it is used.
func rawUsed(data []byte) (int64, error) {
	if len(data) < rawHeader || string(data[:8]) != rawMagic {
		return 0, ErrNotRaw
	}
	u32, u64 := binary.LittleEndian.Uint32, binary.LittleEndian.Uint64
	if order := u32(data[12:]); order != rawOrder {
		return 0, fmt.Errorf("%w that this version of seam can read: another byte order", ErrNotRaw)
	}
	if v := u32(data[8:]); v != rawVersion {
		return 0, fmt.Errorf("%w that this version of seam can read: version %d, want %d; build the program anew with seam trace", ErrNotRaw, v, rawVersion)
	}
	used := u64(data[16:])
	if used < rawHeader || used > rawLimit {
		return 0, fmt.Errorf("%w: it claims to be %d bytes long", ErrNotRaw, used)
	}
	return int64(used), nil
}

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
	used, err := rawUsed(data)
	if err != nil {
		return nil, err
	}
	data = data[:min(int(used), len(data))]
	u64 := func(at int) uint64 { return binary.LittleEndian.Uint64(data[at:]) }
	p := &rawParser{byID: map[uint32]int{}, start: u64(40), last: u64(40)}
	p.raw = &Raw{
		PID: int(int32(u64(24))), Start: time.Unix(0, int64(u64(32))).UTC(),
		ClockNS: float64(u64(48)) / 1000, EmptyNS: float64(u64(56)) / 1000,
		LostCalls: u64(64), LostStacks: u64(72), Samples: u64(80), SamplesNS: u64(88),
		NoSwitches: u64(96)&1 != 0,
	}
	// Functions first: whoever adds a part of theirs knows them, but a file
	// from elsewhere may have any order.
	for _, want := range []func(kind uint32, chunk []byte){p.functions, p.parts} {
		for at := rawHeader; at+8 <= len(data); {
			size := int(binary.LittleEndian.Uint32(data[at:]))
			if size < 64 || size%64 != 0 || size > len(data)-at {
				break // cut off
			}
			want(binary.LittleEndian.Uint32(data[at+4:]), data[at:at+size])
			at += size
		}
	}
	p.finish()
	return p.raw, nil
}

// functions reads the chunks that name functions.
func (p *rawParser) functions(kind uint32, chunk []byte) {
	if kind != chunkFunction || len(chunk) < functionSize {
		return
	}
	text := texts(chunk, functionSize, 12)
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

// texts reads the strings behind a chunk's fixed part; the length of all stands
// at lengthAt.
func texts(chunk []byte, fixed, lengthAt int) []string {
	length := int(binary.LittleEndian.Uint32(chunk[lengthAt:]))
	if length <= 0 || length > len(chunk)-fixed {
		return nil
	}
	text, ended := bytes.CutSuffix(chunk[fixed:fixed+length], []byte{0})
	if !ended {
		return nil
	}
	return strings.Split(strings.ToValidUTF8(string(text), "\uFFFD"), "\x00")
}

// parts reads all other chunks.
func (p *rawParser) parts(kind uint32, chunk []byte) {
	i, known := p.byID[binary.LittleEndian.Uint32(chunk[8:])]
	switch {
	case kind == chunkText:
		switch t := texts(chunk, callerSize, 12); {
		case len(t) == 2 && t[0] == "exe":
			p.raw.Exe = t[1]
		case len(t) == 4 && t[0] == "go":
			p.raw.Go, p.raw.OS, p.raw.Arch = t[1], t[2], t[3]
		}
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
		t := texts(chunk, callerSize, 12)
		if len(t) == 0 || len(t)%3 != 0 {
			return
		}
		c := RawCaller{Calls: binary.LittleEndian.Uint64(chunk[16:]), NS: binary.LittleEndian.Uint64(chunk[24:])}
		for ; len(t) > 0; t = t[3:] {
			line, err := strconv.Atoi(t[2])
			if err != nil {
				line = 0
			}
			c.Stack = append(c.Stack, Frame{Func: t[0], File: t[1], Line: line})
		}
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
