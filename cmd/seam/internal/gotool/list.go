package gotool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Package is what go list says about one package. File names are relative to
// Dir.
type Package struct {
	ImportPath string
	Name       string
	Dir        string
	Standard   bool
	DepOnly    bool // a dependency of a package that was asked for
	Module     *Module

	GoFiles, CgoFiles        []string
	CFiles, CXXFiles, MFiles []string
	HFiles, FFiles, SFiles   []string
	SwigFiles, SwigCXXFiles  []string
	CgoCFLAGS, CgoCPPFLAGS   []string // of #cgo lines, ${SRCDIR} expanded
	CgoCXXFLAGS, CgoLDFLAGS  []string
	CgoPkgConfig             []string
	Error                    *PackageError
	DepsErrors               []*PackageError

	settings *settings // of the module it was listed in
	flags    []string  // it was listed with
}

// Module is where a package comes from.
type Module struct {
	Path, Version, Dir string
	Main               bool
}

// PackageError is what is wrong with a package.
type PackageError struct {
	Pos string // "file:line:col", or ""
	Err string
}

// UsesCgo reports whether cgo works on the package.
func (p *Package) UsesCgo() bool { return len(p.CgoFiles) > 0 }

// UsesSwig reports whether SWIG makes more of the package's cgo files.
func (p *Package) UsesSwig() bool { return len(p.SwigFiles)+len(p.SwigCXXFiles) > 0 }

// listed are the fields of go list's answer that Package has. Asking for fewer
// makes go list quicker.
const listed = "ImportPath,Name,Dir,Standard,DepOnly,Module,GoFiles,CgoFiles,CFiles,CXXFiles,MFiles,HFiles,FFiles,SFiles," +
	"SwigFiles,SwigCXXFiles,CgoCFLAGS,CgoCPPFLAGS,CgoCXXFLAGS,CgoLDFLAGS,CgoPkgConfig,Error,DepsErrors"

// List asks the go command for packages: flags are the build flags that decide
// which files belong to a package (-tags, -mod, -modfile, -race …) and go list's
// own, like -deps and -test; patterns are as for go list. Packages that can't be
// loaded make an error, which comes with what could be.
func List(ctx context.Context, goTool, dir string, flags []string, patterns ...string) ([]Package, error) {
	set, err := readSettings(ctx, goTool, dir)
	if err != nil {
		return nil, err
	}
	args := slices.Concat([]string{"list", "-e", "-json=" + listed}, flags, []string{"--"}, patterns)
	out, err := run(ctx, dir, nil, goTool, args...)
	if err != nil {
		return nil, err
	}
	var list []Package
	var wrong []error
	told := map[PackageError]bool{} // a dependency's error comes with every package that needs it
	tell := func(e *PackageError) {
		if e == nil || told[*e] {
			return
		}
		told[*e] = true
		text := strings.TrimSpace(e.Err)
		if e.Pos != "" {
			text = e.Pos + ": " + text
		}
		wrong = append(wrong, errors.New(text))
	}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p Package
		if err := d.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			return nil, fmt.Errorf("the answer of %s list is not JSON: %w", goTool, err)
		}
		tell(p.Error)
		for _, e := range p.DepsErrors {
			tell(e)
		}
		p.settings, p.flags = set, ownFlags(flags)
		list = append(list, p)
	}
	return list, errors.Join(wrong...)
}

// ownFlags are the build flags among flags, without go list's own.
func ownFlags(flags []string) []string {
	return slices.DeleteFunc(slices.Clone(flags), func(f string) bool {
		switch strings.TrimPrefix(f, "-") {
		case "-deps", "-test", "-find", "-e", "deps", "test", "find", "e":
			return true
		}
		return false
	})
}

// ModuleRoot finds the folder and path of the main module that the go command
// uses in dir. In a workspace that is the module that dir lies in; where dir lies
// in none of them, it is the folder of go.work, with an empty path. Outside of
// modules it is dir, with an empty path.
func ModuleRoot(ctx context.Context, goTool, dir string) (root, path string, err error) {
	set, err := readSettings(ctx, goTool, dir)
	if err != nil {
		return "", "", err
	}
	switch gomod, gowork := set.env["GOMOD"], set.env["GOWORK"]; {
	case gomod != "" && gomod != os.DevNull && gomod != "NUL":
		root = filepath.Dir(gomod)
	case gowork != "" && gowork != "off":
		return filepath.Dir(gowork), "", nil
	default:
		root, err = filepath.Abs(dir)
		return root, "", err
	}
	out, err := run(ctx, root, nil, goTool, "list", "-m", "-mod=readonly", "-f", "{{.Path}}\t{{.Dir}}")
	if err != nil {
		return "", "", err
	}
	// A workspace lists all of its modules.
	for line := range strings.Lines(string(out)) {
		name, at, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if sameFolder(at, root) {
			return root, name, nil
		}
	}
	return root, "", nil
}

func sameFolder(a, b string) bool {
	x, errA := os.Stat(a)
	y, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(x, y)
}

// settings are the go command's, as go env tells them in one folder.
type settings struct {
	goTool string
	dir    string
	env    map[string]string
}

// readSettings asks for them.
func readSettings(ctx context.Context, goTool, dir string) (*settings, error) {
	out, err := run(ctx, dir, nil, goTool, "env", "-json")
	if err != nil {
		return nil, err
	}
	s := &settings{goTool: goTool, dir: dir}
	if err := json.Unmarshal(out, &s.env); err != nil {
		return nil, fmt.Errorf("the answer of %s env is not JSON: %w", goTool, err)
	}
	return s, nil
}

// run runs a command in dir and returns its standard output. The error has what
// the command said.
func run(ctx context.Context, dir string, env []string, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = append(cmd.Environ(), env...)
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	err := cmd.Run()
	if err == nil {
		return out.Bytes(), nil
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if text := strings.TrimSpace(said.String()); text != "" {
		// In errors of the tool, a line that begins with a tab goes on with the
		// one before.
		return nil, fmt.Errorf("%s: %s", commandName(name, args), strings.ReplaceAll(text, "\n", "\n\t"))
	}
	return nil, fmt.Errorf("%s: %w", commandName(name, args), err)
}

// commandName is a command as messages name it: "go list".
func commandName(name string, args []string) string {
	name = filepath.Base(name)
	if name == "go" && len(args) > 0 {
		return name + " " + args[0]
	}
	return name
}
