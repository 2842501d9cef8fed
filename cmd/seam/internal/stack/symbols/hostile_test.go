package symbols

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestRefuses(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	sound := tiny()
	with := func(change func(*tinyProgram)) []byte {
		p := newTiny()
		change(p)
		return p.file()
	}
	if _, err := Open(write("sound", sound)); err != nil {
		t.Fatalf("the tiny program itself: %v", err)
	}
	for _, test := range []struct{ name, path, want string }{
		{"missing", filepath.Join(dir, "none"), "none: no such file"},
		{"folder", dir, "is not a file"},
		{"empty", write("empty", nil), "not a program in the ELF format, or cut off"},
		{"text", write("text", []byte("#!/bin/sh\necho hello, this is no program\n"+strings.Repeat(" ", 100))), "not a program in the ELF format"},
		{"Windows", write("exe", []byte("MZ\x90\x00"+strings.Repeat("\x00", 100))), "it is a program for Windows (PE), and seam reads programs for Linux (ELF)"},
		{"macOS", write("macho", []byte("\xcf\xfa\xed\xfe\x07\x00\x00\x01")), "it is a program for macOS or iOS (Mach-O)"},
		{"WebAssembly", write("wasm", []byte("\x00asm\x01\x00")), "it is a program for WebAssembly"},
		{"archive", write("a", []byte("!<arch>\n__.PKGDEF")), "it is an archive of object files"},
		{"other machine", write("386", with(func(p *tinyProgram) { p.machine = elf.EM_386 })), "it is for EM_386"},
		{"object", write("o", with(func(p *tinyProgram) { p.kind = elf.ET_REL })), "it is not linked"},
		{"C", write("c", with(func(p *tinyProgram) { p.version = ""; p.tables = nil })), "not a Go program"},
		{"packed", write("packed", with(func(p *tinyProgram) { p.tables = nil })), "no section .gopclntab"},
		{"old", write("old", with(func(p *tinyProgram) { p.version = "go1.19.3" })), "the tables of Go 1.19 are not understood (those of Go 1.21 to 1.27 are)"},
		{"new", write("new", with(func(p *tinyProgram) { p.version = "devel go1.99-abc" })), "the tables of Go 1.99 are not understood"},
		{"old tables", write("tables", with(func(p *tinyProgram) { p.tables[0] = 0xf0 })), "the tables of Go 1.18 and 1.19 are not understood"},
		{"damaged tables", write("damaged", with(func(p *tinyProgram) { p.tables[1] = 7 })), "damaged: it begins with"},
		{"cut tables", write("short", with(func(p *tinyProgram) { p.tables = p.tables[:40] })), "cut off"},
		{"no module", write("module", with(func(p *tinyProgram) { p.data[0]++ })), "runtime.firstmoduledata, which says where its code begins, can't be found"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := Open(test.path)
			if err == nil || !strings.Contains(err.Error(), test.want) || !strings.HasPrefix(err.Error(), test.path) {
				t.Errorf("error %v, want %s in it and %s in front", err, test.want, test.path)
			}
		})
	}
	// Sections that share the file's bytes would take many times its size in memory.
	shared := slices.Clone(sound)
	for n, at := binary.LittleEndian.Uint16(shared[60:]), binary.LittleEndian.Uint64(shared[40:]); n > 0; n, at = n-1, at+64 {
		binary.LittleEndian.PutUint64(shared[at+24:], 0)                   // where it begins
		binary.LittleEndian.PutUint64(shared[at+32:], uint64(len(shared))) // its size
	}
	if _, err := Open(write("shared", shared)); err == nil || !strings.Contains(err.Error(), "larger than the file") {
		t.Errorf("sections that overlap: %v", err)
	}
	for n := range sound {
		if n < len(sound)-len(".shstrtab")-64*8 {
			if _, _, err := load(bytes.NewReader(sound[:n])); err == nil {
				t.Errorf("no error for the first %d bytes of %d", n, len(sound))
			}
		}
	}
}

func FuzzLoad(f *testing.F) {
	f.Add(tiny())
	f.Add(tiny()[:100])
	f.Fuzz(func(t *testing.T, data []byte) {
		b, _, err := load(bytes.NewReader(data))
		if err != nil {
			return
		}
		if len(b.Funcs) > len(data) {
			t.Fatalf("%d functions of %d bytes", len(b.Funcs), len(data))
		}
		use(b)
	})
}

func FuzzTables(f *testing.F) {
	p := newTiny()
	f.Add(p.tables, p.gofunc, uint8(1))
	f.Add(p.tables[:90], []byte{}, uint8(4))
	f.Fuzz(func(t *testing.T, data, gofunc []byte, quantum uint8) {
		tables, funcs, _, err := readTables(data, gofunc, code{0x1000, 0x2000, uint64(quantum%8) + 1})
		if err == nil {
			use(&Binary{Funcs: funcs, t: tables})
		}
	})
}

// use asks all that can be asked.
func use(b *Binary) {
	for i := range b.Funcs {
		f := &b.Funcs[i]
		for _, pc := range []uint64{f.Entry, f.Entry + (f.End-f.Entry)/2, f.End - 1, f.End} {
			b.Lookup(pc)
			b.Position(pc)
			b.Inlined(pc)
			b.t.value(f, f.rec.pcsp, pc)
		}
	}
}
