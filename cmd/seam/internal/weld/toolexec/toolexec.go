// Package toolexec stands between the go command and its tools (go build
// -toolexec) and rewrites what cgo generates.
//
// Four tools matter. cgo: after it has run for a package, what it wrote is
// rewritten in place, before the go command compiles it; that also changes
// what vet and gopls see, to the same declarations. compile: gets one more file
// for package runtime/cgo, where the run-time lives, because every package that
// calls C imports it and no go.mod mentions it; or is run once more, with that file
// alone. asm: the same. And -V=full:
// the go command asks every tool for its version and makes it a part of the
// names in its cache.
//
// Nothing outside the go command's own work folder is written, so a build that
// is killed leaves nothing behind: an action's result enters the cache when the
// whole action is done.
package toolexec

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/gotool"
	"github.com/seamgo/seam/cmd/seam/internal/weld/cgofile"
)

// Flag is how a build names, for one package and to the go command's cache,
// what is done to the package: -gcflags=PACKAGE=-seam=ID. The compiler never
// sees it.
const Flag = "-seam="

// A Tool is one run of one tool.
type Tool struct {
	Args       []string // the tool's path and its arguments
	Chain      []string // a command that runs the tools: the user's own -toolexec; empty for none
	ImportPath string   // of the package that is built: the go command's TOOLEXEC_IMPORTPATH

	Stdin          io.Reader
	Stdout, Stderr io.Writer

	Transform Transform
	Main      string // the main module, where the program doesn't say it: see Transform.MainVar

	// VersionInCgo makes ID a part of the answer to cgo -V=full: a change
	// rebuilds all packages that use cgo. Without it a user who starts the go
	// command passes Flag for every package that is rewritten.
	VersionInCgo bool

	// Report gets what became of a package; nil: what was skipped goes to Stderr.
	Report func(*cgofile.Package)
}

// Run does it. Errors of the tool itself are *exec.ExitError.
func (t *Tool) Run(ctx context.Context) error {
	if len(t.Args) == 0 {
		return errors.New("no tool to run: seam toolexec is for the go command's -toolexec flag")
	}
	name := strings.TrimSuffix(filepath.Base(t.Args[0]), ".exe")
	path, _, _ := strings.Cut(t.ImportPath, " ") // a test's variant: "p [p.test]"
	switch {
	case len(t.Args) == 2 && t.Args[1] == "-V=full":
		return t.version(ctx, name)
	case name == "cgo" && option(t.Args, "-objdir") != "" && option(t.Args, "-importpath") == runtimeCgo:
		return t.runtimeC(ctx)
	case name == "cgo" && option(t.Args, "-objdir") != "" && path != "" && !standard(t.Args):
		return t.cgo(ctx, path)
	case name == "compile":
		return t.compile(ctx, path)
	case name == "link" && t.Transform.MainVar != "":
		return t.link(ctx)
	case name == "asm" && option(t.Args, "-p") == runtimeCgo:
		return t.asm(ctx)
	}
	return t.exec(ctx, t.Args)
}

const runtimeCgo = "runtime/cgo"

func (t *Tool) exec(ctx context.Context, args []string, env ...string) error {
	cmd := t.command(ctx, args)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = t.Stdin, t.Stdout, t.Stderr
	return cmd.Run()
}

// command is a run of a tool, by the user's own command where there is one.
func (t *Tool) command(ctx context.Context, args []string) *exec.Cmd {
	args = slices.Concat(t.Chain, args)
	return exec.CommandContext(ctx, args[0], args[1:]...)
}

// alone runs a tool of which the go command doesn't know: the user's own command, which does, isn't asked.
func (t *Tool) alone(ctx context.Context, args []string) error {
	own := *t
	own.Chain = nil
	return own.exec(ctx, args)
}

// version answers -V=full.
func (t *Tool) version(ctx context.Context, name string) error {
	if name != "cgo" || !t.VersionInCgo {
		return t.exec(ctx, t.Args)
	}
	var out bytes.Buffer
	cmd := t.command(ctx, t.Args)
	cmd.Stdout, cmd.Stderr = &out, t.Stderr
	if err := cmd.Run(); err != nil {
		return err
	}
	line := strings.TrimSuffix(out.String(), "\n")
	// "cgo version go1.26.8", for a development version with buildID=… last,
	// of which the go command takes the part behind the last slash.
	if i := strings.LastIndex(line, "buildID="); i >= 0 {
		line = line[:i] + "buildID=" + shortHash(line[i:]+t.Transform.ID())
	} else {
		line += " seam " + shortHash(t.Transform.ID())
	}
	_, err := fmt.Fprintln(t.Stdout, line)
	return err
}

func shortHash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:12])
}

// cgo runs cgo and rewrites what it wrote.
func (t *Tool) cgo(ctx context.Context, path string) error {
	if err := t.exec(ctx, t.Args); err != nil {
		return err
	}
	dir := option(t.Args, "-objdir")
	g, err := cgofile.Load(dir)
	if err != nil {
		return fmt.Errorf("package %s: %w", path, err)
	}
	p := &cgofile.Package{Generated: g, ImportPath: path}
	if why := sanitized(t.Args); why != "" {
		for _, f := range g.Functions() {
			p.Skip(f.Name, why)
		}
	} else if err := p.Run(t.Transform.Passes); err != nil {
		return fmt.Errorf("package %s: %w", path, err)
	}
	for name, content := range p.Headers {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			return fmt.Errorf("package %s: %w", path, err)
		}
	}
	if err := g.Save(); err != nil {
		return fmt.Errorf("package %s: %w", path, err)
	}
	if t.Report != nil {
		t.Report(p)
		return nil
	}
	for _, x := range p.Skipped {
		fmt.Fprintf(t.Stderr, "seam: %s.%s stays as it is: %s\n", path, x.Func, x.Reason)
	}
	return nil
}

// runtimeC runs cgo for package runtime/cgo and adds C to what it wrote.
func (t *Tool) runtimeC(ctx context.Context) error {
	rt, err := t.Transform.Runtime(goarch(t.Args))
	if err != nil {
		return err
	}
	if len(rt.C) == 0 || sanitized(t.Args) != "" {
		return t.exec(ctx, t.Args)
	}
	dir := option(t.Args, "-objdir")
	flags := os.Getenv("CGO_LDFLAGS")
	if len(rt.LDFlags) > 0 && links(ctx, dir, rt.LDFlags) {
		flags += " " + strings.Join(rt.LDFlags, " ")
	}
	if err := t.exec(ctx, t.Args, "CGO_LDFLAGS="+flags); err != nil {
		return err
	}
	file := filepath.Join(dir, "_cgo_export.c")
	src, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, rt.CName), rt.C, 0o600); err != nil {
		return err
	}
	return os.WriteFile(file, append([]byte("#include \""+rt.CName+"\"\n"), src...), 0o600)
}

// links reports whether this build's linker has the flags: zig's has not.
func links(ctx context.Context, dir string, flags []string) bool {
	src, program := filepath.Join(dir, "seam_links.c"), filepath.Join(dir, "seam_links")
	defer os.Remove(src)
	defer os.Remove(program)
	if os.WriteFile(src, []byte("int main(void) { return 0; }\n"), 0o600) != nil {
		return false
	}
	var args []string
	for i, words := range []string{cmp.Or(os.Getenv("CC"), "gcc"), os.Getenv("CGO_CFLAGS"), os.Getenv("CGO_LDFLAGS")} {
		list, err := gotool.SplitQuoted(words)
		if err != nil || i == 0 && len(list) == 0 {
			return false
		}
		args = append(args, list...)
	}
	args = append(args, "-o", program, src)
	return exec.CommandContext(ctx, args[0], append(args[1:], flags...)...).Run() == nil
}

// sanitized tells why a package is left alone.
func sanitized(args []string) string {
	switch {
	case slices.Contains(args, "-fsanitize=address"):
		return "built with -asan"
	case slices.Contains(args, "-fsanitize=memory"):
		return "built with -msan"
	}
	return ""
}

// compile runs the compiler without our flag, with the run-time in package
// runtime/cgo, and with the constant that says "race" set where it is.
func (t *Tool) compile(ctx context.Context, path string) error {
	args := slices.DeleteFunc(slices.Clone(t.Args), func(a string) bool { return strings.HasPrefix(a, Flag) })
	switch {
	case option(args, "-p") == runtimeCgo:
		rt, err := t.Transform.Runtime(goarch(args))
		if err != nil {
			return err
		}
		if len(rt.Go) == 0 {
			break
		}
		if rt.Apart {
			if err := t.exec(ctx, args); err != nil {
				return err
			}
			return t.compileApart(ctx, args, rt)
		}
		if args, err = t.addFiles(ctx, args, rt); err != nil {
			return err
		}
	case slices.Contains(args, "-race"):
		if err := setRace(args); err != nil {
			return fmt.Errorf("package %s: %w", path, err)
		}
	}
	return t.exec(ctx, args)
}

// addFiles adds the run-time's files to a compilation.
func (t *Tool) addFiles(ctx context.Context, args []string, rt Runtime) ([]string, error) {
	name, err := t.workFile(args, "seam_runtime.go", rt.Go)
	if err != nil {
		return nil, err
	}
	args = append(slices.Clone(args), name)
	more := rt.WithoutRuntime
	if len(rt.WithRuntime) > 0 {
		changed, ok, err := t.importRuntime(ctx, args)
		if err != nil {
			return nil, err
		}
		if ok {
			args, more = changed, rt.WithRuntime
		}
	}
	if len(more) > 0 {
		if name, err = t.workFile(args, "seam_with_runtime.go", more); err != nil {
			return nil, err
		}
		args = append(args, name)
	}
	return args, nil
}

// RaceOff and RaceOn are the forms of the constant that tells rewritten stubs
// whether the race detector is on. cgo isn't told; the compiler is.
const (
	RaceOff = "\nconst _seam_race = false\n"
	RaceOn  = "\nconst _seam_race = true\n"
)

func setRace(args []string) error {
	for _, a := range args {
		if filepath.Base(a) != "_cgo_gotypes.go" {
			continue
		}
		src, err := os.ReadFile(a)
		if err != nil {
			return err
		}
		if changed := bytes.Replace(src, []byte(RaceOff), []byte(RaceOn), 1); !bytes.Equal(changed, src) {
			return os.WriteFile(a, changed, 0o600)
		}
	}
	return nil
}

// link tells the program what it is. The go command replaces the build ID wherever it finds
// it, when it knows the final one.
func (t *Tool) link(ctx context.Context) error {
	cfg, err := os.ReadFile(option(t.Args, "-importcfg"))
	if err != nil {
		return err
	}
	id := ""
	for _, a := range t.Args {
		if value, ok := strings.CutPrefix(a, "-buildid="); ok {
			id = value
		}
	}
	flag := "-X=" + t.Transform.MainVar + "=" + cmp.Or(mainModule(cfg), t.Main) + "\t" + id
	return t.exec(ctx, slices.Insert(slices.Clone(t.Args), 1, flag))
}

// modinfoFrame is what surrounds the text about modules that programs hold.
const modinfoFrame = 16

// mainModule finds the main module in an importcfg of the linker; "" where a program was built
// from files, or without modules.
func mainModule(cfg []byte) string {
	for line := range strings.Lines(string(cfg)) {
		quoted, ok := strings.CutPrefix(strings.TrimSpace(line), "modinfo ")
		if !ok {
			continue
		}
		info, err := strconv.Unquote(quoted)
		if err != nil || len(info) < 2*modinfoFrame {
			return ""
		}
		for line := range strings.Lines(info[modinfoFrame : len(info)-modinfoFrame]) {
			if f := strings.Split(strings.TrimSpace(line), "\t"); len(f) > 1 && f[0] == "mod" {
				return f[1]
			}
		}
	}
	return ""
}

// asm adds to the assembly of package runtime/cgo.
func (t *Tool) asm(ctx context.Context) error {
	rt, err := t.Transform.Runtime(goarch(t.Args))
	if err != nil {
		return err
	}
	args := slices.Clone(t.Args)
	if len(rt.Asm) == 0 {
		return t.exec(ctx, args)
	}
	for i, a := range args {
		if !strings.HasPrefix(filepath.Base(a), "asm_") || filepath.Ext(a) != ".s" || i == 0 || args[i-1] == "-o" {
			continue
		}
		if !filepath.IsAbs(a) { // the tool is run in the package's folder
			wd, err := os.Getwd()
			if err != nil {
				return err
			}
			a = filepath.Join(wd, a)
		}
		src, err := os.ReadFile(a)
		if err != nil {
			return err
		}
		if r := rt.Rename; r.Old != "" {
			if n := bytes.Count(src, []byte(r.Old)); n != 1 {
				return fmt.Errorf("%s has %q %d times, want once: seam doesn't know this version of Go", a, r.Old, n)
			}
			src = bytes.Replace(src, []byte(r.Old), []byte(r.New), 1)
		}
		if !rt.Apart {
			src = append(append(src, '\n'), rt.Asm...)
		}
		if args[i], err = t.workFile(args, filepath.Base(a), src); err != nil {
			return err
		}
		if rt.Apart {
			if err := t.asmApart(ctx, args, i, rt); err != nil {
				return err
			}
		}
	}
	return t.exec(ctx, args)
}

// workFile writes a file into a folder of ours beside a tool's output.
func (t *Tool) workFile(args []string, name string, content []byte) (string, error) {
	out := option(args, "-o")
	if out == "" {
		return "", fmt.Errorf("%s was started without -o, which the go command always gives", filepath.Base(args[0]))
	}
	dir := filepath.Join(filepath.Dir(out), "seam")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	file := filepath.Join(dir, name)
	if err := os.WriteFile(file, content, 0o600); err != nil {
		return "", err
	}
	return file, nil
}

// option returns the argument that follows an option of a tool.
func option(args []string, name string) string {
	if i := slices.Index(args, name); i >= 0 && i+1 < len(args) {
		return args[i+1]
	}
	return ""
}

// standard reports whether cgo works on a package of the standard library: it is
// run in the package's folder.
func standard(cgoArgs []string) bool {
	if option(cgoArgs, "-importpath") == runtimeCgo {
		return true
	}
	wd, err := os.Getwd()
	root := os.Getenv("GOROOT") // the go command sets it for its tools
	return err == nil && root != "" && strings.HasPrefix(wd, filepath.Join(root, "src")+string(filepath.Separator))
}

var archDefine = regexp.MustCompile(`^GOARCH_(\w+)$`)

// goarch is the architecture that a tool works for: the go command sets it in
// the environment, and tells the assembler by a definition.
func goarch(args []string) string {
	for i, a := range args {
		if i > 0 && args[i-1] == "-D" {
			if m := archDefine.FindStringSubmatch(a); m != nil {
				return m[1]
			}
		}
	}
	return os.Getenv("GOARCH")
}
