package cross

import (
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/compiler"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
)

// A Binary is what is to be known of a program before it is copied to another machine.
type Binary struct {
	File        string    `json:"file"`
	GOOS        string    `json:"goos,omitempty"` // "" where the file doesn't say
	GOARCH      string    `json:"goarch"`         // "" where Go has no name for the machine
	Machine     string    `json:"machine"`
	Variant     string    `json:"variant,omitempty"` // "ARMv7", as the program says of itself
	Static      bool      `json:"static"`            // needs neither shared libraries nor a dynamic linker; of Windows: only its own DLLs
	Interpreter string    `json:"interpreter,omitempty"`
	Needs       []string  `json:"needs"`             // shared libraries
	Foreign     []string  `json:"foreign,omitempty"` // DLLs among them that aren't known as a part of Windows
	Versions    []Version `json:"versions"`
	Wrong       []string  `json:"wrong"` // where it isn't what was asked for
}

// A Version is the newest version of a library's symbols that a program needs, and some of
// the symbols that need it.
type Version struct {
	Library string   `json:"library"`
	Family  string   `json:"family"` // "GLIBC", "GLIBCXX"
	Version string   `json:"version"`
	Symbols []string `json:"symbols"`
}

// Look reads a program, and compares it with what was asked for.
func (t Target) Look(file string) (*Binary, error) {
	if t.GOOS == "windows" && !isELF(file) {
		return t.lookPE(file)
	}
	f, err := elf.Open(file)
	if path := (*fs.PathError)(nil); errors.As(err, &path) {
		return nil, fmt.Errorf("what was built can't be checked: %w", err)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: not an ELF program: %w", file, err)
	}
	defer f.Close()
	b := &Binary{File: file, GOARCH: architecture(f), Machine: f.Machine.String(), Needs: []string{}, Versions: []Version{}, Wrong: []string{}}
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP {
			text := make([]byte, min(p.Filesz, 4096))
			if _, err := p.ReadAt(text, 0); err != nil {
				return nil, fmt.Errorf("%s: its dynamic linker: %w", file, err)
			}
			b.Interpreter = strings.TrimRight(string(text), "\x00")
		}
	}
	libraries, err := f.ImportedLibraries()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	b.Needs = append(b.Needs, libraries...)
	b.GOOS = system(f, b.Interpreter)
	b.Static = b.Interpreter == "" && len(libraries) == 0
	if !b.Static {
		symbols, err := f.ImportedSymbols()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		markers, err := versionsWithoutSymbols(f, symbols)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		b.Versions = append(b.Versions, versions(append(symbols, markers...))...)
	}
	b.compare(t)
	if f.Machine == elf.EM_ARM && t.GOARCH == "arm" {
		a, err := attributesOf(f)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		var wrong []string
		b.Variant, wrong = t.compareARM(a)
		b.Wrong = append(b.Wrong, wrong...)
	}
	return b, nil
}

// isELF reports whether a file begins as those of Linux and FreeBSD do.
func isELF(file string) bool {
	f, err := os.Open(file)
	if err != nil {
		return false
	}
	defer f.Close()
	var magic [len(elf.ELFMAG)]byte
	_, err = io.ReadFull(f, magic[:])
	return err == nil && string(magic[:]) == elf.ELFMAG
}

// system is the GOOS of a file, where it says so.
func system(f *elf.File, interpreter string) string {
	switch {
	case f.OSABI == elf.ELFOSABI_FREEBSD, interpreter == "/libexec/ld-elf.so.1":
		return "freebsd"
	case f.OSABI == elf.ELFOSABI_LINUX, strings.Contains(interpreter, "/ld-linux"), strings.Contains(interpreter, "/ld-musl"):
		return "linux"
	}
	return ""
}

// architecture is the GOARCH of a file.
func architecture(f *elf.File) string {
	switch {
	case f.Machine == elf.EM_RISCV && f.Class == elf.ELFCLASS64:
		return "riscv64"
	case f.Machine == elf.EM_PPC64 && f.Data == elf.ELFDATA2LSB:
		return "ppc64le"
	}
	return compiler.Machine(f.Machine)
}

// abiMarker begins the names of versions that glibc's dynamic linker defines for what it does
// itself. The first is GLIBC_ABI_DT_RELR, of glibc 2.36, so that is the least any of them needs.
const abiMarker = "GLIBC_ABI_"

// versionsWithoutSymbols are those that a program asks its libraries for though none of its
// symbols has them: the dynamic linker starts no program that asks for a version it lacks.
func versionsWithoutSymbols(f *elf.File, symbols []elf.ImportedSymbol) ([]elf.ImportedSymbol, error) {
	if f.SectionByType(elf.SHT_GNU_VERNEED) == nil {
		return nil, nil
	}
	libraries, err := f.DynamicVersionNeeds()
	if err != nil {
		return nil, err
	}
	var list []elf.ImportedSymbol
	for _, library := range libraries {
		for _, need := range library.Needs {
			if slices.ContainsFunc(symbols, func(s elf.ImportedSymbol) bool { return s.Version == need.Dep && s.Library == library.Name }) {
				continue
			}
			version := need.Dep
			if strings.HasPrefix(version, abiMarker) {
				version = "GLIBC_2.36"
			}
			list = append(list, elf.ImportedSymbol{Name: need.Dep, Version: version, Library: library.Name})
		}
	}
	return list, nil
}

// versions keeps the newest of each family: who has that has the others.
func versions(symbols []elf.ImportedSymbol) []Version {
	newest := map[string]*Version{}
	for _, s := range symbols {
		family, number, ok := strings.Cut(s.Version, "_")
		if !ok || number == "PRIVATE" {
			continue
		}
		key := s.Library + " " + family
		v := newest[key]
		if v == nil || newer(number, v.Version) {
			v = &Version{Library: s.Library, Family: family, Version: number}
			newest[key] = v
		}
		if v.Version == number {
			v.Symbols = append(v.Symbols, s.Name)
		}
	}
	var list []Version
	for _, v := range newest {
		slices.Sort(v.Symbols)
		list = append(list, *v)
	}
	slices.SortFunc(list, func(a, b Version) int { return strings.Compare(a.Library+a.Family, b.Library+b.Family) })
	return list
}

func (b *Binary) compare(t Target) {
	wrong := func(format string, args ...any) { b.Wrong = append(b.Wrong, fmt.Sprintf(format, args...)) }
	if b.GOARCH != t.GOARCH {
		wrong("it is for %s, not for %s", b.Machine, t)
	}
	if b.GOOS != "" && b.GOOS != t.GOOS {
		wrong("it is for %s, not for %s", b.GOOS, t)
	}
	switch {
	case t.GOOS == "windows" && b.GOOS == "":
		wrong("it is no program of Windows")
	case t.Static && len(b.Foreign) > 0:
		wrong("it isn't static: it needs %s, which seam doesn't know as a part of Windows", strings.Join(b.Foreign, ", "))
	case t.Static && !b.Static:
		needs := slices.Clone(b.Needs)
		if b.Interpreter != "" { // plug-ins and C libraries have none
			needs = append(needs, b.Interpreter)
		}
		wrong("it isn't static: it needs %s", strings.Join(needs, ", "))
	}
	for _, v := range b.Versions {
		if t.Glibc != "" && v.Family == "GLIBC" && newer(v.Version, t.Glibc) {
			wrong("it needs glibc %s, which is newer than %s, for %s", v.Version, t.Glibc, quantity.First(v.Symbols, 5))
		}
	}
}
