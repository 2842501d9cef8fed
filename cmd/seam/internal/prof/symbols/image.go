// Package symbols names addresses of C and C++: functions, files and lines, with those of
// functions that were inlined, from the ELF symbols and DWARF of programs and libraries. It
// reads files that may be anything, and says less rather than something wrong.
package symbols

import (
	"bytes"
	"debug/dwarf"
	"debug/elf"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/ianlancetaylor/demangle"
)

// A Frame is a function at an address, or one that was inlined there.
type Frame struct {
	Func, File string
	Line       int
}

// An Image is an ELF file.
type Image struct {
	functions []function // by address
	segments  []elf.ProgHeader
	units     []*unit
	BuildID   string // the linker's in hexadecimal, or else Go's; "" where the file has none
	data      *dwarf.Data
}

type function struct {
	low, high uint64
	name      string
	limit     uint64 // the end of its section
}

// debugFolder is where distributions put DWARF that is not in the files themselves.
const debugFolder = "/usr/lib/debug"

// Open reads the symbols of a file. A file without any names nothing.
func Open(path string) (*Image, error) { return OpenAs(path, path) }

// OpenAs reads a file that had another name when it was loaded: what strip has split off lies there.
func OpenAs(path, loaded string) (*Image, error) {
	f, err := elf.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	m := &Image{BuildID: hex.EncodeToString(buildID(f))}
	if s := f.Section(".note.go.buildid"); m.BuildID == "" && s != nil {
		m.BuildID = string(noteIn(s, f.ByteOrder))
	}
	for _, p := range f.Progs {
		if p.Type == elf.PT_LOAD && p.Flags&elf.PF_X != 0 {
			m.segments = append(m.segments, p.ProgHeader)
		}
	}
	m.addSymbols(f)
	if f.Section(".debug_info") == nil && f.Section(".zdebug_info") == nil {
		if d := separate(f, loaded); d != nil {
			defer d.Close()
			m.addSymbols(d)
			m.readDWARF(d)
		}
	} else {
		m.readDWARF(f)
	}
	m.sort()
	m.functions = append(m.functions, stubs(f, m.symbol)...)
	m.sort()
	return m, nil
}

func (m *Image) addSymbols(f *elf.File) {
	list, _ := f.Symbols() // none is no error here: the file is stripped
	dynamic, _ := f.DynamicSymbols()
	const indirect = elf.SymType(10) // STT_GNU_IFUNC
	for _, s := range append(list, dynamic...) {
		if t := elf.ST_TYPE(s.Info); t != elf.STT_FUNC && t != indirect || s.Section == elf.SHN_UNDEF || s.Name == "" {
			continue
		}
		name, _, _ := strings.Cut(s.Name, "@") // its version
		limit := s.Value
		if i := int(s.Section); i < len(f.Sections) {
			limit = f.Sections[i].Addr + f.Sections[i].Size
		}
		m.functions = append(m.functions, function{s.Value, s.Value + s.Size, name, limit})
	}
}

func (m *Image) sort() {
	sort.SliceStable(m.functions, func(i, j int) bool { return m.functions[i].low < m.functions[j].low }) // a PLT before its first stub
	for i := range m.functions {
		if f := &m.functions[i]; f.high <= f.low && i+1 < len(m.functions) { // of assembly
			f.high = min(m.functions[i+1].low, f.limit)
		}
	}
}

// separate opens the file that a file's DWARF was moved to: by the build ID, also where debuginfod has fetched it, or by the name and the
// checksum that strip has left. It returns nil where there is none.
func separate(f *elf.File, path string) *elf.File {
	if id := buildID(f); len(id) > 1 {
		name := hex.EncodeToString(id)
		for _, file := range []string{filepath.Join(debugFolder, ".build-id", name[:2], name[2:]+".debug"), filepath.Join(fetched(), name, "debuginfo")} {
			if d, err := elf.Open(file); err == nil {
				return d
			}
		}
	}
	s := f.Section(".gnu_debuglink")
	if s == nil {
		return nil
	}
	text, err := s.Data()
	end := bytes.IndexByte(text, 0)
	if err != nil || end < 1 || len(text) < end/4*4+8 { // the checksum is at the next multiple of 4
		return nil
	}
	name, sum := filepath.Base(string(text[:end])), f.ByteOrder.Uint32(text[end/4*4+4:])
	dir := filepath.Dir(path)
	for _, at := range []string{dir, filepath.Join(dir, ".debug"), filepath.Join(debugFolder, dir)} {
		text, err := os.ReadFile(filepath.Join(at, name))
		if err != nil || crc32.ChecksumIEEE(text) != sum {
			continue
		}
		if d, err := elf.NewFile(bytes.NewReader(text)); err == nil {
			return d
		}
	}
	return nil
}

// fetched is where debuginfod's client keeps what it, gdb and others have fetched by build ID.
func fetched() string {
	if dir := os.Getenv("DEBUGINFOD_CACHE_PATH"); dir != "" {
		return dir
	}
	cache, _ := os.UserCacheDir() // without one, and a HOME, nothing is there
	return filepath.Join(cache, "debuginfod_client")
}

// buildID is the identity that the linker gave the file.
func buildID(f *elf.File) []byte {
	if s := f.Section(".note.gnu.build-id"); s != nil {
		return noteIn(s, f.ByteOrder)
	}
	return nil
}

// noteIn is what a section's first note says.
func noteIn(s *elf.Section, order binary.ByteOrder) []byte {
	text, err := s.Data()
	if err != nil || len(text) < 16 {
		return nil
	}
	names, size := order.Uint32(text), order.Uint32(text[4:])
	if names != 4 || uint64(len(text)) < 16+uint64(size) {
		return nil
	}
	return text[16 : 16+size]
}

// Address is where the byte at an offset of the file is, before the file is loaded anywhere.
func (m *Image) Address(offset uint64) (address uint64, ok bool) {
	for _, p := range m.segments {
		if offset >= p.Off && offset-p.Off < p.Filesz {
			return offset - p.Off + p.Vaddr, true
		}
	}
	return 0, false
}

// Frames names an address: first the function that was inlined deepest, last the one that
// exists. Nothing is known of an address for which there is none.
func (m *Image) Frames(address uint64) []Frame {
	frames := m.inlined(address)
	name := m.symbol(address)
	switch {
	case name == "" && (len(frames) == 0 || frames[len(frames)-1].Func == ""):
		return nil
	case len(frames) == 0:
		return []Frame{{Func: Demangle(name)}}
	case name != "":
		// Clones that the compiler made have the name that a debugger and perf show.
		frames[len(frames)-1].Func = Demangle(name)
	}
	return frames
}

func (m *Image) symbol(address uint64) string {
	i := sort.Search(len(m.functions), func(i int) bool { return m.functions[i].low > address })
	for i--; i >= 0 && m.functions[i].low+1<<20 > address; i-- {
		if f := m.functions[i]; address < f.high {
			return f.name
		}
	}
	return ""
}

// Has reports whether one of the functions at an address has this name: aliases have one each.
func (m *Image) Has(address uint64, name string) bool {
	i := sort.Search(len(m.functions), func(i int) bool { return m.functions[i].low > address })
	for i--; i >= 0 && m.functions[i].low+1<<20 > address; i-- {
		if f := m.functions[i]; address < f.high && f.name == name {
			return true
		}
	}
	return false
}

// Demangle is the name of a function as its author wrote it, without parameters.
func Demangle(name string) string {
	if !strings.HasPrefix(name, "_Z") && !strings.HasPrefix(name, "_R") {
		return name
	}
	// A name that takes for ever to write is shown as it is.
	const longest = 1 << 14
	if len(name) > longest {
		return name
	}
	name, stub := strings.CutSuffix(name, "@plt")
	if stub {
		return Demangle(name) + "@plt"
	}
	plain := demangle.Filter(name, demangle.NoParams, demangle.NoTemplateParams, demangle.NoClones)
	if strings.HasPrefix(name, "_R") { // what is left of Rust's parameters
		plain = strings.ReplaceAll(strings.ReplaceAll(plain, "::<>", ""), "<>", "")
	}
	return plain
}

// In is the name of code in a file whose function isn't known.
func In(file string) string { return fmt.Sprintf("[%s]", filepath.Base(file)) }
