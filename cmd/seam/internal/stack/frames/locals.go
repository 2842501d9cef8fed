package frames

import (
	"cmp"
	"debug/dwarf"
	"debug/elf"
	"os"
	"slices"

	"github.com/seamgo/seam/cmd/seam/internal/stack/symbols"
)

const (
	localsShown = 3  // of a frame
	localsFrom  = 64 // bytes: smaller variables make no frame large
	maxDepth    = 64 // of blocks in blocks, in a file that may be damaged

	// maxDebug bounds what compressed debugging data of a file may become, in
	// bytes for a byte of it: text of this kind shrinks to a fifth.
	maxDebug = 32
)

// addLocals adds to frames the largest variables that seem to be in them, as the
// debugging data say. Without such data (-ldflags=-w), and for what the compiler
// itself keeps in the frame, nothing is added: they explain, they don't count.
func addLocals(file string, bin *symbols.Binary, frames []Frame) {
	data := debugData(file)
	if data == nil {
		return
	}
	at := map[string]uint64{}
	for i := range bin.Funcs {
		at[bin.Funcs[i].Name] = bin.Funcs[i].Entry
	}
	for i := range frames {
		if frames[i].Bytes >= localsFrom {
			frames[i].Locals = locals(data, at[frames[i].Function], frames[i].Bytes)
		}
	}
}

// Locals tells of the variables of one program.
type Locals struct{ data *dwarf.Data }

// OpenLocals reads a program's debugging data. Where there are none nothing is known.
func OpenLocals(file string) *Locals { return &Locals{debugData(file)} }

// Largest is the largest variable in the frame, of this size, of the function at an
// address; false if none is known.
func (l *Locals) Largest(entry uint64, frame int64) (Local, bool) {
	if l.data == nil {
		return Local{}, false
	}
	list := locals(l.data, entry, frame)
	if len(list) == 0 {
		return Local{}, false
	}
	return list[0], true
}

func debugData(file string) *dwarf.Data {
	f, err := os.Open(file)
	if err != nil {
		return nil
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil
	}
	e, err := elf.NewFile(f)
	if err != nil {
		return nil
	}
	total, plain := uint64(0), uint64(0)
	for _, s := range e.Sections {
		// Sections of a sound file don't overlap.
		if s.Type != elf.SHT_NOBITS {
			if plain += s.FileSize; plain > uint64(info.Size()) || s.FileSize > uint64(info.Size()) {
				return nil
			}
		}
		if total += s.Size; s.Flags&elf.SHF_COMPRESSED != 0 && (s.Size > maxDebug*uint64(info.Size()) || total > maxDebug*uint64(info.Size())) {
			return nil
		}
	}
	data, err := e.DWARF()
	if err != nil {
		return nil
	}
	return data
}

// locals are the largest variables in the frame of the function at an address.
func locals(data *dwarf.Data, entry uint64, frame int64) []Local {
	r := data.Reader()
	if _, err := r.SeekPC(entry); err != nil {
		return nil
	}
	for {
		e, err := r.Next()
		if err != nil || e == nil || e.Tag == dwarf.TagCompileUnit {
			return nil
		}
		if low, ok := e.Val(dwarf.AttrLowpc).(uint64); e.Tag != dwarf.TagSubprogram || !ok || low != entry {
			r.SkipChildren()
			continue
		}
		if !e.Children {
			return nil
		}
		list := slices.DeleteFunc(variables(data, r), func(l Local) bool { return l.Bytes > frame })
		slices.SortStableFunc(list, func(a, b Local) int { return cmp.Compare(b.Bytes, a.Bytes) })
		return list[:min(localsShown, len(list))]
	}
}

// variables lists what lies in a function's frame, in its blocks and in what was
// inlined into it.
func variables(data *dwarf.Data, r *dwarf.Reader) (list []Local) {
	for depth := 1; depth > 0; {
		e, err := r.Next()
		if err != nil || e == nil {
			return list
		}
		switch e.Tag {
		case 0:
			depth--
			continue
		case dwarf.TagVariable: // parameters are in the caller's frame, or in registers
			if l, ok := variable(data, e); ok {
				list = append(list, l)
			}
		}
		if e.Children {
			if depth++; depth > maxDepth {
				return list
			}
		}
	}
	return list
}

func variable(data *dwarf.Data, e *dwarf.Entry) (Local, bool) {
	// A list of places, for parts of the function, is a number: where it stands. A large
	// variable is in the frame in all of them.
	if where, ok := e.Val(dwarf.AttrLocation).([]byte); ok && !inFrame(where) {
		return Local{}, false
	}
	// An inlined variable's name and type stand where the function is described.
	if off, ok := e.Val(dwarf.AttrAbstractOrigin).(dwarf.Offset); ok {
		r := data.Reader()
		r.Seek(off)
		origin, err := r.Next()
		if err != nil || origin == nil {
			return Local{}, false
		}
		e = origin
	}
	off, ok := e.Val(dwarf.AttrType).(dwarf.Offset)
	if !ok {
		return Local{}, false
	}
	l := Local{}
	l.Type, l.Bytes = typeAt(data, off)
	if l.Bytes < localsFrom {
		return Local{}, false
	}
	l.Name, _ = e.Val(dwarf.AttrName).(string)
	if line, ok := e.Val(dwarf.AttrDeclLine).(int64); ok {
		l.Line = int(line)
	}
	return l, true
}

// typeAt is the name and the size of a type, 0 if the data don't tell it. (dwarf.Type
// would end the program by a stack overflow where a type of a damaged file is defined
// by itself.)
func typeAt(data *dwarf.Data, off dwarf.Offset) (name string, size int64) {
	for range maxDepth {
		r := data.Reader()
		r.Seek(off)
		e, err := r.Next()
		if err != nil || e == nil {
			return "", 0
		}
		if name == "" {
			name, _ = e.Val(dwarf.AttrName).(string)
		}
		if size, ok := e.Val(dwarf.AttrByteSize).(int64); ok {
			return name, size
		}
		var ok bool
		if off, ok = e.Val(dwarf.AttrType).(dwarf.Offset); e.Tag != dwarf.TagTypedef || !ok {
			return "", 0
		}
	}
	return "", 0
}

// inFrame reports whether a place can be one in the function's own frame: below the
// frame's base, which is where the caller's frame ends. Arguments and results are
// above it. The compiler leaves the place empty for variables that share theirs with
// others, and for those that are nowhere any more; such a large one is none of the
// latter as a rule.
func inFrame(where []byte) bool {
	const opFbreg = 0x91 // and a distance, SLEB128
	if len(where) == 0 {
		return true
	}
	return len(where) > 1 && where[0] == opFbreg && where[len(where)-1]&0x40 != 0 // the sign
}
