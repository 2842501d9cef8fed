// Package bind writes Go packages for C libraries, from their headers, over module dl.
//
// The headers are read by a C front end (modernc.org/cc/v4) once for each architecture, with the macros and folders
// of that architecture's compiler. What the front end says of sizes, offsets and constants
// is then put to that compiler, in one file of static assertions. What it reads otherwise, no Go code can have, or no
// library exports, is not bound, and named with its reason.
package bind

import (
	"bytes"
	"context"
	"debug/elf"
	"errors"
	"fmt"
	"go/format"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/gotool"
	"github.com/seamgo/seam/cmd/seam/internal/wordlines"
)

// Options say what to bind.
type Options struct {
	Headers []string
	Libs    []string       // sonames, in the order in which Load tries them
	Package string         // the Go package's name
	CFlags  []string       // -I and -D
	Trim    []string       // prefixes that Go names don't have
	Match   *regexp.Regexp // which functions and macros with parameters; nil for all
	Except  *regexp.Regexp // which of these not; nil for none
	Leaf    *regexp.Regexp // which functions are leaves
	Symbols string         // the library's file, to see what it exports; "" to look for it
	Command string         // for the file's head
	File    *File          // a bind.seam; nil if there is none

	elsewhere map[string]string // what others of Libs export, and which
}

// A Result is what was made of the headers.
type Result struct {
	Files     map[string][]byte // by name
	Functions int               // that are bound
	Refused   []Refused
	Targets   []string  // architectures that a compiler has checked
	Without   []string  // and for which there is no compiler
	Unread    []Refused // architectures for which the headers can't be read, as they are installed here
	Checks    int       // what was asserted, of all targets
	Library   string    // the file whose symbols were looked at; "" if none was found
}

// Run reads the headers and writes the package, in memory.
func Run(ctx context.Context, o Options) (*Result, error) {
	targets, without := Targets(ctx)
	if len(targets) == 0 {
		return nil, errors.New("there is no C compiler for any of " + strings.Join(without, ", ") + ": generating needs one, building doesn't")
	}
	if o.Symbols == "" {
		o.Symbols = libraryFile(ctx, targets[0], o.Libs)
	}
	exported, err := symbols(o.Symbols)
	if err != nil {
		return nil, err
	}
	if o.elsewhere, err = elsewhere(ctx, targets[0], o); err != nil {
		return nil, err
	}
	r := &Result{Files: map[string][]byte{}, Without: without, Library: o.Symbols}
	var all []*generator
	for _, t := range targets {
		u, err := read(ctx, t, o)
		if err != nil && t.Arch != runtime.GOARCH && ctx.Err() == nil && len(all) > 0 {
			// Headers that are installed for this machine may say what is true for it alone.
			r.Unread = append(r.Unread, Refused{t.Arch, err.Error()})
			continue
		}
		if err != nil {
			return nil, err
		}
		g, err := agreed(ctx, u, o, exported)
		if err != nil {
			return nil, err
		}
		r.Checks += len(g.asserts)
		r.Targets = append(r.Targets, t.Arch)
		all = append(all, g)
	}
	r.Functions, r.Refused = len(all[0].funcs), all[0].refused
	if r.Functions == 0 && len(all[0].decls) == 0 {
		return nil, fmt.Errorf("nothing that %s declares can be bound: name the headers that have the declarations%s", strings.Join(o.Headers, " or "), all[0].others())
	}
	return r, write(r, o, all)
}

// libraryFile returns the file of the first of the libraries that the target's compiler knows, or "".
func libraryFile(ctx context.Context, t Target, libs []string) string {
	for _, l := range libs {
		out, err := gotool.Run(ctx, gotool.Cmd{Args: append(slices.Clone(t.CC), "-print-file-name="+l)})
		if file := strings.TrimSpace(string(out)); err == nil && filepath.IsAbs(file) && isFile(file) {
			return file
		}
	}
	return ""
}

// elsewhere returns what those of the libraries export that aren't looked at, and which does.
func elsewhere(ctx context.Context, t Target, o Options) (map[string]string, error) {
	all := map[string]string{}
	for _, l := range o.Libs {
		file := libraryFile(ctx, t, []string{l})
		if file == o.Symbols {
			continue
		}
		list, err := symbols(file)
		if err != nil {
			return nil, err
		}
		for s := range list {
			all[s] = l
		}
	}
	return all, nil
}

// symbols returns what a library exports, or nil.
func symbols(file string) (map[string]bool, error) {
	if file == "" {
		return nil, nil
	}
	f, err := elf.Open(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	defer f.Close()
	list, err := f.DynamicSymbols()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	exported := map[string]bool{}
	for _, s := range list {
		if s.Section != elf.SHN_UNDEF {
			exported[s.Name] = true
		}
	}
	return exported, nil
}

// agreed generates what the target's compiler agrees to: types and constants that it reads otherwise, and
// functions that it can't call, are not bound.
func agreed(ctx context.Context, u *unit, o Options, exported map[string]bool) (*generator, error) {
	distrusted := map[string]bool{}
	for {
		g := generate(u, o, exported, distrusted)
		if err := errors.Join(g.errs[:min(len(g.errs), wordlines.MaxErrors)]...); err != nil {
			return nil, err
		}
		err := g.verify(ctx)
		if err == nil {
			return g, nil
		}
		before := len(distrusted)
		if r := (*refusal)(nil); errors.As(err, &r) {
			for _, c := range r.about {
				distrusted[c] = true
			}
			delete(distrusted, "") // no function's
		}
		if len(distrusted) == before {
			return nil, err
		}
	}
}

// verify puts what we have read to the target's compiler.
func (g *generator) verify(ctx context.Context) error {
	var pieces []piece
	for _, a := range g.asserts {
		text := fmt.Sprintf("_Static_assert(%s, %q);\n", a.expr, a.expr)
		if a.member != "" {
			text = fmt.Sprintf("#pragma push_macro(%q)\n#undef %s\n%s#pragma pop_macro(%q)\n", a.member, a.member, text, a.member)
		}
		pieces = append(pieces, piece{a.c, text})
	}
	called := map[string]string{}
	for _, f := range g.funcs {
		called[f.goName] = f.c
	}
	for _, d := range g.decls {
		pieces = append(pieces, piece{called[d.name], d.c})
	}
	if err := g.target.compile(ctx, g.o.CFlags, g.files, pieces); err != nil {
		return fmt.Errorf("%s disagrees with what was read of the headers: %w", g.target.CC[0], err)
	}
	return nil
}

const bitHelpers = `// getBits reads n bits from the bit first of what p points to.
func getBits(p unsafe.Pointer, first, n uint) (x uint64) {
	for i := range n {
		b := *(*byte)(unsafe.Add(p, (first+i)/8))
		x |= uint64(b>>((first+i)%8)&1) << i
	}
	return x
}

// setBits writes them.
func setBits(p unsafe.Pointer, first, n uint, x uint64) {
	for i := range n {
		b := (*byte)(unsafe.Add(p, (first+i)/8))
		*b = *b&^(1<<((first+i)%8)) | byte(x>>i&1)<<((first+i)%8)
	}
}
`

// write makes the files: one for what is the same everywhere, and one for what an
// architecture has in its own way.
func write(r *Result, o Options, all []*generator) error {
	shared := map[string]bool{}
	for _, d := range all[0].decls {
		same := true
		for _, g := range all[1:] {
			same = same && slices.ContainsFunc(g.decls, func(e decl) bool { return e == d })
		}
		shared[d.name] = same
	}
	var common, commonC strings.Builder
	if o.viaCgo() {
		common.WriteString(loadCgo(all[0]))
	} else {
		common.WriteString(load(o, all[0]))
	}
	for _, d := range all[0].decls {
		if shared[d.name] {
			common.WriteString(d.text + "\n")
			commonC.WriteString(d.c)
		}
	}
	common.WriteString(all[0].layerHelpers())
	if slices.ContainsFunc(all, func(g *generator) bool { return g.bits }) {
		common.WriteString(bitHelpers + "\n")
	}
	if len(r.Refused) > 0 {
		common.WriteString("// Not bound:\n//\n")
		for _, x := range r.Refused {
			fmt.Fprintf(&common, "//   - %s: %s\n", x.Name, x.Why)
		}
	}
	if err := file(r, o, o.Package+".go", "linux && ("+strings.Join(r.Targets, " || ")+")", common.String(), commonC.String()); err != nil {
		return err
	}
	for _, g := range all {
		var own, ownC strings.Builder
		for _, d := range g.decls {
			if !shared[d.name] {
				own.WriteString(d.text + "\n")
				ownC.WriteString(d.c)
			}
		}
		if own.Len() > 0 {
			if err := file(r, o, o.Package+"_"+g.target.Arch+".go", "linux", own.String(), ownC.String()); err != nil {
				return err
			}
		}
	}
	return nil
}

// imports are what generated code may need, by its qualifier.
var imports = [][2]string{
	{"context.", `"context"`}, {"fmt.", `"fmt"`}, {"math.", `"math"`}, {"runtime.", `"runtime"`}, {"strings.", `"strings"`}, {"sync.", `"sync"`}, {"atomic.", `"sync/atomic"`}, {"syscall.", `"syscall"`}, {"unsafe.", `"unsafe"`},
	{"coro.", `"github.com/seamgo/seam/coro"`}, {"coro.Options{", `_ "github.com/seamgo/seam/coro/netio" // waits of libc's in coroutines are Go's`},
	{"dl.", `"github.com/seamgo/seam/dl"`}, {"leaf.", `"github.com/seamgo/seam/leaf"`},
}

// file makes one Go file. c is what it calls through cgo.
func file(r *Result, o Options, name, constraint, body, c string) error {
	var b strings.Builder
	if o.File != nil {
		constraint = strings.Join(append([]string{constraint}, o.File.Build...), " && ")
	}
	fmt.Fprintf(&b, "// Code generated by %s. DO NOT EDIT.\n\n//go:build %s\n\n", o.Command, constraint)
	first := name == o.Package+".go"
	if first {
		how := "without cgo"
		if o.viaCgo() {
			how = "through cgo"
		}
		headers := o.Headers
		if o.File != nil {
			headers = o.File.Headers // as they stand there, wherever that is
		}
		fmt.Fprintf(&b, "// Package %s calls %s, declared in %s, %s.\n", o.Package, strings.Join(o.Libs, " or "), strings.Join(headers, " and "), how)
	}
	fmt.Fprintf(&b, "package %s\n\n", o.Package)
	if c != "" || first && o.viaCgo() {
		b.WriteString(preamble(o, c, first))
	}
	var list []string
	for _, i := range imports {
		if uses(body, i[0]) {
			list = append(list, i[1])
		}
	}
	if len(list) > 0 {
		fmt.Fprintf(&b, "import (\n\t%s\n)\n\n", strings.Join(list, "\n\t"))
	}
	b.WriteString(body)
	text, err := format.Source([]byte(b.String()))
	if err != nil {
		return fmt.Errorf("what was written for %s is no Go, which is a bug: %w", name, err)
	}
	r.Files[name] = text
	return nil
}

// uses reports whether code, not comments, has the qualifier.
func uses(body, qualifier string) bool {
	for line := range strings.Lines(body) {
		code, _, _ := strings.Cut(line, "//")
		for at := strings.Index(code, qualifier); at >= 0; {
			if at == 0 || !isLetter(code[at-1]) {
				return true
			}
			next := strings.Index(code[at+1:], qualifier)
			if next < 0 {
				break
			}
			at += 1 + next
		}
	}
	return false
}

func isLetter(c byte) bool {
	return c == '_' || c == '.' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// load writes the variables that hold the functions, and what fills them.
func load(o Options, g *generator) string {
	var b strings.Builder
	names := make([]string, len(o.Libs))
	for i, l := range o.Libs {
		names[i] = fmt.Sprintf("%q", l)
	}
	fmt.Fprintf(&b, `// Lib is the library, once [Load] has loaded it.
var Lib *dl.Lib

// Load loads the library, by the first of the names that can be loaded; without names, by
// %s. Call it once, before all else. A function that the library lacks panics when it is called:
// Has tells.
func Load(names ...string) error {
	if len(names) == 0 {
		names = []string{%s}
	}
	lib, err := dl.Open(names...)
	if err != nil {
		return err
	}
	Lib = lib
`, strings.Join(o.Libs, " or "), strings.Join(names, ", "))
	for _, f := range g.funcs {
		how, bound := "Optional", ""
		switch f.mode.Mode {
		case "leaf":
			how = "OptionalLeaf"
		case "offload":
			bound = fmt.Sprintf(", dl.Bound(%d)", f.mode.Bound)
		}
		fmt.Fprintf(&b, "\t%s = dl.%s[%sArgs](lib, %q%s)\n", f.args, how, f.args, f.c, bound)
	}
	if v := g.o.File; v != nil && v.Version != nil {
		fmt.Fprintf(&b, "\tif !lib.Has(%q) {\n\t\treturn fmt.Errorf(\"%s: the library has no %s, by which it would tell its version\")\n\t}\n\treturn sameVersion()\n", v.Version.Func, o.Package, v.Version.Func)
	} else {
		b.WriteString("\treturn nil\n")
	}
	b.WriteString("}\n\n// Has reports whether the library has a function, by its name in C. Some versions lack some.\nfunc Has(function string) bool { return Lib.Has(function) }\n\n")
	return b.String()
}

// Install writes the files to a folder, and removes what an earlier run has written there and
// this one has not.
func (r *Result) Install(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	stale, err := r.stale(dir)
	if err != nil {
		return err
	}
	for name, text := range r.Files {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o666); err != nil {
			return err
		}
	}
	for _, name := range stale {
		if _, ours := r.Files[name]; !ours {
			if err := os.Remove(filepath.Join(dir, name)); err != nil {
				return err
			}
		}
	}
	return nil
}

// Differing returns the names of files in the folder that are not as they would be written.
func (r *Result) Differing(dir string) ([]string, error) { return r.stale(dir) }

// stale are files that differ from ours, are missing, or were written for architectures that we have no
// file for.
func (r *Result) stale(dir string) (names []string, err error) {
	for name, want := range r.Files {
		got, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
		if !bytes.Equal(got, want) {
			names = append(names, name)
		}
	}
	base := ""
	for name := range r.Files {
		if base == "" || len(name) < len(base) {
			base = name
		}
	}
	for _, arch := range Architectures {
		name := strings.TrimSuffix(base, ".go") + "_" + arch + ".go"
		if _, ours := r.Files[name]; !ours && isFile(filepath.Join(dir, name)) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}

func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}
