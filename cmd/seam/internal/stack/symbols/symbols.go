// Package symbols reads the functions of Go programs from their ELF files: names,
// addresses, frames, places in the source. It reads the tables that the runtime
// itself uses (pclntab), which are there in stripped programs too.
package symbols

import (
	"debug/buildinfo"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"runtime/debug"
	"slices"
	"sort"
	"strconv"
)

// A Binary is what the tables of a Go program say.
type Binary struct {
	Path      string
	Arch      string // as GOARCH: amd64 or arm64
	GoVersion string // as runtime.Version: go1.26.8
	Race      bool   // built with -race, which makes the guard of a stack larger

	// Text is the link-time address of runtime.text. What a running process says
	// of its own runtime.text minus this is its bias: 0 unless the program is PIE.
	Text uint64

	// Build tells builds apart: a hash of where their functions begin. It is the same
	// number that seamstack.go computes in the running program.
	Build uint64

	// Funcs are the functions that are in the program by themselves, by Entry.
	// Functions that were inlined everywhere are not among them. C code is not.
	Funcs []Func

	t *tables
}

// A Func is a function of a program.
type Func struct {
	Name string // as the linker has it: example.com/m.(*T).Method, main.main.func1

	// Entry and End are link-time addresses; the bytes up to End may hold padding.
	Entry, End uint64

	// Frame is the largest distance in bytes of the stack pointer from its value
	// at the first instruction, anywhere in the function: what
	// runtime.funcMaxSPDelta says. On amd64 it holds the saved frame pointer and
	// what the function pushes, and not the return address, which the call has
	// put there before: a call of the function takes Frame+8 bytes of its caller's
	// stack. On arm64 it holds the saved link register (the return address) and
	// the alignment to 16; the frame pointer is saved in the 8 bytes below it,
	// which belong to the next frame, so a call takes Frame bytes. Arguments that
	// are passed on the stack lie in the caller's frame.
	Frame int64

	// File and Line are those of the func keyword (of TEXT in assembly). Line is 0
	// where the tables don't know it; File is "" for what the linker made up.
	File string
	Line int

	Asm bool // written in assembly

	rec record
}

// firstMinor and lastMinor are the versions of Go whose tables are understood;
// a test reads programs of the newest three.
const firstMinor, lastMinor = 21, 27

// Open reads the functions of a Go program or test binary: ELF, amd64 or arm64,
// stripped or not, PIE or not, with cgo or without. It keeps nothing open.
func Open(path string) (*Binary, error) {
	b, _, err := Load(path)
	return b, err
}

// Load is [Open] for those who read the code too.
func Load(path string) (*Binary, *Image, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, bare(err, path)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, nil, bare(err, path)
	}
	if !info.Mode().IsRegular() {
		return nil, nil, fmt.Errorf("%s is not a file with a program in it", path)
	}
	b, img, err := load(io.NewSectionReader(f, 0, info.Size()))
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	b.Path = path
	return b, img, nil
}

// bare is an error of opening a file as we say it: the path in front.
func bare(err error, path string) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return fmt.Errorf("%s: %w", path, err)
}

func load(f file) (*Binary, *Image, error) {
	img, err := readImage(f)
	if err != nil {
		return nil, nil, err
	}
	b := &Binary{Arch: img.Arch}
	info, err := buildinfo.Read(f)
	if err != nil {
		if img.pclntab == nil {
			return nil, nil, errors.New("not a Go program")
		}
		return nil, nil, fmt.Errorf("it doesn't say which version of Go built it (%w)", err)
	}
	b.GoVersion = info.GoVersion
	b.Race = slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
	minor, err := minorOf(info.GoVersion)
	if err != nil {
		return nil, nil, err
	}
	if img.pclntab == nil {
		return nil, nil, errors.New("it has no section .gopclntab, in which Go programs list their functions: it may be packed, or its section headers removed")
	}
	m, err := findModule(img, minor)
	if err != nil {
		return nil, nil, err
	}
	b.Text = m.text
	b.t, b.Funcs, b.Build, err = readTables(img.pclntab.data, m.gofunc, code{m.text, m.text + uint64(len(img.Bytes(m.text))), img.quantum()})
	if err != nil {
		return nil, nil, err
	}
	return b, img, nil
}

var version = regexp.MustCompile(`\bgo1\.(\d+)`)

// minorOf is the 26 of go1.26.8, if its tables are understood.
func minorOf(goVersion string) (int, error) {
	found := version.FindStringSubmatch(goVersion)
	if found == nil {
		return 0, fmt.Errorf("it is built by %q, which is not a version of Go that is known", goVersion)
	}
	minor, err := strconv.Atoi(found[1])
	if err != nil || minor < firstMinor || minor > lastMinor {
		return 0, fmt.Errorf("the tables of Go 1.%s are not understood (those of Go 1.%d to 1.%d are); build it with another Go", found[1], firstMinor, lastMinor)
	}
	return minor, nil
}

// Has reports whether the program has a function of this name.
func (b *Binary) Has(name string) bool {
	return slices.ContainsFunc(b.Funcs, func(f Func) bool { return f.Name == name })
}

// Lookup finds the function that an address is in, nil if none.
func (b *Binary) Lookup(pc uint64) *Func {
	i := sort.Search(len(b.Funcs), func(i int) bool { return b.Funcs[i].End > pc })
	if i == len(b.Funcs) || pc < b.Funcs[i].Entry {
		return nil
	}
	return &b.Funcs[i]
}

// Position tells what the source has at an address: the function, the file and
// the line. Of code that was inlined it is the innermost function. A return
// address stands behind its call: look up the address minus 1. All are zero
// where the program has no Go code.
func (b *Binary) Position(pc uint64) (fn, file string, line int) {
	f := b.Lookup(pc)
	if f == nil {
		return "", "", 0
	}
	return b.t.position(f, pc)
}

// A Frame is a place in the source, one of those that an address stands for.
type Frame struct {
	Func string
	File string
	Line int
}

// Inlined lists the places that an address stands for: that of the innermost
// function, the calls through which it was inlined, and last that in the function
// that [Binary.Lookup] finds. It is empty where the program has no Go code.
func (b *Binary) Inlined(pc uint64) []Frame {
	f := b.Lookup(pc)
	if f == nil {
		return nil
	}
	return b.t.frames(f, pc)
}

// archs are the machines whose programs are read.
var archs = map[elf.Machine]string{elf.EM_X86_64: "amd64", elf.EM_AARCH64: "arm64"}
