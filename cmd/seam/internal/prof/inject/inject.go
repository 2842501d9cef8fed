// Package inject builds programs that profile themselves, without a change to their source:
// an overlay (go build -overlay) adds package prof and what records to the standard library,
// and one import to the program's main package.
package inject

import (
	"context"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/filecache"
	"github.com/seamgo/seam/cmd/seam/internal/gotool"
)

// What a program that was built so finds in its environment.
const (
	FolderVariable = "SEAM_PROF"      // the folder to record in; without it nothing is recorded
	RateVariable   = "SEAM_PROF_RATE" // samples a second of CPU time

	SignalsVariable = "SEAM_PROF_SIGNALS" // the folder to note in what was done to handlers of signals
)

// Mark is in the file of a program that was built so: the name of a function.
const Mark = mainPlace + ".seamKeepProgram"

// A Build is how the go command is called.
type Build struct {
	Env     []string // for the go command
	Command *gotool.Command

	tool, dir string
}

// Supported refuses builds for systems on which nothing is recorded.
func Supported(env *gotool.Env) error {
	if env.GOOS != "linux" || env.GOARCH != "amd64" && env.GOARCH != "arm64" {
		return fmt.Errorf("programs can be profiled on linux/amd64 and linux/arm64 only, and this build is for %s/%s", env.GOOS, env.GOARCH)
	}
	return nil
}

// New writes the overlay to a folder, which must stay while the go command runs.
func New(ctx context.Context, command *gotool.Command, env *gotool.Env, dir string) (*Build, error) {
	b := &Build{Command: command, tool: command.Tool, dir: dir}
	user, err := command.FlagOrEnv("overlay", env.GOFLAGS)
	if err != nil {
		return nil, err
	}
	if user != "" && !filepath.IsAbs(user) {
		user = filepath.Join(command.Dir, user)
	}
	overlay, err := gotool.ReadOverlay(user)
	if err != nil {
		return nil, err
	}
	cache, err := filecache.Dir("prof")
	if err != nil {
		return nil, err
	}
	goroot, err := gotool.OverlayRoot(env.GOROOT, env.GOMODCACHE, filepath.Join(cache, "goroot"))
	if err != nil {
		return nil, err
	}
	if goroot != env.GOROOT { // the go command has chosen this toolchain already
		b.tool = filepath.Join(goroot, "bin", "go")
		b.Env = []string{"GOROOT=" + goroot, "GOTOOLCHAIN=local"}
	}
	if err := b.standard(overlay, goroot); err != nil {
		return nil, err
	}
	if command.Verb != "test" {
		if err := b.mains(ctx, overlay); err != nil {
			return nil, err
		}
	}
	name, err := overlay.Write(dir)
	if err != nil {
		return nil, err
	}
	ldflags, err := command.FlagOrEnv("ldflags", env.GOFLAGS)
	if err != nil {
		return nil, err
	}
	b.Command = command.Without("overlay").Without("ldflags")
	// go run and go test leave out what names C. The user's own flags come after and win.
	ours := "-s=false -w=false"
	if p := other(ctx, command); p != "" {
		ours += " -X=" + mainPlace + ".other=" + p
	}
	b.Command = b.Command.Adding("-overlay="+name, strings.TrimSpace("-ldflags="+ours+" "+ldflags))
	return b, nil
}

// Line is the go command's, with further flags.
func (b *Build) Line(flags ...string) []string {
	line := b.Command.With(flags...)
	line[0] = b.tool
	return line
}

// standard adds to the standard library.
func (b *Build) standard(o gotool.Overlay, goroot string) error {
	files, err := sources()
	if err != nil {
		return err
	}
	if err := os.Mkdir(filepath.Join(b.dir, folder), 0o700); err != nil {
		return err
	}
	for file, text := range files {
		if err := b.replace(o, filepath.Join(goroot, "src", filepath.FromSlash(file)), file, text); err != nil {
			return err
		}
	}
	return nil
}

func (b *Build) replace(o gotool.Overlay, path, name string, text []byte) error {
	if by, ok := o.Replace[path]; ok {
		return fmt.Errorf("-overlay replaces %s by %q, and so must seam; leave that out", path, by)
	}
	file := fileName(b.dir, name)
	o.Replace[path] = file
	return os.WriteFile(file, text, 0o600)
}

// mains has the main packages of the command import what records.
func (b *Build) mains(ctx context.Context, o gotool.Overlay) error {
	patterns := b.Command.Packages()
	if slices.ContainsFunc(patterns, func(p string) bool { return strings.Contains(p, "@") }) {
		return errors.New("a package@version can't be profiled: fetch its source and build it there")
	}
	packages, listErr := gotool.List(ctx, b.Command.Tool, b.Command.Dir, append(b.Command.ListFlags(), "-find"), patterns...)
	found := false
	for i, p := range packages {
		files := append(slices.Clone(p.GoFiles), p.CgoFiles...)
		if p.Name != "main" || len(files) == 0 {
			continue
		}
		path := files[0]
		if !filepath.IsAbs(path) {
			path = filepath.Join(p.Dir, path)
		}
		source := path
		if by, ok := o.Replace[path]; ok {
			source = by
			delete(o.Replace, path)
		}
		text, err := os.ReadFile(source)
		if err != nil {
			return err
		}
		if text, err = withImport(path, text); err != nil {
			return err
		}
		if err := b.replace(o, path, fmt.Sprintf("main%d_%s", i, filepath.Base(path)), text); err != nil {
			return err
		}
		found = true
	}
	if !found && listErr != nil {
		return listErr
	}
	if !found && b.Command.Verb != "install" {
		return errors.New("there is no main package to profile: name one, or profile tests: seam prof -- go test")
	}
	return nil
}

// withImport adds the import to a file, on the line of its package clause.
func withImport(name string, text []byte) ([]byte, error) {
	file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.PackageClauseOnly)
	if err != nil {
		return nil, err
	}
	// Positions count from 1 in a set of one file.
	end := int(file.Name.End()) - 1
	return slices.Concat(text[:end], []byte("; import _ \""+mainPlace+"\""), text[end:]), nil
}
