package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/machine"
	"github.com/seamgo/seam/cmd/seam/internal/output"
	"github.com/seamgo/seam/cmd/seam/internal/weld/gocmd"
	"github.com/seamgo/seam/cmd/seam/internal/weld/inject/record"
	wsession "github.com/seamgo/seam/cmd/seam/internal/weld/session"
	"github.com/seamgo/seam/cmd/seam/internal/weld/trace"
)

// traceVerb is the verb that records what the C calls of a program cost.
type traceVerb struct {
	Output  string   `short:"o" help:"The trace; default: seam.trace in the root of the main module." placeholder:"FILE"`
	Pprof   *string  `help:"Write a profile for go tool pprof too." placeholder:"FILE"`
	All     bool     `help:"Show all functions that were called, not only the most expensive."`
	Collect bool     `xor:"mode" help:"Make a trace of what programs recorded that were built by seam trace and started later; the arguments are folders or files of such records."`
	Show    bool     `xor:"mode" help:"Print the table of a trace; the argument is its file, by default as for -o."`
	Args    []string `arg:"" optional:"" passthrough:"" name:"go" help:"The go command: go build, install, run or test with its arguments, after --."`
}

func (traceVerb) examples() string {
	return `Examples:
  seam trace -- go test -bench . ./...
  seam trace --pprof cgo.pprof -- go run ./cmd/server
  seam trace -- go build -o server ./cmd/server
  seam trace --collect
  seam trace --show seam.trace

Counts and times every C call of all packages outside the standard library. The
program's own output and exit code stay as they are. A program that was built
by seam trace records whenever it runs: in the folder $SEAM_TRACE, or if that is
not set in $XDG_CACHE_HOME/seam/trace (~/.cache/seam/trace); --collect makes a
trace of what is there and removes it. Read on with:
  seam plan
  go tool pprof -http : cgo.pprof
`
}

func (v *traceVerb) Run(s *session) error {
	if v.Pprof != nil && *v.Pprof == "" {
		return errors.New("--pprof: the name of the file is empty (is a variable of the shell unset?)")
	}
	args := dropDashes(v.Args)
	switch {
	case v.Show:
		return v.show(s, args)
	case v.Collect:
		return v.collect(s, args)
	case len(args) == 0:
		return errors.New("nothing to trace: give a go command, for example: seam trace -- go test")
	}
	return v.goCommand(s, args)
}

// show prints the table of a trace again.
func (v *traceVerb) show(s *session, args []string) error {
	if len(args) > 1 {
		return fmt.Errorf("--show takes one file, not %d", len(args))
	}
	if len(args) == 0 {
		root, _, err := gocmd.ModuleRoot(s.ctx, "go", "")
		if err != nil {
			return err
		}
		args = []string{filepath.Join(root, defaultTrace)}
	}
	file, err := trace.Read(args[0])
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s does not exist; make one with: seam trace -- go test -bench . ./... (or name another)", args[0])
	}
	if err != nil {
		return err
	}
	if v.Output != "" {
		return errors.New("--show writes no trace; leave out -o")
	}
	if err := v.check(""); err != nil {
		return err
	}
	return withCode(exitFailed, v.write(s, file, ""))
}

const defaultTrace = "seam.trace"

// goCommand runs a go command whose program is traced.
func (v *traceVerb) goCommand(s *session, args []string) error {
	command, err := gocmd.Parse(args)
	if err != nil {
		return err
	}
	env, err := readGoEnv(s.ctx, command.Tool, command.Dir)
	if err != nil {
		return err
	}
	switch {
	case env.CGO_ENABLED == "0":
		return errors.New("CGO_ENABLED=0: the program calls no C; set CGO_ENABLED=1 to trace what it calls")
	case !record.Known(env.GOOS, env.GOARCH):
		return fmt.Errorf("programs can be traced on linux/amd64 and linux/arm64 only, and this build is for %s/%s", env.GOOS, env.GOARCH)
	}
	root, module, err := gocmd.ModuleRoot(s.ctx, command.Tool, command.Dir)
	if err != nil {
		return err
	}
	name := v.Output
	if name == "" {
		name = filepath.Join(root, defaultTrace)
	}
	runs := command.Verb == "run" || command.Verb == "test" && !command.Has("c")
	if runs {
		if err := v.check(name); err != nil {
			return err
		}
	}
	work, err := wsession.Create(wsession.Session{Mode: wsession.Trace})
	if err != nil {
		return withCode(exitFailed, err)
	}
	defer work.Remove()
	flag, err := toolexecFlag(work.Dir)
	if err != nil {
		return err
	}
	flags := []string{flag}
	// A result from the go command's cache would mean that nothing ran.
	if _, given := command.Flag("count"); command.Verb == "test" && !given && !command.Has("c") {
		flags = append(flags, "-count=1")
	}
	started := time.Now()
	if !runs {
		if err := s.runGo(command.With(flags...), nil); err != nil {
			return err
		}
		return v.built(s)
	}
	records := filepath.Join(work.Dir, "raw")
	if err := os.Mkdir(records, 0o700); err != nil {
		return withCode(exitFailed, err)
	}
	runErr := s.runGo(command.With(flags...), []string{"SEAM_TRACE=" + records})

	raws, err := readRecords(s.stderr, "no traced program", []string{records}, trace.ReadRaw)
	if err != nil {
		return errors.Join(runErr, withCode(exitFailed, err))
	}
	if len(raws) == 0 {
		if runErr != nil {
			return runErr // it has been said why
		}
		return withCode(exitFailed, errors.New("no C call was made: no package outside the standard library was called through cgo, so there is nothing to write"))
	}
	file := trace.Merge(values(raws))
	file.Go = env.GOVERSION
	file.OS, file.Arch = env.GOOS, env.GOARCH
	file.Module = module
	file.Command = args
	file.Time = started.UTC()
	v.describe(file)
	if err := v.write(s, file, name); err != nil {
		return errors.Join(runErr, withCode(exitFailed, err))
	}
	return runErr
}

// built tells what to do with a program that was only built.
func (v *traceVerb) built(s *session) error {
	dir, err := recordFolder("SEAM_TRACE", "trace")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.stderr, "seam: the program records its C calls whenever it runs, in $SEAM_TRACE or, if that is not set, %s\n"+
		"seam: make a trace of that with: seam trace --collect\n", dir)
	return withCode(exitFailed, err)
}

// collect makes a trace of what programs recorded that were started by hand.
func (v *traceVerb) collect(s *session, args []string) error {
	if len(args) == 0 {
		dir, err := recordFolder("SEAM_TRACE", "trace")
		if err != nil {
			return err
		}
		args = []string{dir}
	}
	name := v.Output
	if name == "" {
		root, _, err := gocmd.ModuleRoot(s.ctx, "go", "")
		if err != nil {
			return err
		}
		name = filepath.Join(root, defaultTrace)
	}
	if err := v.check(name); err != nil {
		return err
	}
	raws, err := readRecords(s.stderr, "no traced program", args, trace.ReadRaw)
	if err != nil {
		return err
	}
	if len(raws) == 0 {
		return withCode(exitFailed, fmt.Errorf("no record of a traced program in %s: build one with seam trace -- go build, and run it", strings.Join(args, ", ")))
	}
	file := trace.Merge(values(raws))
	for i, r := range raws {
		file.Processes[i].Running = r.running
	}
	file.OS, file.Arch = raws[0].raw.OS, raws[0].raw.Arch
	file.Command = []string{}
	if f := raws[0].raw; f.Exe != "" {
		file.Command = []string{f.Exe}
	}
	file.Time = raws[0].raw.Start
	v.describe(file)
	if err := v.write(s, file, name); err != nil {
		return withCode(exitFailed, err)
	}
	return withCode(exitFailed, removeRecords(raws))
}

// describe fills in what this program knows.
func (v *traceVerb) describe(f *trace.File) {
	f.Seam = toolVersion()
	f.CPU = machine.Read().CPU
}

// check finds out before a long run whether the files can be written.
func (v *traceVerb) check(name string) error {
	if v.Pprof != nil && name != "" && output.Same(*v.Pprof, name) {
		return fmt.Errorf("--pprof and -o both write to %s: give one of them another file", name)
	}
	if v.Pprof != nil {
		if err := output.Check(*v.Pprof); err != nil {
			return fmt.Errorf("--pprof: %w", err)
		}
	}
	if name == "" {
		return nil
	}
	return output.Check(name)
}

// write writes the files and prints the table. An interrupt has ended the
// program that was traced, and not this.
func (v *traceVerb) write(s *session, f *trace.File, name string) error {
	to := output.Writer{Stdout: s.stdout, Stderr: s.stderr}
	var errs error
	table := s.stderr // standard output is the program's
	if v.Show || v.Collect && !output.IsStdout(name) {
		table = s.stdout
	}
	if name != "" {
		errs = errors.Join(errs, to.Write(s.ctx, name, f.Encode))
	}
	if v.Pprof != nil {
		errs = errors.Join(errs, to.Write(s.ctx, *v.Pprof, f.WriteProfile))
		if output.IsStdout(*v.Pprof) {
			table = s.stderr
		}
	}
	screen := screenOf(table)
	if err := f.WriteText(table, trace.TextOptions{Width: screen.width, Colour: screen.colour, All: v.All}); err != nil {
		errs = errors.Join(errs, fmt.Errorf("cannot write the table: %w", err))
	}
	if name != "" && errs == nil && !output.IsStdout(name) {
		fmt.Fprintf(s.stderr, "seam: wrote %s\n", name)
	}
	return errs
}
