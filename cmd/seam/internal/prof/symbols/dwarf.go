package symbols

import (
	"debug/dwarf"
	"debug/elf"
	"encoding/binary"
	"sort"
	"strings"
)

// A unit is what one run of a compiler made. Its functions and lines are read when an address
// in it is asked for.
type unit struct {
	at     dwarf.Offset
	ranges [][2]uint64
	read   bool
	scopes []scope // functions, and those inlined into them, in the order of their entries
	lines  []line  // by address
	files  []*dwarf.LineFile
}

// A scope is the code of a function, or of one inlined into another scope.
type scope struct {
	ranges   [][2]uint64
	depth    int
	name     string
	inlined  bool
	callFile int
	callLine int
}

type line struct {
	low  uint64
	file string
	line int
	end  bool // what follows is no code of this unit
}

const langGo = 0x16 // Go names its own frames

// readDWARF finds the units. What is damaged ends the list, no more.
func (m *Image) readDWARF(f *elf.File) {
	data, err := f.DWARF()
	if err != nil {
		return
	}
	s := f.Section(".debug_info")
	if s == nil {
		s = f.Section(".zdebug_info")
	}
	info, err := s.Data()
	if err != nil {
		return
	}
	m.data = data
	r := data.Reader()
	for _, at := range unitOffsets(info, f.ByteOrder) {
		r.Seek(at)
		entry, err := r.Next()
		const tagSkeleton = dwarf.Tag(0x4a) // of -gsplit-dwarf: it has lines, and its functions are in a .dwo
		if err != nil || entry == nil || entry.Tag != dwarf.TagCompileUnit && entry.Tag != tagSkeleton {
			continue
		}
		if lang, _ := entry.Val(dwarf.AttrLanguage).(int64); lang == langGo {
			continue
		}
		ranges, err := data.Ranges(entry)
		if err == nil && len(ranges) > 0 {
			m.units = append(m.units, &unit{at: at, ranges: ranges})
		}
	}
}

// unitOffsets are the places of the units' first entries. The reader of package dwarf would
// read all entries to find them.
func unitOffsets(info []byte, order binary.ByteOrder) (list []dwarf.Offset) {
	for at := uint64(0); at+12 <= uint64(len(info)); {
		length, width := uint64(order.Uint32(info[at:])), uint64(4)
		head := at + 4
		if length == 0xffffffff {
			length, width, head = order.Uint64(info[at+4:]), 8, at+12
		}
		if length > uint64(len(info))-head || length < 4 {
			return list
		}
		version := order.Uint16(info[head:])
		first := head + 2 + width + 1
		if version >= 5 {
			kind := info[head+2]
			first = head + 4 + width
			const skeleton, splitCompile, typeUnit, splitType = 4, 5, 2, 6
			switch kind {
			case skeleton, splitCompile:
				first += 8
			case typeUnit, splitType:
				first = 0
			}
		}
		if first > 0 && version >= 2 {
			list = append(list, dwarf.Offset(first))
		}
		at = head + length
	}
	return list
}

func in(ranges [][2]uint64, address uint64) bool {
	for _, r := range ranges {
		if address >= r[0] && address < r[1] {
			return true
		}
	}
	return false
}

// inlined is what DWARF says of an address: see [Image.Frames].
func (m *Image) inlined(address uint64) []Frame {
	for _, u := range m.units {
		if !in(u.ranges, address) {
			continue
		}
		if !u.read {
			u.read = true
			m.readUnit(u)
		}
		return u.frames(address)
	}
	return nil
}

func (u *unit) frames(address uint64) (list []Frame) {
	file, number := u.line(address)
	line := Frame{File: file, Line: number}
	// The scopes of an address are nested and in order.
	var chain []scope
	for _, s := range u.scopes {
		if in(s.ranges, address) {
			for len(chain) > 0 && chain[len(chain)-1].depth >= s.depth {
				chain = chain[:len(chain)-1]
			}
			chain = append(chain, s)
		}
	}
	for i := len(chain) - 1; i >= 0; i-- {
		s := chain[i]
		list = append(list, Frame{Func: Demangle(s.name), File: file, Line: number})
		if !s.inlined {
			break
		}
		file, number = "", s.callLine
		if s.callFile >= 0 && s.callFile < len(u.files) && u.files[s.callFile] != nil {
			file = u.files[s.callFile].Name
		}
	}
	if len(list) == 0 && line.File != "" {
		list = append(list, line)
	}
	return list
}

func (u *unit) line(address uint64) (file string, number int) {
	i := sort.Search(len(u.lines), func(i int) bool { return u.lines[i].low > address }) - 1
	if i < 0 || u.lines[i].end {
		return "", 0
	}
	return u.lines[i].file, u.lines[i].line
}

// readUnit reads functions and lines, as far as they make sense.
func (m *Image) readUnit(u *unit) {
	r := m.data.Reader()
	r.Seek(u.at)
	first, err := r.Next()
	if err != nil || first == nil {
		return
	}
	if lr, err := m.data.LineReader(first); err == nil && lr != nil {
		var e dwarf.LineEntry
		for lr.Next(&e) == nil {
			l := line{low: e.Address, line: e.Line, end: e.EndSequence}
			if e.File != nil {
				l.file = e.File.Name
			}
			u.lines = append(u.lines, l)
		}
		u.files = lr.Files()
		sort.SliceStable(u.lines, func(i, j int) bool {
			a, b := u.lines[i], u.lines[j]
			return a.low < b.low || a.low == b.low && a.end && !b.end
		})
	}
	for depth := 1; depth > 0; {
		e, err := r.Next()
		if err != nil || e == nil {
			return
		}
		if e.Tag == 0 {
			depth--
			continue
		}
		if e.Tag == dwarf.TagSubprogram || e.Tag == dwarf.TagInlinedSubroutine {
			if ranges, err := m.data.Ranges(e); err == nil && len(ranges) > 0 {
				file, ok := e.Val(dwarf.AttrCallFile).(int64)
				if !ok {
					file = -1
				}
				number, _ := e.Val(dwarf.AttrCallLine).(int64)
				u.scopes = append(u.scopes, scope{ranges: ranges, depth: depth, name: m.name(e, 8),
					inlined: e.Tag == dwarf.TagInlinedSubroutine, callFile: int(file), callLine: int(number)})
			}
		}
		if e.Children {
			depth++
		}
	}
}

// name is that of a function's entry, or of the one that it refers to.
func (m *Image) name(e *dwarf.Entry, deep int) string {
	const linkageNameMIPS = dwarf.Attr(0x2007)
	for _, attr := range []dwarf.Attr{dwarf.AttrLinkageName, linkageNameMIPS} {
		if name, ok := e.Val(attr).(string); ok && name != "" {
			return name
		}
	}
	for _, attr := range []dwarf.Attr{dwarf.AttrAbstractOrigin, dwarf.AttrSpecification} {
		at, ok := e.Val(attr).(dwarf.Offset)
		if !ok || deep == 0 {
			continue
		}
		r := m.data.Reader()
		r.Seek(at)
		if to, err := r.Next(); err == nil && to != nil {
			if name := m.name(to, deep-1); name != "" {
				return name
			}
		}
	}
	name, _ := e.Val(dwarf.AttrName).(string)
	return withoutTemplates(name)
}

// withoutTemplates leaves out what a function of C++ without a name for the linker, since it takes a
// type that has none, is a template of, as Demangle does of others.
func withoutTemplates(name string) string {
	if i := strings.IndexByte(name, '<'); i > 0 && !strings.HasPrefix(name, "operator") {
		return name[:i]
	}
	return name
}
