package gotool

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Generate runs cgo for p as the go command would, and leaves what it writes
// (_cgo_gotypes.go, *.cgo1.go, *.cgo2.c, _cgo_export.c and .h) in objdir, which
// it makes. p must come from [List].
func Generate(ctx context.Context, goTool string, p Package, objdir string) error {
	if err := p.ensure(ctx, goTool); err != nil {
		return err
	}
	switch {
	case !p.UsesCgo():
		return fmt.Errorf("package %s has no file that imports \"C\"", p.ImportPath)
	case p.UsesSwig():
		return fmt.Errorf("package %s: its cgo files are made by SWIG, which seam can't run", p.ImportPath)
	}
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
	env := p.settings.environment()
	args := []string{"-objdir", objdir + string(filepath.Separator), "-importpath", p.ImportPath}
	if len(flags.ld) > 0 {
		quoted := make([]string, len(flags.ld))
		for i, f := range flags.ld {
			quoted[i] = strconv.Quote(f)
		}
		args = append(args, "-ldflags="+strings.Join(quoted, " "))
		env = append(env, "CGO_LDFLAGS=")
	}
	args = append(append(args, "--"), append(flags.cpp, flags.c...)...)
	for _, f := range p.CgoFiles {
		args = append(args, filepath.Join(p.Dir, f))
	}
	tool := filepath.Join(p.settings.env["GOTOOLDIR"], "cgo"+p.settings.env["GOEXE"])
	if p.settings.env["GOEXE"] == "" && filepath.Separator == '\\' {
		tool += ".exe" // the tool is the host's, GOEXE the target's
	}
	if _, err := run(ctx, p.Dir, env, tool, args...); err != nil {
		return fmt.Errorf("package %s: %w", p.ImportPath, err)
	}
	return nil
}

// Compiler returns the command that compiles a C file of p, or a C++ file with
// cxx, up to and without the file's name and what to make of it. It is the go
// command's own, except for flags that only serve the debugger and the linker. The
// command is to be run in p.Dir with env. p must come from [List].
func (p Package) Compiler(ctx context.Context, objdir string, cxx bool) (command, env []string, err error) {
	if p.settings == nil {
		return nil, nil, errors.New("the package was not listed") // a bug of ours
	}
	objdir, err = filepath.Abs(objdir)
	if err != nil {
		return nil, nil, err
	}
	name := "CC"
	if cxx {
		name = "CXX"
	}
	if command, err = SplitQuoted(p.settings.env[name]); err != nil || len(command) == 0 {
		return nil, nil, fmt.Errorf("%s=%s is not a command", name, p.settings.env[name])
	}
	flags, err := p.compileFlags(ctx, objdir)
	if err != nil {
		return nil, nil, fmt.Errorf("package %s: %w", p.ImportPath, err)
	}
	command = append(command, "-I", p.Dir)
	command = append(command, p.settings.targetFlags()...)
	command = append(command, flags.cpp...)
	if cxx {
		command = append(command, flags.cxx...)
	} else {
		command = append(command, flags.c...)
	}
	return command, p.settings.environment(), nil
}

// ensure reads the settings of the package's folder where it has none.
func (p *Package) ensure(ctx context.Context, goTool string) (err error) {
	if p.settings == nil {
		p.settings, err = readSettings(ctx, goTool, p.Dir)
	}
	return err
}

// environment is what the compiler and cgo must find, besides the process's own.
func (s *settings) environment() []string {
	env := []string{"TERM=dumb"} // no colours in messages
	for _, name := range []string{"GOOS", "GOARCH", "CC", "CXX", "CGO_ENABLED"} {
		if v := s.env[name]; v != "" {
			env = append(env, name+"="+v)
		}
	}
	return env
}

// targetFlags are what the go command tells the C compiler about the target
// (gccArchArgs and compilerCmd in cmd/go/internal/work).
func (s *settings) targetFlags() []string {
	var flags []string
	switch s.env["GOOS"] {
	case "windows":
		flags = append(flags, "-mthreads")
	default:
		flags = append(flags, "-fPIC", "-pthread")
	}
	switch s.env["GOARCH"] {
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
		to  *[]string
		env string
		own []string
	}{
		{&f.cpp, "CGO_CPPFLAGS", p.CgoCPPFLAGS},
		{&f.c, "CGO_CFLAGS", p.CgoCFLAGS},
		{&f.cxx, "CGO_CXXFLAGS", p.CgoCXXFLAGS},
		{&f.ld, "CGO_LDFLAGS", p.CgoLDFLAGS},
	} {
		if err := checkFlags(part.env, part.own); err != nil {
			return f, err
		}
		set, err := SplitQuoted(p.settings.env[part.env])
		if err != nil {
			return f, fmt.Errorf("%s: %w", part.env, err)
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

// runsCode are the beginnings of flags that make a compiler load or start
// something. The go command admits none of them in a #cgo line either; here they
// matter because cgo and the compiler are run without it.
var runsCode = []string{"-fplugin", "-specs", "--specs", "-wrapper", "-B", "-Xclang", "-load", "-Wp,", "-Xpreprocessor", "-Xassembler", "-o", "@", "--config"}

// checkFlags refuses what a package must not ask of the compiler.
func checkFlags(name string, flags []string) error {
	if strings.HasSuffix(name, "LDFLAGS") {
		return nil // nothing is linked
	}
	for _, f := range flags {
		for _, bad := range runsCode {
			if strings.HasPrefix(f, bad) {
				return fmt.Errorf("#cgo %s: %s is not a flag that the go command lets a package use", strings.TrimPrefix(name, "CGO_"), f)
			}
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
	tool := p.settings.env["PKG_CONFIG"]
	if tool == "" {
		tool = "pkg-config"
	}
	out, err := run(ctx, p.Dir, p.settings.environment(), tool, args...)
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
