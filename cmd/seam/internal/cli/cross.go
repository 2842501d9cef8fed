package cli

import (
	"errors"
	"fmt"
	"os"

	"github.com/seamgo/seam/cmd/seam/internal/cross"
	"github.com/seamgo/seam/cmd/seam/internal/gotool"
	"github.com/seamgo/seam/cmd/seam/internal/output"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
	"github.com/seamgo/seam/cmd/seam/internal/terminal"
)

// crossVerb is the verb that builds programs with C for other systems.
type crossVerb struct {
	Target string  `required:"" placeholder:"linux/ARCH" help:"What to build for, as GOOS/GOARCH: Linux, Windows or FreeBSD."`
	Static bool    `help:"Make programs that need no shared library (on Windows: none but its own), and check that they don't."`
	Glibc  string  `placeholder:"2.17" help:"Make programs that run with this version of glibc and later ones (with Zig), and check that they do."`
	JSON   *string `name:"json" placeholder:"FILE" help:"Write what was built and what it needs as JSON; - is standard output."`

	Go []string `arg:"" passthrough:"" name:"go" help:"The go command after --: go build, go install, go test or go run with its arguments; seam weld may stand in front of those that keep what they build."`
}

func (crossVerb) examples() string {
	return `Examples:
  seam cross --target linux/arm64 -- go build ./cmd/server
  seam cross --target linux/amd64 --static -- go build -o server ./cmd/server
  seam cross --target linux/arm64 --glibc 2.17 -- go build ./...
  seam cross --target linux/arm64 -- seam weld -- go build ./cmd/server
  seam cross --target linux/arm64 -- go test ./...
  seam cross --target windows/amd64 --static -- go build .

Takes the first of these compilers that is installed: zig on PATH, Python's
package ziglang, TRIPLE-linux-musl-gcc or musl-gcc (with --static), then
TRIPLE-linux-gnu-gcc or TRIPLE-w64-mingw32-gcc, then gcc for this machine's own
architecture. Where CC is
set in the environment, that is used, and what it builds is checked all the same.
Sets GOOS, GOARCH, CGO_ENABLED, CC, CXX, PKG_CONFIG_LIBDIR and, with --static,
-linkmode=external. C is compiled for the processors of GOARM, GO386 and GOAMD64.

Then reads each program: machine, shared libraries, the versions of their
symbols, on ARM the version of its code, and of DLLs which aren't known as a part
of Windows. Exit code 1: one of them is not what was asked for. What go test and
go run build is run by qemu-user, with the libraries of Debian's cross compiler or
of QEMU_LD_PREFIX, or by wine, and isn't kept, so it isn't read.
`
}

func (v *crossVerb) Run(s *session) error {
	if err := checkOutputs(outputFlag{"--json", v.JSON}); err != nil {
		return err
	}
	target, err := cross.ParseTarget(v.Target, v.Static, v.Glibc)
	if err != nil {
		return err
	}
	b, err := cross.Parse(target, dropDashes(v.Go))
	if err != nil {
		return err
	}
	env, err := gotool.ReadEnv(s.ctx, b.Command.Tool, b.Command.Dir, "GOOS="+target.GOOS, "GOARCH="+target.GOARCH)
	if err != nil {
		return err
	}
	if err := target.Variant(env); err != nil {
		return withCode(exitUsage, err)
	}
	b.Target, b.Settings = target, target.PkgConfig(env)
	if b.Compiler, err = v.compiler(target, env); err != nil {
		return err
	}
	if b.Command.RunsProgram() {
		if b.Exec, err = target.Emulator(env, b.Command); err != nil {
			return withCode(exitUsage, err)
		}
	}
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("this program's own file can't be found: %w", err)
	}
	args, err := b.Args(self, env.GOFLAGS)
	if err != nil {
		return err
	}
	if err := s.runGo(args, b.Env()); err != nil {
		if why := target.Other(os.Getenv("CC")); why != "" {
			fmt.Fprintln(s.stderr, "note: "+why)
		}
		return err
	}
	return v.report(s, b, args)
}

// compiler finds the compiler. What the user sets comes first.
func (v *crossVerb) compiler(t cross.Target, env *gotool.Env) (*cross.Compiler, error) {
	cc, cxx := os.Getenv("CC"), os.Getenv("CXX")
	if cc != "" {
		return t.Given(env, cc, cxx), nil
	}
	c, err := t.Find(env)
	if err == nil && cxx != "" {
		t.GivenCXX(c, cxx)
	}
	return c, err
}

// report looks at what was built. It goes to standard error, for standard output is the go
// command's.
func (v *crossVerb) report(s *session, b *cross.Build, args []string) error {
	var files []string
	if !b.Command.RunsProgram() { // which keeps nothing
		var err error
		if files, err = b.Outputs(s.ctx); err != nil {
			return withCode(exitFailed, err)
		}
	}
	r := &cross.Report{
		Seam: toolVersion(), Target: b.Target.String(), Static: b.Target.Static, Glibc: b.Target.Glibc,
		Exec: b.Exec, Compiler: b.Compiler.Name, CC: b.Compiler.CC, CXX: b.Compiler.CXX, Note: b.Compiler.Note, Command: args, Binaries: []*cross.Binary{},
	}
	for _, file := range files {
		binary, err := b.Target.Look(file)
		if err != nil {
			return withCode(exitFailed, err)
		}
		r.Binaries = append(r.Binaries, binary)
	}
	if v.JSON != nil {
		to := output.Writer{Stdout: s.stdout, Stderr: s.stderr}
		if err := to.Write(s.ctx, *v.JSON, r.WriteJSON); err != nil {
			return withCode(exitFailed, err)
		}
	}
	if err := r.WriteText(s.stderr, terminal.Of(s.stderr).Options); err != nil {
		return withCode(exitFailed, err)
	}
	if n := r.Wrong(); n > 0 {
		return withCode(exitFinding, fmt.Errorf("%s not what was asked for", quantity.Plural(n, "program is", "programs are")))
	}
	if len(files) == 0 && !b.Command.RunsProgram() {
		return withCode(exitFailed, errors.New("nothing was written that could be checked: build one program, or use -o DIR/"))
	}
	return nil
}
