package leaks

import (
	"encoding/binary"
	"math"
	"time"
	"unsafe"

	"github.com/seamgo/seam/cmd/seam/internal/weld/recording"
)

// Record is what one process recorded: the content of the file that it mapped.
type Record struct {
	recording.Process

	WallNS int64 // to when it was there last, at most a tenth of a second before its end, or to the end that is known otherwise

	RSSFirst, RSSLast uint64 // resident memory when its packages were initialised, and when it was there last; 0 if it isn't told

	LostBlocks, LostStacks, LostWrong uint64 // what did not fit

	// Unsearched says that the process could not see what is freed, and recorded
	// nothing.
	Unsearched bool

	Stacks []StackRecord
	Wrong  []WrongRecord
}

// StackRecord is one Go stack that allocated or freed.
type StackRecord struct {
	Frames                             []recording.Frame // nil if not known
	Made, MadeBytes, Freed, FreedBytes uint64
	Live, LiveBytes                    uint64 // blocks that were never freed
	Largest                            uint64 // of its blocks, as far as they are still listed; bytes

	shift uint32
	bins  [bins]uint32
}

// WrongRecord is a way in which memory was freed that must not be.
type WrongRecord struct {
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

// ErrNotRecord says that a file is not one that such a process writes, or that the
// process was only about to.
var ErrNotRecord = recording.NotOne("a process that was searched for leaks")

// ReadRecord reads a record. The process may still be writing it.
func ReadRecord(name string) (*Record, error) { return recording.Read(format, name, ParseRecord) }

// ParseRecord reads the content of a record. What a process that was killed left
// half written is left out.
func ParseRecord(data []byte) (*Record, error) {
	process, chunks, err := format.Parse(data)
	if err != nil {
		return nil, err
	}
	h := recording.Decode[header](data)
	p := &parser{byID: map[uint32]int{}}
	p.record = &Record{Process: process, LostBlocks: h.LostBlocks, LostStacks: h.LostStacks, LostWrong: h.LostWrong, Unsearched: h.Unsearched != 0}
	if p.record.Unsearched {
		return p.record, nil // the rest was a trial
	}
	p.record.RSSFirst, p.record.RSSLast = h.RSSFirst, h.RSSLast
	if start, end := h.Head.Start, max(h.End, h.Seen); end > start && end-start <= math.MaxInt64 {
		p.record.WallNS = int64(end - start)
	}
	// Stacks first: all other chunks refer to them.
	recording.Chunks(chunks, p.stack)
	recording.Chunks(chunks, p.rest)
	return p.record, nil
}

// parser reads one file.
type parser struct {
	record *Record
	byID   map[uint32]int // in record.Stacks
}

func (p *parser) stack(kind uint32, chunk []byte) {
	if kind != chunkStack {
		return
	}
	c, rest := recording.Split[stack](chunk)
	if _, twice := p.byID[c.ID]; twice || c.Chunk.Size == 0 {
		return
	}
	p.byID[c.ID] = len(p.record.Stacks)
	p.record.Stacks = append(p.record.Stacks, StackRecord{
		Frames: recording.Stack(recording.Texts(rest, c.Length)),
		Made:   c.Made, MadeBytes: c.MadeBytes, Freed: c.Freed, FreedBytes: c.FreedBytes,
		shift: c.Shift, bins: c.Bins,
	})
}

// stackOf is the stack with a number. For one that the file lacks there is one
// without frames.
func (p *parser) stackOf(id uint32) *StackRecord {
	i, known := p.byID[id]
	if !known {
		if i, known = p.byID[0]; !known {
			i = len(p.record.Stacks)
			p.byID[0] = i
			p.record.Stacks = append(p.record.Stacks, StackRecord{})
		}
	}
	return &p.record.Stacks[i]
}

// frames are those of a stack with a number; nil for 0, which is none.
func (p *parser) frames(id uint32) []recording.Frame {
	if i, known := p.byID[id]; known && id != 0 {
		return p.record.Stacks[i].Frames
	}
	return nil
}

func (p *parser) rest(kind uint32, chunk []byte) {
	switch kind {
	case chunkBlocks:
		const size = int(unsafe.Sizeof(block{}))
		list := chunk[unsafe.Offsetof(blocks{}.List):]
		for ; len(list) >= size; list = list[size:] {
			// There may be millions, most of them long free: those are not decoded.
			if i, known := p.byID[binary.LittleEndian.Uint32(list[unsafe.Offsetof(block{}.Stack):])]; known {
				s := &p.record.Stacks[i]
				s.Largest = max(s.Largest, binary.LittleEndian.Uint64(list[unsafe.Offsetof(block{}.Size):]))
			}
			if binary.LittleEndian.Uint32(list[unsafe.Offsetof(block{}.State):]) != stateLive {
				continue
			}
			if b := recording.Decode[block](list); b.Address != 0 {
				s := p.stackOf(b.Stack)
				s.Live++
				s.LiveBytes = plus(s.LiveBytes, b.Size)
			}
		}
	case chunkWrong:
		c, rest := recording.Split[wrong](chunk)
		kinds := []Kind{1: Twice, 2: Middle}
		texts := recording.Texts(rest, c.Length)
		if c.Kind == 0 || int64(c.Kind) >= int64(len(kinds)) || len(texts) != 2 {
			return
		}
		p.record.Wrong = append(p.record.Wrong, WrongRecord{
			Kind: kinds[c.Kind], Count: c.Count, Size: c.Size, Offset: c.Offset,
			Made: p.frames(c.Stack), First: p.frames(c.First), Second: p.frames(c.Second),
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

// FreedSince is about how many bytes, in how many blocks, were live at a time and were freed since. The sizes
// are the average; the last one is the largest, for one block that grows by realloc is most of what there is.
func (r *Record) FreedSince(t time.Time) (bytes, blocks uint64) {
	ns := max(0, int64(t.Sub(r.Start)))
	for i := range r.Stacks {
		s := &r.Stacks[i]
		n := max(s.at(ns), s.at(ns-int64(1)<<min(s.shift, 62))) // what ended within a bin isn't in it
		if n <= s.Live || s.Made == 0 {
			continue
		}
		n -= s.Live
		blocks = plus(blocks, n)
		bytes = plus(bytes, plus((n-1)*(s.MadeBytes/s.Made), max(s.Largest, s.MadeBytes/s.Made)))
	}
	return bytes, blocks
}

// at is how many blocks of the stack were live some time after the start.
func (s *StackRecord) at(ns int64) uint64 {
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
