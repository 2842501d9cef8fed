package layout

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/gotool"
)

const keepName = "seamLayoutType" // and a number: a variable for each type

// buildGo links a program with the package's types and gives the type of each
// name. Nothing of the package is changed: what is added stands in an overlay.
func buildGo(ctx context.Context, o Options, env *gotool.Env, c *cSide, names []string) (map[string]*Type, error) {
	p, work, target := c.pkg, c.work, c.target
	if strings.Contains(env.GOFLAGS, "-overlay") {
		return nil, errors.New("GOFLAGS has an -overlay, and seam layout needs its own: remove it")
	}
	for _, foreign := range []string{env.GOMODCACHE, filepath.Join(env.GOROOT, "src")} {
		if rel, err := filepath.Rel(foreign, p.Dir); foreign != "" && err == nil && filepath.IsLocal(rel) {
			return nil, fmt.Errorf("package %s is in %s, where nothing may be added to a build: copy the types into a package of your own", p.ImportPath, foreign)
		}
	}
	overlay := map[string]string{}
	put := func(at, name, text string) error {
		file := filepath.Join(work, name)
		overlay[at] = file
		return os.WriteFile(file, []byte(text), 0o666)
	}
	err := put(filepath.Join(p.Dir, "seam_layout_probe_.go"), "keep.go", keepFile(c, names))
	pattern := "."
	if err == nil && p.Name != "main" {
		// A program beside the package, so that internal packages may be imported.
		pattern = "./seam_layout_probe"
		err = put(filepath.Join(p.Dir, "seam_layout_probe", "main.go"), "main.go",
			fmt.Sprintf("package main\n\nimport _ %q\n\nfunc main() {}\n", p.ImportPath))
	}
	// Checks that were written for older layouts would stop the build.
	for i, name := range checkFiles(".go") {
		at := filepath.Join(p.Dir, name)
		if _, e := os.Stat(at); e == nil && err == nil {
			err = put(at, fmt.Sprintf("checks%d.go", i), "package "+p.Name+"\n")
		}
	}
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(map[string]any{"Replace": overlay})
	if err != nil {
		return nil, err
	}
	list := filepath.Join(work, "overlay.json")
	if err := os.WriteFile(list, text, 0o666); err != nil {
		return nil, err
	}
	program := filepath.Join(work, "program")
	args := append([]string{o.Go, "build"}, o.flags()...)
	args = append(args, "-overlay="+list, "-buildmode=default", "-ldflags=-w=0", "-o", program, pattern)
	if _, err := gotool.Run(ctx, gotool.Cmd{Args: args, Dir: p.Dir}); err != nil {
		return nil, fmt.Errorf("package %s: %w", p.ImportPath, err)
	}
	return readGo(program, names, target)
}

// keepFile is a Go file that keeps types in a program, and their alignments,
// which DWARF does not tell of Go: as the lengths of arrays.
func keepFile(c *cSide, names []string) string {
	p := c.pkg
	var b, use strings.Builder
	// The go command does not see that a header in another folder has changed, and
	// would take what cgo made of the old one.
	fmt.Fprintf(&b, "// Headers: %x\n\npackage %s\n\n", c.headerSum(), p.Name)
	if p.UsesCgo() {
		more := ""
		for _, name := range checkFiles(".h") {
			// A preamble may include checks that are yet to be written.
			if _, err := os.Stat(filepath.Join(p.Dir, name)); errors.Is(err, fs.ErrNotExist) && c.includes(name) {
				more = " '-I" + c.work + "'"
			}
		}
		fmt.Fprintf(&b, "// #cgo CFLAGS: -D%s%s\nimport \"C\"\n", uncheckedMacro, more)
	}
	b.WriteString("import \"unsafe\"\n\n")
	for i, name := range names {
		fmt.Fprintf(&b, "var %[1]s%[2]d *%[3]s\n\nvar %[1]sAlign%[2]d *[unsafe.Alignof(*%[1]s%[2]d)]byte\n\n", keepName, i, name)
		fmt.Fprintf(&use, "\t%[1]sUse(unsafe.Pointer(&%[1]s%[2]d))\n\t%[1]sUse(unsafe.Pointer(&%[1]sAlign%[2]d))\n", keepName, i)
	}
	fmt.Fprintf(&b, "var %[1]sSink unsafe.Pointer\n\n//go:noinline\nfunc %[1]sUse(p unsafe.Pointer) { %[1]sSink = p }\n\nfunc init() {\n%[2]s}\n", keepName, use.String())
	return b.String()
}

// readGo finds the kept types in a program.
func readGo(program string, names []string, target Target) (map[string]*Type, error) {
	data, err := openDWARF(program)
	if err != nil {
		return nil, fmt.Errorf("the program that the go command linked: %w", err)
	}
	plain := func(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }
	x, err := readIndex(data, func(name string) bool { return strings.HasPrefix(plain(name), keepName) })
	if err != nil {
		return nil, err
	}
	for name, at := range x.variables {
		x.variables[plain(name)] = at
	}
	r := newReader(data, target, true)
	pointee := func(variable string) (*Type, error) {
		at, ok := x.variables[variable]
		if !ok {
			return nil, fmt.Errorf("the linker left %s out of the program's DWARF", variable)
		}
		e, _, err := r.entry(at)
		if err != nil {
			return nil, err
		}
		return r.typeOf(e)
	}
	types := map[string]*Type{}
	for i, name := range names {
		t, err := pointee(fmt.Sprint(keepName, i))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		align, err := pointee(fmt.Sprint(keepName, "Align", i))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		whole := *t
		whole.Align = max(1, align.Count)
		types[name] = &whole
	}
	return types, nil
}
