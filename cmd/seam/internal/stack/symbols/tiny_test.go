package symbols

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
)

// A tinyProgram is a Go program as far as we read it: two functions, of which one
// has a frame and holds inlined code.
type tinyProgram struct {
	kind    elf.Type
	machine elf.Machine
	version string
	text    []byte
	tables  []byte
	gofunc  []byte
	data    []byte // moduledata
}

const (
	tinyText   = 0x1000
	tinyTables = 0x2000
	tinyGofunc = 0x3000
	tinyData   = 0x4000
	tinyInfo   = 0x5000
)

func tiny() []byte { return newTiny().file() }

var le = binary.LittleEndian

func newTiny() *tinyProgram {
	p := &tinyProgram{kind: elf.ET_EXEC, machine: elf.EM_X86_64, version: "go1.26.8", text: bytes.Repeat([]byte{0x90}, 64)}
	names := []byte("\x00main.main\x00main.inner\x00")
	files := []byte("main.go\x00")
	units := le.AppendUint32(nil, 0)
	// By pairs: a step of the value (zigzag, from -1) and of the address.
	pcs := []byte{0}
	table := func(pairs ...byte) uint32 {
		at := uint32(len(pcs))
		pcs = append(append(pcs, pairs...), 0)
		return at
	}
	sp := table(2, 4, 80, 20, 79, 8) // 0, 40, 0
	file := table(2, 32)             // file 0
	line := table(12, 16, 4, 16)     // 5, 7
	inline := table(0, 8, 2, 8)      // -1, 0
	const header = 72
	h := []uint64{2, 1, 0}
	off := uint64(header)
	var parts []byte
	add := func(b []byte) {
		h = append(h, off)
		parts = append(parts, b...)
		for len(parts)%8 != 0 {
			parts = append(parts, 0)
		}
		off = header + uint64(len(parts))
	}
	add(names)
	add(units)
	add(files)
	add(pcs)
	record := func(entry, name, start uint32) []byte {
		var r []byte
		for _, w := range []uint32{entry, name, 0, 0, sp, file, line, 3, 0, start} {
			r = le.AppendUint32(r, w)
		}
		r = append(r, 0, 0, 0, 4)
		for _, w := range []uint32{0, 0, inline, noInline, noInline, noInline, 0} {
			r = le.AppendUint32(r, w)
		}
		return r
	}
	one, two := record(0, 1, 3), record(32, 11, 9)
	ftab := uint32(20)
	var funcs []byte
	for _, w := range []uint32{0, ftab, 32, ftab + uint32(len(one)), 64} {
		funcs = le.AppendUint32(funcs, w)
	}
	add(append(append(funcs, one...), two...))
	p.tables = le.AppendUint32(nil, magic)
	p.tables = append(p.tables, 0, 0, 1, 8)
	for _, w := range h {
		p.tables = le.AppendUint64(p.tables, w)
	}
	p.tables = append(p.tables[:header], parts...)
	for _, w := range []uint32{0, 11, 4, 9} {
		p.gofunc = le.AppendUint32(p.gofunc, w)
	}

	p.data = make([]byte, 400)
	put := func(off int, v uint64) { le.PutUint64(p.data[off:], v) }
	put(0, tinyTables)
	put(offNames, tinyTables+h[3])
	put(offFuncs+8, 3)
	put(offMinPC, tinyText)
	put(offMaxPC, tinyText+64)
	put(offText, tinyText)
	put(offEndText, tinyText+64)
	put(int(offGofunc(26)), tinyGofunc)
	return p
}

// file is the program as an ELF file.
func (p *tinyProgram) file() []byte {
	info := append([]byte("\xff Go buildinf:"), 8, 2)
	info = append(info, make([]byte, 16)...)
	info = append(append(info, byte(len(p.version))), p.version...)
	info = append(info, make([]byte, 64-len(info))...)
	type part struct {
		name  string
		addr  uint64
		data  []byte
		flags elf.SectionFlag
	}
	parts := []part{{".text", tinyText, p.text, elf.SHF_ALLOC | elf.SHF_EXECINSTR}}
	if p.tables != nil {
		parts = append(parts, part{".gopclntab", tinyTables, p.tables, elf.SHF_ALLOC})
	}
	parts = append(parts, part{".rodata", tinyGofunc, p.gofunc, elf.SHF_ALLOC}, part{".noptrdata", tinyData, p.data, elf.SHF_ALLOC | elf.SHF_WRITE})
	if p.version != "" {
		parts = append(parts, part{".go.buildinfo", tinyInfo, info, elf.SHF_ALLOC | elf.SHF_WRITE})
	}
	var body, names bytes.Buffer
	names.WriteByte(0)
	sections := []elf.Section64{{}}
	var programs []elf.Prog64
	const start = 64 + 8*56
	for _, s := range parts {
		at := uint64(start + body.Len())
		sections = append(sections, elf.Section64{Name: uint32(names.Len()), Type: uint32(elf.SHT_PROGBITS), Flags: uint64(s.flags), Addr: s.addr, Off: at, Size: uint64(len(s.data)), Addralign: 1})
		programs = append(programs, elf.Prog64{Type: uint32(elf.PT_LOAD), Flags: uint32(elf.PF_R | elf.PF_W), Off: at, Vaddr: s.addr, Filesz: uint64(len(s.data)), Memsz: uint64(len(s.data))})
		names.WriteString(s.name + "\x00")
		body.Write(s.data)
		body.Write(make([]byte, -body.Len()&15))
	}
	name := names.Len()
	names.WriteString(".shstrtab\x00")
	sections = append(sections, elf.Section64{Name: uint32(name), Type: uint32(elf.SHT_STRTAB), Off: uint64(start + body.Len()), Size: uint64(names.Len()), Addralign: 1})
	body.Write(names.Bytes())
	h := elf.Header64{
		Type: uint16(p.kind), Machine: uint16(p.machine), Version: 1, Phoff: 64, Shoff: uint64(start + body.Len()), Ehsize: 64,
		Phentsize: 56, Phnum: uint16(len(programs)), Shentsize: 64, Shnum: uint16(len(sections)), Shstrndx: uint16(len(sections) - 1),
	}
	copy(h.Ident[:], "\x7fELF\x02\x01\x01")
	var out bytes.Buffer
	write := func(v any) {
		if err := binary.Write(&out, le, v); err != nil {
			panic(err)
		}
	}
	write(h)
	write(programs)
	out.Write(make([]byte, start-out.Len()))
	out.Write(body.Bytes())
	write(sections)
	return out.Bytes()
}
