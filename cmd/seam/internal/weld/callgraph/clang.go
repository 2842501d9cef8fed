package callgraph

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// clang writes no call graph, but its assembly has all calls: those by name, and those through
// a pointer. What it doesn't show is where the pointers come from, so in a package that
// exports Go functions each may lead to one.

// clangFlags make clang write how much stack each function takes, and no jumps through tables,
// which look like calls through pointers in the last place.
var clangFlags = []string{"-fstack-usage", "-fno-jump-tables"}

// unknownPlace is where clang's functions call through pointers.
const unknownPlace = "?"

var functionType = regexp.MustCompile(`^\s*\.type\s+([A-Za-z_$][\w.$]*)\s*,\s*[@%]function`)

// readClang reads the assembly that clang wrote for a file, and its list of stack use.
func readClang(file, assembly, stackUse string) (*unit, error) {
	u := &unit{}
	f, err := os.Open(assembly)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := u.readFunctions(f, filepath.Base(file)); err != nil {
		return nil, err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	if err := readAssembly(u, f); err != nil {
		return nil, err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	ways, err := readFlow(u, f)
	if err != nil {
		return nil, err
	}
	for _, fn := range u.Funcs {
		fn.callsIn(ways[symbolOf(fn.Name)])
	}
	markDoomed(u, ways)
	return u, u.readStackUse(stackUse)
}

// readFunctions lists the functions that assembly defines. The names of static ones get the
// file's name in front, as gcc has them.
func (u *unit) readFunctions(r io.Reader, file string) error {
	var names []string
	global, here := map[string]bool{}, map[string]bool{} // an alias has the type too, but is nowhere
	lines := bufio.NewReaderSize(r, 64<<10)
	for {
		line, err := shortLine(lines)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if m := functionType.FindStringSubmatch(line); m != nil && !slices.Contains(names, m[1]) {
			names = append(names, m[1])
		} else if words := strings.Fields(line); len(words) > 1 && (words[0] == ".globl" || words[0] == ".weak") {
			global[words[1]] = true
		} else if m := label.FindStringSubmatch(line); m != nil {
			here[m[1]] = true
		}
	}
	for _, name := range names {
		if !here[name] {
			continue
		}
		if !global[name] {
			name = file + ":" + name
		}
		u.Funcs = append(u.Funcs, &function{Name: name, Dynamic: true})
	}
	return nil
}

// callsIn takes over the calls that a function's instructions make.
func (f *function) callsIn(ways *flow) {
	if ways == nil {
		f.Calls, f.Through = []string{indirectCall}, []string{unknownPlace} // what it calls isn't known
		return
	}
	for _, b := range ways.blocks {
		for _, name := range b.calls {
			switch {
			case name == trap:
				continue
			case name == "":
				name = indirectCall
				f.Through = []string{unknownPlace}
			}
			if !slices.Contains(f.Calls, name) {
				f.Calls = append(f.Calls, name)
			}
		}
	}
}

// readStackUse reads "file.c:function	24	static". Without a list the stack use stays open.
func (u *unit) readStackUse(name string) error {
	src, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	of := map[string]*function{}
	for _, f := range u.Funcs {
		of[symbolOf(f.Name)] = f
	}
	for line := range strings.Lines(string(src)) {
		fields := strings.Split(strings.TrimSpace(line), "\t")
		if len(fields) != 3 {
			continue
		}
		f := of[symbolOf(fields[0])]
		n, err := strconv.ParseInt(fields[1], 10, 64)
		if f == nil || err != nil || n < 0 {
			continue
		}
		f.Stack, f.Dynamic = n, fields[2] != "static"
	}
	return nil
}
