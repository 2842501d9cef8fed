package bind

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/gotool"
	"modernc.org/cc/v4"
)

// A Target is an architecture that bindings are made for, and its C compiler, which knows the
// target's own macros and headers, and checks what we have read.
type Target struct {
	Arch string // GOARCH
	CC   []string

	// shared are the folders of this machine's own headers, which a cross compiler doesn't
	// look into: libraries that are installed for this machine alone have theirs there. The
	// system's own headers are the cross compiler's, which come first.
	shared []string
}

// compilers are the usual names of each target's compiler.
var compilers = map[string][]string{
	"amd64": {"x86_64-linux-gnu-gcc", "gcc"},
	"arm64": {"aarch64-linux-gnu-gcc", "gcc"},
}

// Architectures are what bindings can be made for.
var Architectures = []string{"amd64", "arm64"}

// machine is what a compiler for the target says of itself.
var machine = map[string]string{"amd64": "x86_64", "arm64": "aarch64"}

// Targets returns the targets that there are compilers for, and the architectures without.
func Targets(ctx context.Context) (targets []Target, without []string) {
	for _, arch := range Architectures {
		found := false
		for _, name := range compilers[arch] {
			out, err := gotool.Run(ctx, gotool.Cmd{Args: []string{name, "-dumpmachine"}})
			if err == nil && strings.HasPrefix(string(out), machine[arch]) {
				targets, found = append(targets, Target{Arch: arch, CC: []string{name}}), true
				break
			}
		}
		if !found {
			without = append(without, arch)
		}
	}
	if multiarch, err := gotool.Run(ctx, gotool.Cmd{Args: []string{"gcc", "-print-multiarch"}}); err == nil {
		for i := range targets {
			targets[i].shared = []string{"/usr/include", "/usr/include/" + strings.TrimSpace(string(multiarch))}
		}
	}
	return targets, without
}

// flags are those without this machine's own folders, which pkg-config may name, and which come last for
// another machine.
func (t Target) flags(all []string) []string {
	if t.Arch == runtime.GOARCH {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), func(f string) bool {
		dir, ok := strings.CutPrefix(f, "-I")
		return ok && slices.Contains(t.shared, filepath.Clean(dir))
	})
}

// config asks the compiler for its macros and folders. system are those that it knows without the
// flags, where everybody's headers lie.
func (t Target) config(ctx context.Context, flags []string) (c *cc.Config, system []string, err error) {
	abi, err := cc.NewABI("linux", t.Arch)
	if err != nil {
		return nil, nil, err
	}
	run := func(what string, flags ...string) (string, error) {
		args := append(slices.Concat(t.CC, flags), what, "-x", "c", "-E", "-")
		out, err := gotool.Run(ctx, gotool.Cmd{Args: args, Stdin: strings.NewReader(""), Merge: true})
		return string(out), err
	}
	macros, err := run("-dM", t.flags(flags)...)
	if err != nil {
		return nil, nil, err
	}
	search := func(flags ...string) (folders []string, err error) {
		said, err := run("-v", flags...)
		_, list, _ := strings.Cut(said, "#include <...> search starts here:\n")
		list, _, _ = strings.Cut(list, "End of search list.")
		for f := range strings.Lines(list) {
			folders = append(folders, strings.TrimSpace(f))
		}
		return folders, err
	}
	folders, err := search(t.flags(flags)...)
	if err != nil {
		return nil, nil, err
	}
	if system, err = search(); err != nil {
		return nil, nil, err
	}
	// The front end has no half floats and no vectors of ARM, of which processors' headers are full. A
	// struct with one is of another size for the compiler, which is asked.
	macros += "\n#define _Float16 float\n#undef __ARM_NEON\n"
	return &cc.Config{
		ABI: abi, CC: t.CC[0], Predefined: macros, SysIncludePaths: append(folders, t.shared...), IncludePaths: append([]string{""}, append(folders, t.shared...)...),
		Header: true, EvalAllMacros: true, ABILayout: true, ExpansionLimit: 10_000_000,
	}, append(system, t.shared...), nil
}

// A piece is C that the compiler must take, and what it is about.
type piece struct{ about, text string }

// refusal is the compiler's error, and what the pieces are about in which it is.
type refusal struct {
	about []string
	error
}

func (r *refusal) Unwrap() error { return r.error }

// compile has the compiler read the files, and these pieces. The front end has read the files before, with
// a limit for what macros may grow to, which compilers don't have.
func (t Target) compile(ctx context.Context, flags, files []string, pieces []piece) error {
	var b strings.Builder
	b.WriteString("#include <errno.h>\n#include <stdint.h>\n")
	for _, f := range files {
		fmt.Fprintf(&b, "#include %q\n", f)
	}
	var ends []int // the line behind each piece
	line := 1 + strings.Count(b.String(), "\n")
	for _, p := range pieces {
		b.WriteString(p.text)
		line += strings.Count(p.text, "\n")
		ends = append(ends, line)
	}
	args := slices.Concat(t.CC, t.flags(flags))
	for _, f := range t.shared {
		args = append(args, "-idirafter", f)
	}
	args = append(args, "-std=gnu11", "-w", "-fsyntax-only", "-fmax-errors=0", "-x", "c", "-")
	_, err := gotool.Run(ctx, gotool.Cmd{Args: args, Stdin: strings.NewReader(b.String())})
	e := (*gotool.Error)(nil)
	if !errors.As(err, &e) || e.Output == "" {
		return err
	}
	r := &refusal{error: brief(errors.New(strings.TrimSpace(e.Output)))}
	for _, m := range ourLine.FindAllStringSubmatch(e.Output, -1) {
		n, _ := strconv.Atoi(m[1])
		i := sort.SearchInts(ends, n+1)
		if i < len(pieces) && n >= ends[i]-strings.Count(pieces[i].text, "\n") && !slices.Contains(r.about, pieces[i].about) {
			r.about = append(r.about, pieces[i].about)
		}
	}
	return r
}

// ourLine is how the compiler says in which line of ours an error is, or the macro is used that has it.
var ourLine = regexp.MustCompile(`(?m)^<stdin>:([0-9]+):`)
