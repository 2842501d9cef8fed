package cross

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/gotool"
)

// A Build is a go command line that builds for a target, maybe with seam weld in front.
type Build struct {
	Target   Target
	Compiler *Compiler
	Command  *gotool.Command
	Weld     []string // "seam", "weld" and its flags; empty without
	Settings []string // of the environment besides: pkg-config's
	Exec     []string // what runs the target's programs, for go run and go test
}

// Parse takes a command line apart: "go build ./cmd/x", or "seam weld -- go build ./cmd/x".
func Parse(t Target, args []string) (*Build, error) {
	b := &Build{Target: t}
	if i := slices.IndexFunc(args, gotool.IsGo); i > 0 {
		front := args[:i]
		if front[len(front)-1] == "--" {
			front = front[:len(front)-1]
		}
		if len(front) < 2 || filepath.Base(front[0]) != "seam" || front[1] != "weld" {
			return nil, fmt.Errorf("%q can't stand in front of the go command: only seam weld can", strings.Join(front, " "))
		}
		b.Weld, args = front, args[i:]
	}
	c, err := gotool.Parse(args)
	if err != nil {
		return nil, err
	}
	if b.Command = c; c.RunsProgram() && len(b.Weld) > 0 {
		return nil, fmt.Errorf("seam weld in front of go %s would run what it builds on this machine: use go build or go test -c, and run that on the target or by an emulator", c.Verb)
	}
	switch mode, _ := c.Flag("buildmode"); mode {
	case "archive", "c-archive", "plugin", "shared":
		return nil, fmt.Errorf("-buildmode=%s makes no program, and what it makes can't be checked", mode)
	}
	for _, pkg := range c.Packages() {
		if strings.Contains(pkg, "@") {
			return nil, fmt.Errorf("where %s ends up can't be asked of the go command: fetch its source, and build it there", pkg)
		}
	}
	return b, nil
}

// Env is what the go command has to know, on top of the environment.
func (b *Build) Env() []string {
	return append([]string{"GOOS=" + b.Target.GOOS, "GOARCH=" + b.Target.GOARCH, "CGO_ENABLED=1", "CC=" + b.Compiler.CC, "CXX=" + b.Compiler.CXX}, b.Settings...)
}

// Args is the command line. Static programs are linked by the C compiler: Go's own linker,
// which links programs whose only C is the standard library's, makes dynamic ones. The last
// -linkmode counts.
func (b *Build) Args(self, goflags string) ([]string, error) {
	c := b.Command
	if len(b.Exec) > 0 {
		c = c.Adding("-exec=" + join(b.Exec))
	}
	args := c.With()
	if b.Target.Static {
		flags, err := c.FlagOrEnv("ldflags", goflags)
		if err != nil {
			return nil, err
		}
		flags = strings.TrimSpace(flags + " -linkmode=external")
		args = c.Without("ldflags").With("-ldflags=" + flags)
	}
	if len(b.Weld) == 0 {
		return args, nil
	}
	return slices.Concat([]string{self}, b.Weld[1:], []string{"--"}, args), nil
}

// Outputs are the programs that the command writes, in its folder. Without -o go build keeps
// nothing of several packages, and go test -c keeps all.
func (b *Build) Outputs(ctx context.Context) ([]string, error) {
	c := b.Command
	packages := c.Packages()
	if len(packages) == 0 {
		packages = []string{"."}
	}
	const fields = "{{.Name}}\t{{.ImportPath}}\t{{.Target}}\t{{with .GoFiles}}{{index . 0}}{{else}}{{with .CgoFiles}}{{index . 0}}{{end}}{{end}}\t" +
		"{{if or .TestGoFiles .XTestGoFiles}}tests{{end}}"
	argv := slices.Concat([]string{c.Tool, "list", "-f", fields}, c.ListFlags(), []string{"--"}, packages)
	said, err := gotool.Run(ctx, gotool.Cmd{Args: argv, Dir: c.Dir, Env: b.Env()})
	if err != nil {
		return nil, err
	}
	var names, targets []string
	for line := range strings.Lines(string(said)) {
		field := strings.Split(strings.TrimRight(line, "\n"), "\t")
		if len(field) != 5 {
			continue
		}
		pkg, name, files := field[0], programName(field[1]), field[1] == "command-line-arguments"
		switch {
		case c.Verb == "test" && field[4] == "", c.Verb != "test" && pkg != "main":
			continue // nothing is written
		case c.Verb == "test" && files:
			name = pkg + ".test"
		case c.Verb == "test":
			name += ".test"
		case files:
			name = strings.TrimSuffix(field[3], ".go")
		}
		names, targets = append(names, name), append(targets, field[2])
	}
	for i := range names {
		names[i] = b.Target.program(names[i])
	}
	out, given := c.Flag("o")
	in := func(name string) string {
		if filepath.IsAbs(name) {
			return name
		}
		return filepath.Join(c.Dir, name)
	}
	switch {
	case c.Verb == "install":
		return targets, nil
	case out == os.DevNull:
		return nil, nil
	case given && (strings.HasSuffix(out, "/") || isFolder(in(out))):
		for i, name := range names {
			names[i] = in(filepath.Join(out, name))
		}
		return names, nil
	case !given && c.Verb == "test":
		for i, name := range names {
			names[i] = in(name)
		}
		return names, nil
	case given && len(names) > 0:
		return []string{in(out)}, nil
	case len(names) == 1 && len(strings.Split(strings.TrimSpace(string(said)), "\n")) == 1:
		return []string{in(names[0])}, nil
	}
	return nil, nil
}

var majorVersion = regexp.MustCompile(`^v[2-9]\d*$|^v1\d+$`)

// programName is how the go command names the program of a package: by the last element of
// its path that isn't a major version.
func programName(importPath string) string {
	folder, name := path.Split(importPath)
	if majorVersion.MatchString(name) && folder != "" {
		return path.Base(folder)
	}
	return name
}
