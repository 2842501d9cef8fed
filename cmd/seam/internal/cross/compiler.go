package cross

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/compiler"
	"github.com/seamgo/seam/cmd/seam/internal/gotool"
)

// A Compiler is one that compiles for a target.
type Compiler struct {
	Name    string // for people: "zig 0.17.1"
	CC, CXX string // command lines, as the go command takes them
	Note    string // what is to be known of its programs
}

// A finder looks for what there is on this machine. Tests have one of their own.
type finder struct {
	host string // GOOS/GOARCH of this machine
	look func(name string) (path string, ok bool)
	ask  func(argv ...string) (string, bool) // what a command prints
}

func onPath(name string) (string, bool) {
	path, err := exec.LookPath(name)
	return path, err == nil
}

func ask(argv ...string) (string, bool) {
	out, err := exec.Command(argv[0], argv[1:]...).Output()
	return strings.TrimSpace(string(out)), err == nil
}

// Find finds a compiler for the target: Zig first, which has every C library inside and
// takes the version of glibc; then what distributions call TRIPLE-gcc; then this machine's
// own gcc, or musl-gcc for static programs.
func (t Target) Find(e *gotool.Env) (*Compiler, error) { return here(e).find(t) }

func here(e *gotool.Env) finder { return finder{e.GOHOSTOS + "/" + e.GOHOSTARCH, onPath, ask} }

// PkgConfig is what pkg-config has to know on top of the environment.
func (t Target) PkgConfig(e *gotool.Env) []string { return t.pkgConfig(here(e), os.Getenv) }

// Given is the compiler that the environment names. Its command lines may hold flags, and stay
// as they are but for -static.
func (t Target) Given(e *gotool.Env, cc, cxx string) *Compiler {
	c := &Compiler{Name: "CC of the environment", CC: cc, CXX: cxx}
	if cxx == "" {
		c.CXX = e.CXX
		if e.GOHOSTOS+"/"+e.GOHOSTARCH != t.String() {
			c.Note = "CC is set and CXX isn't: C++ is compiled by " + c.CXX
		}
	}
	if t.Static {
		c.CC += " -static"
		c.CXX += " -static"
	}
	return c
}

// Other is what to say of a compiler of the environment that compiles for another machine, as far
// as it tells for which: "" otherwise. -m32 makes one of the other, and isn't told.
func (t Target) Other(cc string) string { return t.other(finder{ask: ask}, cc) }

func (t Target) other(f finder, cc string) string {
	words, err := gotool.SplitQuoted(cc)
	if err != nil || len(words) == 0 {
		return ""
	}
	triple, ok := f.ask(append(words, "-dumpmachine")...)
	machine, system, more := strings.Cut(triple, "-")
	if !ok || !more {
		return ""
	}
	x86 := func(goarch string) bool { return goarch == "386" || goarch == "amd64" }
	for goarch, m := range machines {
		if other := m.Debian == machine && goarch != t.GOARCH && !(x86(goarch) && x86(t.GOARCH)); other || strings.Contains(system, "linux") && t.GOOS != "linux" {
			return fmt.Sprintf("CC=%s compiles for %s, and the target is %s: without CC in the environment seam cross looks for a compiler", cc, triple, t)
		}
	}
	return ""
}

// GivenCXX makes c compile C++ with what the environment names, where that names no compiler for C.
func (t Target) GivenCXX(c *Compiler, cxx string) {
	note := "CXX is set and CC isn't: C is compiled by " + c.CC
	if c.Note != "" {
		note += "; " + c.Note
	}
	c.Note = note
	c.CXX = cxx
	if t.Static {
		c.CXX += " -static"
	}
}

func (f finder) find(t Target) (*Compiler, error) {
	for _, try := range []func(Target) *Compiler{f.zig, f.musl, f.gcc} {
		if c := try(t); c != nil {
			return c, nil
		}
	}
	return nil, f.none(t)
}

func (f finder) zig(t Target) *Compiler {
	zig, ok := f.look("zig")
	for _, python := range []string{"python3", "python"} {
		if ok {
			break
		}
		if _, found := f.look(python); !found {
			continue
		}
		// Without "" in sys.path: a package of that name in the folder at hand is somebody's code.
		const where = "import os, sys; sys.path = [p for p in sys.path if p]; import ziglang; print(os.path.dirname(ziglang.__file__))"
		var folder string
		if folder, ok = f.ask(python, "-c", where); ok {
			zig, ok = f.look(filepath.Join(folder, "zig"))
		}
	}
	if !ok {
		return nil
	}
	version, ok := f.ask(zig, "version")
	if !ok || newer(leastZig[t.GOOS], version) {
		return nil
	}
	// Where no flag asks for optimization, as with CGO_CFLAGS set to -I alone, Zig compiles with
	// checks for undefined behaviour, and then doesn't link what they call. A -fsanitize of the
	// user's comes later in the command line, and wins.
	rest := append([]string{"-target", t.zig(), "-fno-sanitize=undefined"}, t.processor(true)...)
	return with("zig "+version, slices.Concat([]string{zig, "cc"}, rest), slices.Concat([]string{zig, "c++"}, rest), t)
}

// musl finds gcc with musl, for static programs: glibc's own static library wants its shared
// one again where a name is looked up.
func (f finder) musl(t Target) *Compiler {
	if !t.Static || t.GOOS != "linux" {
		return nil
	}
	m := machines[t.GOARCH]
	names := []string{m.Debian + "-linux-musl" + t.abi() + "-gcc"}
	if f.host == t.String() {
		names = append(names, "musl-gcc")
	}
	for _, name := range names {
		if _, ok := f.look(name); !ok {
			continue
		}
		cxx := strings.TrimSuffix(name, "gcc") + "g++"
		c := with(name, append([]string{name}, t.processor(false)...), append([]string{cxx}, t.processor(false)...), t)
		if _, ok := f.look(cxx); !ok {
			c.Note = "there is no " + cxx + ": packages with C++ can't be built by " + name
		}
		return c
	}
	return nil
}

func (f finder) gcc(t Target) *Compiler {
	prefix := strings.TrimSuffix(t.gcc(), "gcc")
	if _, ok := f.look(t.gcc()); !ok {
		if prefix = ""; f.host != t.String() {
			return nil
		}
		if _, ok := f.look("gcc"); !ok {
			return nil
		}
	}
	c := with(prefix+"gcc", append([]string{prefix + "gcc"}, t.processor(false)...), append([]string{prefix + "g++"}, t.processor(false)...), t)
	switch {
	case t.Glibc != "":
		c.Note = "gcc links with the glibc that is installed: only Zig (" + compiler.HowToGet("zig") + ") can link for an older one"
	case t.Static && t.GOOS == "linux":
		c.Note = "even in static programs glibc loads shared libraries to look up hosts and users: a program with package net or os/user needs -tags netgo,osusergo"
	}
	return c
}

// with makes a compiler of command lines. The flag that makes programs static is a part of
// them: the go command links with what compiles.
func with(name string, cc, cxx []string, t Target) *Compiler {
	if t.Static {
		cc, cxx = append(cc, "-static"), append(cxx, "-static")
	}
	return &Compiler{Name: name, CC: join(cc), CXX: join(cxx)}
}

func join(words []string) string {
	line, err := gotool.JoinQuoted(words)
	if err != nil {
		return strings.Join(words, " ") // both kinds of quotation marks in a path: the go command will say so
	}
	return line
}

// none says how to get a compiler.
func (f finder) none(t Target) error {
	zig := "zig"
	if least := leastZig[t.GOOS]; least != "" {
		zig += " " + least + " or later"
	}
	text := fmt.Sprintf("no C compiler for %s was found. Get one of these:\n\t%s: %s", t, zig, compiler.HowToGet("zig"))
	gccs := []string{t.gcc()}
	if f.host == t.String() {
		gccs[0] = "gcc"
		if t.Static {
			gccs = append(gccs, "musl-gcc")
		}
	}
	for _, gcc := range gccs {
		if get := compiler.HowToGet(gcc); gcc != "" && get != "" {
			text += "\n\t" + gcc + ": " + get
		}
	}
	return fmt.Errorf("%s", text)
}
