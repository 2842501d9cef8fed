package symbols

import (
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sort"
	"strings"
)

// An Image is the memory of a program as it is before it starts: what the file
// holds, at link-time addresses, with pointers where a loader puts some.
type Image struct {
	Arch string

	sections []section // by address
	relative []relocation
	pclntab  *section
}

type section struct {
	name string
	addr uint64
	data []byte
	exec bool
}

// A relocation is a pointer that the loader writes: at is where, value what, bias
// left aside.
type relocation struct{ at, value uint64 }

// maxSections is what a program can have: one with more is taken for damaged.
const maxSections = 1 << 16

// A file is what programs are read from.
type file interface {
	io.ReaderAt
	Size() int64
}

// readImage reads the parts of a file that stand for memory. It takes no more of
// it than a small multiple of the file's size.
func readImage(r file) (*Image, error) {
	f, err := elf.NewFile(r)
	if err != nil {
		if format := otherFormat(r); format != "" {
			return nil, fmt.Errorf("it is %s, and seam reads programs for Linux (ELF)", format)
		}
		var format *elf.FormatError
		if errors.As(err, &format) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, fmt.Errorf("not a program in the ELF format, or cut off (%w)", err)
		}
		return nil, err
	}
	img := &Image{Arch: archs[f.Machine]}
	if img.Arch == "" || f.Class != elf.ELFCLASS64 || f.ByteOrder != binary.LittleEndian {
		return nil, fmt.Errorf("it is for %s (%s), and seam reads programs for amd64 and arm64", f.Machine, f.Class)
	}
	if f.Type != elf.ET_EXEC && f.Type != elf.ET_DYN {
		return nil, fmt.Errorf("it is not a program but %s: it is not linked", f.Type)
	}
	if len(f.Sections) > maxSections {
		return nil, fmt.Errorf("%d sections are too many for a program", len(f.Sections))
	}
	total := uint64(0)
	for _, s := range f.Sections {
		relocations := s.Type == elf.SHT_RELA && s.Flags&elf.SHF_ALLOC != 0
		if s.Type == elf.SHT_NOBITS || s.Flags&elf.SHF_ALLOC == 0 || s.Flags&elf.SHF_COMPRESSED != 0 || s.FileSize == 0 {
			continue
		}
		// Sections of a sound file don't overlap, so that all of them are no more
		// than the file.
		if total += s.FileSize; total > uint64(r.Size()) || total < s.FileSize {
			return nil, fmt.Errorf("it is cut off or damaged: up to section %s its sections are larger than the file", s.Name)
		}
		if s.Addr+s.FileSize < s.Addr {
			return nil, fmt.Errorf("section %s lies beyond the end of memory", s.Name)
		}
		data, err := s.Data()
		if err != nil {
			return nil, fmt.Errorf("it is cut off: section %s can't be read (%w)", s.Name, err)
		}
		if relocations {
			img.addRelative(f.Machine, data)
			continue
		}
		img.sections = append(img.sections, section{s.Name, s.Addr, data, s.Flags&elf.SHF_EXECINSTR != 0})
	}
	sort.SliceStable(img.sections, func(i, j int) bool { return img.sections[i].addr < img.sections[j].addr })
	sort.Slice(img.relative, func(i, j int) bool { return img.relative[i].at < img.relative[j].at })
	for i := range img.sections {
		// A PIE of older linkers has it among what the loader writes to.
		if s := &img.sections[i]; strings.TrimPrefix(s.name, ".data.rel.ro") == ".gopclntab" {
			img.pclntab = s
		}
	}
	return img, nil
}

// otherFormat names what a file is by its first bytes, "" if that is not known: what
// a Go command may well have made.
func otherFormat(r io.ReaderAt) string {
	head := make([]byte, 8)
	n, _ := r.ReadAt(head, 0)
	for _, f := range []struct{ begins, is string }{
		{"MZ", "a program for Windows (PE)"},
		{"\xcf\xfa\xed\xfe", "a program for macOS or iOS (Mach-O)"},
		{"\xca\xfe\xba\xbe", "a program for macOS of several architectures (Mach-O)"},
		{"\x00asm", "a program for WebAssembly"},
		{"!<arch>\n", "an archive of object files"},
	} {
		if strings.HasPrefix(string(head[:n]), f.begins) {
			return f.is
		}
	}
	return ""
}

// quantum is the unit of distances in the tables: the size of the smallest
// instruction.
func (img *Image) quantum() uint64 {
	if img.Arch == "arm64" {
		return 4
	}
	return 1
}

// addRelative notes the pointers of a section of relocations that are the bias
// and a constant.
func (img *Image) addRelative(machine elf.Machine, data []byte) {
	kind := uint32(elf.R_X86_64_RELATIVE)
	if machine == elf.EM_AARCH64 {
		kind = uint32(elf.R_AARCH64_RELATIVE)
	}
	const size = 24
	for ; len(data) >= size; data = data[size:] {
		info := binary.LittleEndian.Uint64(data[8:])
		if uint32(info) == kind {
			img.relative = append(img.relative, relocation{binary.LittleEndian.Uint64(data), binary.LittleEndian.Uint64(data[16:])})
		}
	}
}

// Bytes are those from an address to the end of its section, nil if the file has
// none there.
func (img *Image) Bytes(addr uint64) []byte {
	i := sort.Search(len(img.sections), func(i int) bool { return img.sections[i].addr > addr })
	if i == 0 {
		return nil
	}
	s := &img.sections[i-1]
	if addr-s.addr >= uint64(len(s.data)) {
		return nil
	}
	return s.data[addr-s.addr:]
}

// Pointer is the word at an address, as the program will find it.
func (img *Image) Pointer(addr uint64) (uint64, bool) {
	i := sort.Search(len(img.relative), func(i int) bool { return img.relative[i].at >= addr })
	if i < len(img.relative) && img.relative[i].at == addr {
		return img.relative[i].value, true
	}
	data := img.Bytes(addr)
	if len(data) < 8 {
		return 0, false
	}
	return binary.LittleEndian.Uint64(data), true
}
