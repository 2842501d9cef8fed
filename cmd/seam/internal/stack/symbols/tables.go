package symbols

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
)

// tables are the parts of pclntab. Every read of them is checked: they come from
// a file that may be damaged or made by someone else.
type tables struct {
	names, files       string // so that a name is a part of it and takes no memory
	units, pcs, funcs  []byte
	gofunc             []byte
	text, quantum, end uint64
}

// A record is what we keep of runtime._func.
type record struct {
	pcsp, pcfile, pcline, pcinline uint32 // offsets in pcs, 0: none
	unit                           uint32 // index in units of the unit's first file
	inline                         uint32 // offset in gofunc, noInline: none
}

const (
	recordSize = 44 // without the arrays behind it
	noInline   = ^uint32(0)

	flagAsm = 1 << 2 // abi.FuncFlagAsm

	pcdataInline   = 2 // abi.PCDATA_InlTreeIndex
	funcdataInline = 3 // abi.FUNCDATA_InlTree
	inlinedSize    = 16
)

func u32(data []byte, off uint64) (uint32, bool) {
	if off > uint64(len(data)) || uint64(len(data))-off < 4 {
		return 0, false
	}
	return binary.LittleEndian.Uint32(data[off:]), true
}

// code is where the code of Go stands: from text to end, with instructions of a
// multiple of quantum bytes.
type code struct{ text, end, quantum uint64 }

// Those of FNV-1a.
const (
	hashStart = 14695981039346656037
	hashPrime = 1099511628211
)

// readTables reads all functions of a program, and the hash of where they begin.
func readTables(data, gofunc []byte, code code) (*tables, []Func, uint64, error) {
	h, err := readHeader(data)
	if err != nil {
		return nil, nil, 0, err
	}
	t := &tables{
		names: string(data[h.names:]), files: string(data[h.files:]),
		units: data[h.units:], pcs: data[h.pcs:], funcs: data[h.ftab:],
		gofunc: gofunc, text: code.text, end: code.end, quantum: code.quantum,
	}
	list := make([]Func, 0, h.funcs)
	hash := uint64(hashStart)
	for i := range h.funcs {
		entry, _ := u32(t.funcs, 8*i)
		at, _ := u32(t.funcs, 8*i+4)
		end, ok := u32(t.funcs, 8*i+8) // behind the last function stands the end of all
		if !ok {
			return nil, nil, 0, errors.New("its table of functions is cut off")
		}
		if end < entry {
			return nil, nil, 0, fmt.Errorf("its table of functions is damaged: function %d ends before it begins", i)
		}
		// This bounds the steps of all tables together by the size of the code.
		if uint64(end) > t.end-t.text {
			return nil, nil, 0, fmt.Errorf("its table of functions is damaged: function %d lies behind the end of the code", i)
		}
		hash = (hash ^ uint64(entry)<<32 ^ uint64(at)) * hashPrime
		f := Func{Entry: t.text + uint64(entry), End: t.text + uint64(end)}
		if err := t.read(&f, uint64(at)); err != nil {
			return nil, nil, 0, fmt.Errorf("its table of functions is damaged: function %d: %w", i, err)
		}
		list = append(list, f)
	}
	return t, list, hash, nil
}

// read fills in a function from its runtime._func at an offset.
func (t *tables) read(f *Func, at uint64) error {
	if at > uint64(len(t.funcs)) || uint64(len(t.funcs))-at < recordSize {
		return fmt.Errorf("what is said of it would stand at %#x, behind the end", at)
	}
	r := t.funcs[at:]
	word := func(i int) uint32 { return binary.LittleEndian.Uint32(r[4*i:]) }
	var ok bool
	if f.Name, ok = text(t.names, uint64(word(1))); !ok {
		return errors.New("it has no name")
	}
	f.rec = record{pcsp: word(4), pcfile: word(5), pcline: word(6), unit: word(8), inline: noInline}
	f.Line = max(0, int(int32(word(9))))
	f.Asm = r[41]&flagAsm != 0
	pcdata, funcdata := uint64(word(7)), uint64(r[43])
	if pcdata > uint64(len(r)-recordSize)/4 || pcdata+funcdata > uint64(len(r)-recordSize)/4 {
		return fmt.Errorf("it has %d tables, which lie behind the end", pcdata+funcdata)
	}
	if pcdata > pcdataInline {
		f.rec.pcinline, _ = u32(r, recordSize+4*pcdataInline)
	}
	if funcdata > funcdataInline {
		f.rec.inline, _ = u32(r, recordSize+4*(pcdata+funcdataInline))
	}
	f.Frame = t.largest(f)
	// The first instruction may be of a function that was inlined.
	pc := f.Entry
	for range maxInline {
		_, parent, ok := t.inlined(f, pc)
		if !ok {
			break
		}
		pc = parent
	}
	f.File, _ = t.place(f, pc)
	return nil
}

// maxName is the length of a name that is believed: all functions of a damaged
// file could have the same long one.
const maxName = 1 << 16

// text is the text up to a zero.
func text(data string, off uint64) (string, bool) {
	if off >= uint64(len(data)) {
		return "", false
	}
	data = data[off:min(off+maxName, uint64(len(data)))]
	n := strings.IndexByte(data, 0)
	if n < 0 {
		return "", false
	}
	return data[:n], true
}

// walk calls yield with each value of a table of values by address and the range
// that has it. It ends where yield returns false, and where the table is damaged.
func (t *tables) walk(f *Func, off uint32, yield func(value int32, from, to uint64) bool) {
	if off == 0 || uint64(off) >= uint64(len(t.pcs)) {
		return
	}
	p, pc, value := t.pcs[off:], f.Entry, int32(-1)
	for first := true; ; first = false {
		delta, n := varint(p)
		if n == 0 || delta == 0 && !first {
			return
		}
		p = p[n:]
		step, n := varint(p)
		if n == 0 || step == 0 && !first { // the linker writes no range without bytes
			return
		}
		p = p[n:]
		value += int32(-(delta & 1) ^ delta>>1)
		to := pc + uint64(step)*t.quantum
		if to > f.End || !yield(value, pc, to) {
			return
		}
		pc = to
	}
}

// varint reads a number; n is 0 where there is none.
func varint(p []byte) (v uint32, n int) {
	for n < len(p) && n < 5 {
		b := p[n]
		v |= uint32(b&0x7f) << (7 * n)
		n++
		if b&0x80 == 0 {
			return v, n
		}
	}
	return 0, 0
}

// value is a table's value at an address.
func (t *tables) value(f *Func, off uint32, pc uint64) (v int32, ok bool) {
	t.walk(f, off, func(value int32, from, to uint64) bool {
		if pc >= from && pc < to {
			v, ok = value, true
		}
		return !ok
	})
	return v, ok
}

// largest is runtime.funcMaxSPDelta.
func (t *tables) largest(f *Func) int64 {
	most := int64(0)
	t.walk(f, f.rec.pcsp, func(value int32, _, _ uint64) bool {
		most = max(most, int64(value))
		return true
	})
	return most
}

// place is the file and the line of an address, that of inlined code its own.
func (t *tables) place(f *Func, pc uint64) (file string, line int) {
	n, ok := t.value(f, f.rec.pcfile, pc)
	if !ok || n < 0 {
		return "", 0
	}
	off, ok := u32(t.units, 4*(uint64(f.rec.unit)+uint64(n)))
	if !ok {
		return "", 0
	}
	file, ok = text(t.files, uint64(off))
	if !ok {
		return "", 0
	}
	if v, ok := t.value(f, f.rec.pcline, pc); ok && v > 0 {
		line = int(v)
	}
	return file, line
}

// inlined reports whether the code at an address was inlined: the function that it
// is of, and an address that stands for the call in the next function out.
func (t *tables) inlined(f *Func, pc uint64) (name string, parent uint64, ok bool) {
	if f.rec.inline == noInline {
		return "", 0, false
	}
	index, ok := t.value(f, f.rec.pcinline, pc)
	if !ok || index < 0 {
		return "", 0, false
	}
	// The entry (runtime.inlinedCall): kind, name, the call's address, line.
	at := uint64(f.rec.inline) + inlinedSize*uint64(index)
	nameAt, ok1 := u32(t.gofunc, at+4)
	off, ok2 := u32(t.gofunc, at+8)
	if !ok1 || !ok2 || uint64(off) >= f.End-f.Entry {
		return "", 0, false
	}
	if name, ok = text(t.names, uint64(nameAt)); !ok {
		return "", 0, false
	}
	return name, f.Entry + uint64(off), true
}

// maxInline bounds a chain of inlined calls: a damaged one may be a ring.
const maxInline = 100

func (t *tables) position(f *Func, pc uint64) (fn, file string, line int) {
	file, line = t.place(f, pc)
	if name, _, ok := t.inlined(f, pc); ok {
		return name, file, line
	}
	return f.Name, file, line
}

func (t *tables) frames(f *Func, pc uint64) []Frame {
	var list []Frame
	for range maxInline {
		file, line := t.place(f, pc)
		name, parent, ok := t.inlined(f, pc)
		if !ok {
			return append(list, Frame{f.Name, file, line})
		}
		list = append(list, Frame{name, file, line})
		pc = parent
	}
	return list
}
