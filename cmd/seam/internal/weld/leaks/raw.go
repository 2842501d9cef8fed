package leaks

import (
	"encoding/binary"
	"math"

	"github.com/seamgo/seam/cmd/seam/internal/weld/recording"
)

// Raw is what one process recorded: the content of the file that it mapped. The
// layout is that of seam_leaks_file.h, where the record is written.
type Raw struct {
	recording.Process

	WallNS int64 // to the last allocation or free that was tracked, or to the end that is known otherwise

	LostBlocks, LostStacks, LostWrong uint64 // what did not fit

	// Unsearched says that the process could not see what is freed, and recorded
	// nothing.
	Unsearched bool

	Stacks []RawStack
	Wrong  []RawWrong
}

// RawStack is one Go stack that allocated or freed.
type RawStack struct {
	Frames                             []recording.Frame // nil if not known
	Made, MadeBytes, Freed, FreedBytes uint64
	Live, LiveBytes                    uint64 // blocks that were never freed

	shift uint32
	bins  [bins]uint32
}

// RawWrong is a way in which memory was freed that must not be.
type RawWrong struct {
	Kind                Kind
	Count, Size, Offset uint64
	Made, First, Second []recording.Frame // stacks; nil if not known, or not Go's
	FirstC, SecondC     string            // places in C; "" if not known
}

// Kind is what is wrong with a free.
type Kind string

// The kinds.
const (
	Twice  Kind = "double free"
	Middle Kind = "free inside a block"
)

// bins is how many parts the history of a stack has.
const bins = 64

const (
	rawMagic   = "SEAMLEAK"
	rawVersion = 1
	firstShift = 10 // of bins

	// Sizes of the fixed parts of chunks, and of a block.
	blocksSize = 64
	blockSize  = 48
	stackSize  = 64 + 4*bins
	wrongSize  = 64

	stateLive = 1
)

// Types of chunks.
const (
	chunkBlocks = 1 + iota
	chunkStack
	chunkWrong
)

// ErrNotRaw says that a file is not one that such a process writes, or that the
// process was only about to.
var ErrNotRaw = recording.NotOne("a process that was searched for leaks")

var format = recording.Format{Magic: rawMagic, Version: rawVersion, Verb: "leaks", Err: ErrNotRaw}

// ReadRaw reads a raw file. The process may still be writing it.
func ReadRaw(name string) (*Raw, error) { return recording.Read(format, name, ParseRaw) }

// ParseRaw reads the content of a raw file. What a process that was killed left
// half written is left out.
func ParseRaw(data []byte) (*Raw, error) {
	process, chunks, err := format.Parse(data)
	if err != nil {
		return nil, err
	}
	u64 := func(at int) uint64 { return binary.LittleEndian.Uint64(data[at:]) }
	p := &rawParser{byID: map[uint32]int{}}
	p.raw = &Raw{Process: process, LostBlocks: u64(56), LostStacks: u64(64), LostWrong: u64(72), Unsearched: u64(80) != 0}
	if p.raw.Unsearched {
		return p.raw, nil // the rest was a trial
	}
	if start, end := u64(40), u64(48); end > start && end-start <= math.MaxInt64 {
		p.raw.WallNS = int64(end - start)
	}
	// Stacks first: all other chunks refer to them.
	recording.Chunks(chunks, p.stack)
	recording.Chunks(chunks, p.rest)
	return p.raw, nil
}

// rawParser reads one file.
type rawParser struct {
	raw  *Raw
	byID map[uint32]int // in raw.Stacks
}

func (p *rawParser) stack(kind uint32, chunk []byte) {
	if kind != chunkStack || len(chunk) < stackSize {
		return
	}
	u32 := func(at int) uint32 { return binary.LittleEndian.Uint32(chunk[at:]) }
	u64 := func(at int) uint64 { return binary.LittleEndian.Uint64(chunk[at:]) }
	if _, twice := p.byID[u32(8)]; twice {
		return
	}
	s := RawStack{
		Frames: recording.Stack(recording.Texts(chunk, stackSize, recording.TextLengthAt)),
		Made:   u64(16), MadeBytes: u64(24), Freed: u64(32), FreedBytes: u64(40),
		shift: u32(52),
	}
	for i := range s.bins {
		s.bins[i] = u32(64 + 4*i)
	}
	p.byID[u32(8)] = len(p.raw.Stacks)
	p.raw.Stacks = append(p.raw.Stacks, s)
}

// stackOf is the stack with a number. For one that the file lacks there is one
// without frames.
func (p *rawParser) stackOf(id uint32) *RawStack {
	i, known := p.byID[id]
	if !known {
		if i, known = p.byID[0]; !known {
			i = len(p.raw.Stacks)
			p.byID[0] = i
			p.raw.Stacks = append(p.raw.Stacks, RawStack{})
		}
	}
	return &p.raw.Stacks[i]
}

// frames are those of a stack with a number; nil for 0, which is none.
func (p *rawParser) frames(id uint32) []recording.Frame {
	if i, known := p.byID[id]; known && id != 0 {
		return p.raw.Stacks[i].Frames
	}
	return nil
}

func (p *rawParser) rest(kind uint32, chunk []byte) {
	u32 := func(at int) uint32 { return binary.LittleEndian.Uint32(chunk[at:]) }
	u64 := func(at int) uint64 { return binary.LittleEndian.Uint64(chunk[at:]) }
	switch kind {
	case chunkBlocks:
		for at := blocksSize; at+blockSize <= len(chunk); at += blockSize {
			if u32(at+40) == stateLive && u64(at) != 0 {
				s := p.stackOf(u32(at + 16))
				s.Live++
				s.LiveBytes = plus(s.LiveBytes, u64(at+8))
			}
		}
	case chunkWrong:
		kinds := []Kind{1: Twice, 2: Middle}
		texts := recording.Texts(chunk, wrongSize, recording.TextLengthAt)
		if k := u32(8); k == 0 || int64(k) >= int64(len(kinds)) || len(texts) != 2 {
			return
		}
		p.raw.Wrong = append(p.raw.Wrong, RawWrong{
			Kind: kinds[u32(8)], Count: u64(32), Size: u64(40), Offset: u64(48),
			Made: p.frames(u32(16)), First: p.frames(u32(20)), Second: p.frames(u32(24)),
			FirstC: texts[0], SecondC: texts[1],
		})
	}
}

// plus adds up, and stays at the largest number instead of going round.
func plus(a, b uint64) uint64 {
	if a > math.MaxUint64-b {
		return math.MaxUint64
	}
	return a + b
}

// at is how many blocks of the stack were live some time after the start.
func (s *RawStack) at(ns int64) uint64 {
	if s.shift < firstShift || s.shift > 62 {
		return s.Live
	}
	live := uint64(0)
	for i, n := range s.bins {
		if int64(i)<<s.shift > ns || int64(i)<<s.shift < 0 {
			break
		}
		if n > 0 {
			live = uint64(n - 1)
		}
	}
	return live
}
