package gotool

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

var errNotListed = errors.New("the package was not listed") // a bug of ours

// Generate runs cgo for p as the go command would, and leaves what it writes
// (_cgo_gotypes.go, *.cgo1.go, *.cgo2.c, _cgo_export.c and .h) in objdir, which
// it makes; before that it runs SWIG, where the package has files for it. p must come
// from [List].
func Generate(ctx context.Context, p Package, objdir string) error {
	if p.env == nil {
		return errNotListed
	}
	if !p.CallsC() {
		return fmt.Errorf("package %s has no file that imports \"C\"", p.ImportPath)
	}
	objdir, err := filepath.Abs(objdir)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(objdir, 0o777); err != nil {
		return err
	}
	made, err := p.swig(ctx, objdir)
	if err != nil {
		return fmt.Errorf("package %s: %w", p.ImportPath, err)
	}
	var files []string
	for _, f := range p.CgoFiles {
		files = append(files, filepath.Join(p.Dir, f))
	}
	return runCgo(ctx, p, objdir, append(files, made...))
}

// GenerateFrom is [Generate] with other files than those that p has, and with more flags for
// the C compiler.
func GenerateFrom(ctx context.Context, p Package, objdir string, files []string, more ...string) error {
	switch {
	case p.env == nil:
		return errNotListed
	case !p.UsesCgo():
		return fmt.Errorf("package %s has no file that imports \"C\"", p.ImportPath)
	case p.UsesSwig():
		return fmt.Errorf("package %s: its cgo files are made by SWIG, which seam can't run", p.ImportPath)
	}
	return runCgo(ctx, p, objdir, files, more...)
}

// runCgo runs cgo.
func runCgo(ctx context.Context, p Package, objdir string, files []string, more ...string) error {
	objdir, err := filepath.Abs(objdir)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(objdir, 0o777); err != nil {
		return err
	}
	flags, err := p.compileFlags(ctx, objdir)
	if err != nil {
		return fmt.Errorf("package %s: %w", p.ImportPath, err)
	}
	env := p.env.forCgo()
	args := []string{"-objdir", objdir + string(filepath.Separator), "-importpath", p.ImportPath}
	if len(flags.ld) > 0 {
		quoted := make([]string, len(flags.ld))
		for i, f := range flags.ld {
			quoted[i] = strconv.Quote(f)
		}
		args = append(args, "-ldflags="+strings.Join(quoted, " "))
		env = append(env, "CGO_LDFLAGS=")
	}
	args = slices.Concat(args, []string{"--"}, flags.cpp, flags.c, more)
	args = append(args, files...)
	tool := filepath.Join(p.env.GOTOOLDIR, "cgo"+p.env.GOEXE)
	if p.env.GOEXE == "" && filepath.Separator == '\\' {
		tool += ".exe" // the tool is the host's, GOEXE the target's
	}
	if _, err := Run(ctx, Cmd{Args: append([]string{tool}, args...), Dir: p.Dir, Env: env}); err != nil {
		return fmt.Errorf("package %s: %w", p.ImportPath, err)
	}
	return nil
}

// Compiler returns the command that compiles a C file of p, or with cxx a C++ file, without
// the names of input and output. It is the go command's own, except for flags that only serve
// the debugger and the linker. Run it in p.Dir with env. p must come from [List].
func (p Package) Compiler(ctx context.Context, objdir string, cxx bool) (command, env []string, err error) {
	if p.env == nil {
		return nil, nil, errNotListed
	}
	objdir, err = filepath.Abs(objdir)
	if err != nil {
		return nil, nil, err
	}
	name, value := "CC", p.env.CC
	if cxx {
		name, value = "CXX", p.env.CXX
	}
	if command, err = SplitQuoted(value); err != nil || len(command) == 0 {
		return nil, nil, fmt.Errorf("%s=%s is not a command", name, value)
	}
	flags, err := p.compileFlags(ctx, objdir)
	if err != nil {
		return nil, nil, fmt.Errorf("package %s: %w", p.ImportPath, err)
	}
	own := flags.c
	if cxx {
		own = flags.cxx
	}
	return slices.Concat(command, []string{"-I", p.Dir}, p.env.targetFlags(), flags.cpp, own), p.env.forCgo(), nil
}

// forCgo is what the compiler and cgo must find in the environment.
func (e *Env) forCgo() []string {
	env := []string{"TERM=dumb"} // no colours in messages
	for _, v := range [][2]string{{"GOOS", e.GOOS}, {"GOARCH", e.GOARCH}, {"CC", e.CC}, {"CXX", e.CXX}, {"CGO_ENABLED", e.CGO_ENABLED}} {
		if v[1] != "" {
			env = append(env, v[0]+"="+v[1])
		}
	}
	return env
}

// targetFlags are what the go command tells the C compiler about the target
// (gccArchArgs and compilerCmd in cmd/go/internal/work).
func (e *Env) targetFlags() []string {
	var flags []string
	switch e.GOOS {
	case "windows":
		flags = append(flags, "-mthreads")
	default:
		flags = append(flags, "-fPIC", "-pthread")
	}
	switch e.GOARCH {
	case "386":
		flags = append(flags, "-m32")
	case "amd64":
		flags = append(flags, "-m64")
	case "arm":
		flags = append(flags, "-marm")
	case "s390x":
		flags = append(flags, "-m64", "-march=z13")
	case "loong64":
		flags = append(flags, "-mabi=lp64d")
	}
	return append(flags, "-fmessage-length=0")
}

// cFlags are the flags of one package, the environment's and those of its #cgo
// lines.
type cFlags struct{ cpp, c, cxx, ld []string }

func (p *Package) compileFlags(ctx context.Context, objdir string) (f cFlags, err error) {
	libs, err := p.pkgConfig(ctx, "--libs")
	if err != nil {
		return f, err
	}
	includes, err := p.pkgConfig(ctx, "--cflags")
	if err != nil {
		return f, err
	}
	for _, part := range []struct {
		to        *[]string
		name, set string
		own       []string
	}{
		{&f.cpp, "CGO_CPPFLAGS", p.env.CGO_CPPFLAGS, p.CgoCPPFLAGS},
		{&f.c, "CGO_CFLAGS", p.env.CGO_CFLAGS, p.CgoCFLAGS},
		{&f.cxx, "CGO_CXXFLAGS", p.env.CGO_CXXFLAGS, p.CgoCXXFLAGS},
		{&f.ld, "CGO_LDFLAGS", p.env.CGO_LDFLAGS, p.CgoLDFLAGS},
	} {
		if err := checkFlags(part.name, part.own); err != nil {
			return f, err
		}
		set, err := SplitQuoted(part.set)
		if err != nil {
			return f, fmt.Errorf("%s: %w", part.name, err)
		}
		*part.to = slices.Concat(set, part.own)
	}
	f.cpp = append(append(f.cpp, includes...), "-I", objdir)
	f.ld = append(f.ld, libs...)
	for _, flag := range p.flags {
		switch strings.TrimPrefix(flag, "-") {
		case "msan", "-msan":
			f.c = append([]string{"-fsanitize=memory"}, f.c...)
		case "asan", "-asan":
			f.c = append([]string{"-fsanitize=address"}, f.c...)
		}
	}
	return f, nil
}

// LinkerFlags are what the user and the package tell the linker; a mistake in the user's
// was told when the package was generated.
func (p *Package) LinkerFlags() []string {
	set, _ := SplitQuoted(p.env.CGO_LDFLAGS)
	return slices.Concat(set, p.CgoLDFLAGS)
}

// unsafeFlags are prefixes of flags that make a compiler load or start something. The go
// command rejects them in #cgo lines too, but here cgo and the compiler run without it.
var unsafeFlags = []string{"-fplugin", "-specs", "--specs", "-wrapper", "-B", "-Xclang", "-load", "-Wp,", "-Xpreprocessor", "-Xassembler", "-o", "@", "--config"}

// checkFlags refuses what a package must not ask of the compiler.
func checkFlags(name string, flags []string) error {
	if strings.HasSuffix(name, "LDFLAGS") {
		return nil // nothing is linked
	}
	for _, f := range flags {
		if slices.ContainsFunc(unsafeFlags, func(bad string) bool { return strings.HasPrefix(f, bad) }) {
			return fmt.Errorf("#cgo %s: %s is not a flag that the go command lets a package use", strings.TrimPrefix(name, "CGO_"), f)
		}
	}
	return nil
}

// pkgConfig asks pkg-config about the package's libraries.
func (p *Package) pkgConfig(ctx context.Context, what string) ([]string, error) {
	if len(p.CgoPkgConfig) == 0 {
		return nil, nil
	}
	args := []string{what}
	var names []string
	for _, a := range p.CgoPkgConfig {
		switch {
		case a == "--":
		case strings.HasPrefix(a, "--"):
			args = append(args, a)
		case strings.HasPrefix(a, "-"):
			return nil, fmt.Errorf("#cgo pkg-config: %s is not a name of a library", a)
		default:
			names = append(names, a)
		}
	}
	args = append(append(args, "--"), names...)
	tool := cmp.Or(p.env.PKG_CONFIG, "pkg-config")
	out, err := Run(ctx, Cmd{Args: append([]string{tool}, args...), Dir: p.Dir, Env: p.env.forCgo()})
	if err != nil {
		return nil, err
	}
	flags, err := splitShell(string(out))
	if err != nil {
		return nil, fmt.Errorf("the answer of %s %s: %w", tool, strings.Join(args, " "), err)
	}
	if what == "--cflags" {
		err = checkFlags("CGO_CFLAGS", flags)
	}
	return flags, err
}
