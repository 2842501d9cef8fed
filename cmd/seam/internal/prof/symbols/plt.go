package symbols

import (
	"debug/elf"
	"encoding/binary"
	"strings"
)

// A stub's relocation says which function it jumps to.
type relocation struct {
	function string
	resolver uint64 // it chooses one of this file's, where there is no name
}

// stubs are the jumps to functions of other files, which have no symbols: printf@plt. The words
// that they jump by are told by the file's relocations. What else is in a PLT is [plt].
func stubs(f *elf.File, named func(address uint64) string) (list []function) {
	look := map[elf.Machine]func(code []byte, at, address uint64) (word, size uint64){elf.EM_X86_64: lookAMD64, elf.EM_AARCH64: lookARM64}[f.Machine]
	var words map[uint64]relocation
	for _, s := range f.Sections {
		if !strings.HasPrefix(s.Name, ".plt") || s.Flags&elf.SHF_EXECINSTR == 0 || s.Type != elf.SHT_PROGBITS {
			continue
		}
		list = append(list, function{s.Addr, s.Addr + s.Size, "[plt]", s.Addr + s.Size})
		code, err := s.Data()
		if look == nil || err != nil {
			continue
		}
		if words == nil {
			words = relocations(f)
		}
		for at := uint64(0); at+8 <= uint64(len(code)); {
			word, size := look(code, at, s.Addr+at)
			if r, ok := words[word]; ok {
				if r.function == "" {
					r.function = named(r.resolver)
				}
				if r.function != "" {
					list = append(list, function{s.Addr + at, s.Addr + at + size, r.function + "@plt", s.Addr + s.Size})
				}
			}
			at += size
		}
	}
	return list
}

// relocations are those of words that stubs jump by.
func relocations(f *elf.File) map[uint64]relocation {
	dynamic, _ := f.DynamicSymbols() // a static program has none
	words := map[uint64]relocation{}
	for _, s := range f.Sections {
		if s.Type != elf.SHT_RELA {
			continue
		}
		table, err := s.Data()
		if err != nil {
			continue
		}
		for ; len(table) >= 24; table = table[24:] {
			word, info, addend := f.ByteOrder.Uint64(table), f.ByteOrder.Uint64(table[8:]), f.ByteOrder.Uint64(table[16:])
			switch index := int(info >> 32); uint32(info) {
			case uint32(elf.R_X86_64_JMP_SLOT), uint32(elf.R_X86_64_GLOB_DAT), uint32(elf.R_AARCH64_JUMP_SLOT), uint32(elf.R_AARCH64_GLOB_DAT):
				if index > 0 && index <= len(dynamic) && dynamic[index-1].Name != "" {
					words[word] = relocation{function: dynamic[index-1].Name}
				}
			case uint32(elf.R_X86_64_IRELATIVE), uint32(elf.R_AARCH64_IRELATIVE):
				words[word] = relocation{resolver: addend}
			}
		}
	}
	return words
}

// lookAMD64 finds the one jmp *word(%rip) of an entry, behind endbr64, bnd or a number that is
// given to the function which looks the other one up. A jump and a nop alone are half as long.
func lookAMD64(code []byte, at, address uint64) (word, size uint64) {
	c := code[at:min(at+16, uint64(len(code)))]
	if len(c) >= 8 && c[0] == 0xff && c[1] == 0x25 && c[6] == 0x66 && c[7] == 0x90 {
		c = c[:8]
	}
	for i := 0; i+6 <= len(c); i++ {
		if c[i] == 0xff && c[i+1] == 0x25 {
			return address + uint64(i) + 6 + uint64(int32(binary.LittleEndian.Uint32(c[i+2:]))), uint64(len(c))
		}
	}
	return 0, 16
}

// lookARM64 reads adrp x16; ldr x17, [x16, n]; add x16, x16, n; br x17; where branches are
// protected with bti c in front, or autia1716 in between.
func lookARM64(code []byte, at, address uint64) (word, size uint64) {
	const bti, br = 0xd503245f, 0xd61f0220
	in := func(i uint64) uint32 {
		if at+i+4 > uint64(len(code)) {
			return 0
		}
		return binary.LittleEndian.Uint32(code[at+i:])
	}
	from := uint64(0)
	if in(0) == bti {
		from = 4
	}
	adrp, ldr := in(from), in(from+4)
	if adrp&0x9f00001f != 0x90000010 || ldr&0xffc003ff != 0xf9400211 {
		return 0, 4
	}
	size = from + 8
	for size < 28 && in(size) != br {
		size += 4
	}
	pages := int64(uint64((adrp>>5&0x7ffff)<<2|adrp>>29&3)<<43) >> 43
	return (address+from)&^4095 + uint64(pages*4096) + uint64(ldr>>10&0xfff)*8, size + 4
}
