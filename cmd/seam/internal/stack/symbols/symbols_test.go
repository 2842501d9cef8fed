//seam:test arm64

package symbols

import (
	"debug/elf"
	"debug/gosym"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/seamgo/seam/internal/testenv"
)

// A program with code of all kinds: inlined, generic, with large frames, assembly of
// the runtime, closures.
const program = `package main

import (
	"fmt"
	"os"
	"sort"
)

//go:noinline
func use(p *[5000]byte) byte { return p[len(os.Args)] }

func small(x int) int { return x*2 + len(os.Args) }

func generic[T fmt.Stringer](x T) string { return fmt.Sprint(x.String(), small(3)) }

type name string

func (n name) String() string { return string(n) }

func main() {
	var large [5000]byte
	list := []int{3, 1, 2}
	sort.Slice(list, func(i, j int) bool { return list[i] < list[j] })
	fmt.Println(use(&large), small(len(list)), generic(name("x")))
}
`

// build builds a program and skips the test where that needs what isn't there.
func build(t *testing.T, source string, env []string, flags ...string) string {
	t.Helper()
	testenv.Builds(t)
	dir := t.TempDir()
	for file, text := range map[string]string{"main.go": source, "go.mod": "module m\n\ngo 1.24\n"} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	tool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no go command here")
	}
	cmd := exec.Command(tool, append(append([]string{"build", "-o", "prog"}, flags...), ".")...)
	cmd.Dir = dir
	cmd.Env = append(append(os.Environ(), "GOWORK=off", "GOFLAGS=", "GOOS=linux"), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return filepath.Join(dir, "prog")
}

// toolchains are the versions of Go to build with; "" is the one at hand.
func toolchains() []string { return append([]string{""}, testenv.OtherVersions()...) }

func toolchain(version string) []string {
	if version == "" {
		return nil
	}
	return []string{"GOTOOLCHAIN=" + version}
}

func open(t *testing.T, path string) *Binary {
	t.Helper()
	b, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func find(t *testing.T, b *Binary, name string) *Func {
	t.Helper()
	for i := range b.Funcs {
		if b.Funcs[i].Name == name {
			return &b.Funcs[i]
		}
	}
	t.Fatalf("%s: no function %s", b.Path, name)
	return nil
}

// The linker describes frames to debuggers too.
func TestFramesAreThoseOfDebugFrame(t *testing.T) {
	t.Parallel()
	for _, version := range toolchains() {
		for _, arch := range []string{"amd64", "arm64"} {
			t.Run(version+arch, func(t *testing.T) {
				path := build(t, program, append(toolchain(version), "GOARCH="+arch, "CGO_ENABLED=0"))
				b := open(t, path)
				if b.Arch != arch || version != "" && b.GoVersion != version {
					t.Fatalf("%s %s", b.Arch, b.GoVersion)
				}
				e, err := elf.Open(path)
				if err != nil {
					t.Fatal(err)
				}
				defer e.Close()
				data, err := e.Section(".debug_frame").Data()
				if err != nil {
					t.Fatal(err)
				}
				pushed := int64(8)
				if arch == "arm64" {
					pushed = 0
				}
				want := debugFrame(t, data)
				compared := 0
				for i := range b.Funcs {
					f := &b.Funcs[i]
					cfa, ok := want[f.Entry]
					if !ok {
						continue
					}
					compared++
					if cfa-pushed != f.Frame {
						t.Errorf("%s: frame of %d bytes, .debug_frame says %d", f.Name, f.Frame, cfa-pushed)
					}
				}
				if compared < 1000 {
					t.Errorf("%d functions compared", compared)
				}
				if f := find(t, b, "main.main"); f.Frame < 5000 || f.Frame > 5500 {
					t.Errorf("main.main has a frame of %d bytes", f.Frame)
				}
			})
		}
	}
}

// debugFrame reads the largest distance from the stack pointer to the frame's base,
// by the function's address. It knows what Go's linker writes.
func debugFrame(t *testing.T, data []byte) map[uint64]int64 {
	t.Helper()
	list := map[uint64]int64{}
	sleb := func(p []byte) (v int64, n int) {
		for shift := 0; ; {
			b := p[n]
			n++
			v |= int64(b&0x7f) << shift
			if shift += 7; b&0x80 == 0 {
				if b&0x40 != 0 {
					v |= -1 << shift
				}
				return v, n
			}
		}
	}
	const alignment = -4 // dataAlignmentFactor of cmd/link/internal/ld/dwarf.go
	for len(data) >= 4 {
		size := binary.LittleEndian.Uint32(data)
		entry := data[4 : 4+size]
		data = data[4+size:]
		if binary.LittleEndian.Uint32(entry) == ^uint32(0) {
			continue // what all functions share
		}
		pc := binary.LittleEndian.Uint64(entry[4:])
		most := int64(0)
		for p := entry[20:]; len(p) > 0; {
			op := p[0]
			p = p[1:]
			switch {
			case op == 0x13: // def_cfa_offset_sf
				v, n := sleb(p)
				most = max(most, v*alignment)
				p = p[n:]
			case op == 0x02: // advance_loc1
				p = p[1:]
			case op == 0x03: // advance_loc2
				p = p[2:]
			case op == 0x04: // advance_loc4
				p = p[4:]
			case op == 0x11: // offset_extended_sf: register, offset
				_, n := sleb(p)
				_, m := sleb(p[n:])
				p = p[n+m:]
			case op == 0x07, op == 0x08: // undefined, same_value
				_, n := sleb(p)
				p = p[n:]
			case op == 0, op>>6 == 1: // nop, advance_loc
			default:
				t.Fatalf("instruction %#x in .debug_frame", op)
			}
		}
		list[pc] = most
	}
	return list
}

func TestNamesAndLinesAreThoseOfGosym(t *testing.T) {
	t.Parallel()
	for _, version := range toolchains() {
		t.Run(version, func(t *testing.T) {
			path := build(t, program, append(toolchain(version), "GOARCH=amd64", "CGO_ENABLED=0"))
			b := open(t, path)
			e, err := elf.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer e.Close()
			data, err := e.Section(".gopclntab").Data()
			if err != nil {
				t.Fatal(err)
			}
			table, err := gosym.NewTable(nil, gosym.NewLineTable(data, b.Text))
			if err != nil {
				t.Fatal(err)
			}
			if len(table.Funcs) != len(b.Funcs) {
				t.Fatalf("%d functions, gosym has %d", len(b.Funcs), len(table.Funcs))
			}
			for i := range b.Funcs {
				f, want := &b.Funcs[i], &table.Funcs[i]
				if f.Name != want.Name || f.Entry != want.Entry || f.End != want.End {
					t.Fatalf("%s %#x-%#x, gosym has %s %#x-%#x", f.Name, f.Entry, f.End, want.Name, want.Entry, want.End)
				}
				for pc := f.Entry; pc < f.End; pc += 13 {
					_, file, line := b.Position(pc)
					wantFile, wantLine, fn := table.PCToLine(pc)
					if fn == nil || wantLine <= 0 {
						wantFile, wantLine = file, line
					}
					if file != wantFile || line != wantLine {
						t.Fatalf("%s+%#x: %s:%d, gosym has %s:%d", f.Name, pc-f.Entry, file, line, wantFile, wantLine)
					}
				}
			}
		})
	}
}

// The runtime reads the same tables of this very process.
func TestThisProcessAgrees(t *testing.T) {
	t.Parallel()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if archs[elfMachine(t, path)] == "" {
		t.Skip("another architecture")
	}
	b := open(t, path)
	here, _, _, ok := runtime.Caller(0)
	if !ok {
		t.Fatal("where are we?")
	}
	entry := runtime.FuncForPC(here).Entry()
	bias := uint64(entry) - find(t, b, runtime.FuncForPC(here).Name()).Entry
	if b.GoVersion != runtime.Version() || b.Arch != runtime.GOARCH {
		t.Errorf("%s %s", b.GoVersion, b.Arch)
	}
	inlined := 0
	for i := range b.Funcs {
		f := &b.Funcs[i]
		r := runtime.FuncForPC(uintptr(f.Entry + bias))
		if r == nil || uint64(r.Entry()) != f.Entry+bias {
			t.Fatalf("the runtime doesn't know %s", f.Name)
		}
		for pc := f.Entry; pc+1 < f.End; pc += 61 { // pc+1 may be asked for
			list := b.Inlined(pc)
			if list[0].File == "" { // behind the last instruction
				continue
			}
			if last := list[len(list)-1]; last.Func != f.Name {
				t.Fatalf("%s+%#x ends in %s", f.Name, pc-f.Entry, last.Func)
			}
			if len(list) > 1 {
				inlined++
			}
			// Of one address it tells the innermost frame.
			want, _ := runtime.CallersFrames([]uintptr{uintptr(pc + bias + 1)}).Next() // a return address
			if got := list[0]; want.Function != got.Func && want.Function != "" && !wrapper(want.Function) || want.File != got.File || want.Line != got.Line {
				t.Fatalf("%s+%#x: %+v, the runtime has %s %s:%d", f.Name, pc-f.Entry, got, want.Function, want.File, want.Line)
			}
		}
	}
	if inlined < 1000 {
		t.Errorf("%d inlined calls compared", inlined)
	}
	if got := b.Lookup(uint64(entry) - bias); got == nil || !strings.Contains(got.Name, "TestThisProcessAgrees") {
		t.Errorf("Lookup: %+v", got)
	}
	if b.Lookup(b.Text-1) != nil || b.Lookup(b.Funcs[len(b.Funcs)-1].End) != nil {
		t.Error("there are functions outside of the code")
	}
}

// wrapper tells names that CallersFrames makes shorter: generic functions.
func wrapper(name string) bool { return strings.Contains(name, "[...]") }

func elfMachine(t *testing.T, path string) elf.Machine {
	t.Helper()
	e, err := elf.Open(path)
	if err != nil {
		t.Skip("no ELF here")
	}
	defer e.Close()
	return e.Machine
}

func TestAllKindsOfBinaries(t *testing.T) {
	t.Parallel()
	cgo := strings.Replace(program, "import (", "// int two(void) { return 2; }\nimport \"C\"\n\nimport (", 1)
	cgo = strings.Replace(cgo, "small(len(list))", "small(int(C.two()))", 1)
	plain := []string{"CGO_ENABLED=0"}
	for _, test := range []struct {
		name   string
		source string
		env    []string
		flags  []string
	}{
		{"stripped", program, plain, []string{"-ldflags=-s -w"}},
		{"PIE, stripped", program, plain, []string{"-buildmode=pie", "-ldflags=-s -w"}},
		{"short paths", program, plain, []string{"-trimpath"}},
		{"without optimisation", program, plain, []string{"-gcflags=-N -l"}},
		{"cgo", cgo, []string{"CGO_ENABLED=1"}, []string{"-ldflags=-s -w"}},
		{"cgo, PIE", cgo, []string{"CGO_ENABLED=1"}, []string{"-buildmode=pie"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if strings.HasPrefix(test.name, "cgo") {
				testenv.Tool(t, "gcc")
			}
			if runtime.GOOS != "linux" && test.source == cgo {
				t.Skip("needs a C compiler for Linux")
			}
			b := open(t, build(t, test.source, test.env, test.flags...))
			f := find(t, b, "main.main")
			if f.Frame < 5000 || f.Line == 0 || filepath.Base(f.File) != "main.go" || f.End <= f.Entry {
				t.Errorf("%+v", f)
			}
			if want := runtimeText(t, b.Path); want != 0 && want != b.Text {
				t.Errorf("runtime.text at %#x, Text is %#x", want, b.Text)
			}
			inlined := false
			for pc := f.Entry; pc < f.End; pc++ {
				list := b.Inlined(pc)
				if last := list[len(list)-1]; last.Func != "main.main" {
					t.Fatalf("%+v", list)
				}
				inlined = inlined || list[0].Func == "main.small"
			}
			if want := test.name != "without optimisation"; inlined != want {
				t.Errorf("main.small inlined: %t", inlined)
			}
		})
	}
}

// runtimeText is where a program's table of symbols has runtime.text, 0 in a
// stripped one.
func runtimeText(t *testing.T, path string) uint64 {
	t.Helper()
	e, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	list, _ := e.Symbols()
	for _, s := range list {
		if s.Name == "runtime.text" {
			return s.Value
		}
	}
	return 0
}
