package cli

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/gotool"
	"github.com/seamgo/seam/cmd/seam/internal/output"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
	"github.com/seamgo/seam/cmd/seam/internal/terminal"
	"github.com/seamgo/seam/cmd/seam/internal/weld/job"
	"github.com/seamgo/seam/cmd/seam/internal/weld/leaks"
	"github.com/seamgo/seam/cmd/seam/internal/weld/runtime/bundle"
)

// leaksVerb is the verb that finds what Go gets from C's malloc and nobody
// frees.
type leaksVerb struct {
	JSON    *string  `name:"json" help:"Write everything, for other programs." placeholder:"FILE"`
	Pprof   *string  `help:"Write a profile for go tool pprof too." placeholder:"FILE"`
	Check   bool     `help:"End with code 1 if anything was never freed, or freed wrongly."`
	Growing bool     `help:"Report only what grew until the end of the run, and wrong frees; --check then fails only for these."`
	All     bool     `help:"Show all leaks with whole stacks, not just what matters."`
	Collect bool     `help:"Report on programs that were built by seam leaks and started later; the arguments are folders or files of their recordings."`
	Args    []string `arg:"" optional:"" passthrough:"" name:"go" help:"The go command: go build, install, run or test with its arguments, after --."`
}

func (leaksVerb) examples() string {
	return `Examples:
  seam leaks -- go run ./cmd/server
  seam leaks --check -- go test ./...
  seam leaks --pprof leaks.pprof -- go run . && go tool pprof -http : leaks.pprof
  seam leaks -- go build -o server ./cmd/server && ./server; seam leaks --collect

Tracks what all packages outside the standard library get from C.CString,
C.CBytes, C.malloc, C.calloc, C.realloc, C.strdup and the like, and sees every
free, in Go, C and shared libraries. The program's own output and exit code stay
as they are. A program built by seam leaks records whenever it runs: in the
folder $SEAM_LEAKS or, if that is not set, in $XDG_CACHE_HOME/seam/leaks
(~/.cache/seam/leaks). --collect reports on the recordings there and removes them.
`
}

func (v *leaksVerb) Run(s *session) error {
	if err := checkOutputs(outputFlag{"--json", v.JSON}, outputFlag{"--pprof", v.Pprof}); err != nil {
		return err
	}
	args := dropDashes(v.Args)
	switch {
	case v.Collect:
		return v.collect(s, args)
	case len(args) == 0:
		return errors.New("nothing to search for leaks: name a go command, for example: seam leaks -- go test")
	}
	return v.goCommand(s, args)
}

var leakRecorder = recorder{verb: job.Leaks, variable: "SEAM_LEAKS", program: "program that was built by seam leaks"}

// goCommand runs a go command whose program is searched for leaks.
func (v *leaksVerb) goCommand(s *session, args []string) error {
	command, err := gotool.Parse(args)
	if err != nil {
		return err
	}
	env, err := readGoEnv(s.ctx, command.Tool, command.Dir)
	if err != nil {
		return err
	}
	switch {
	case env.CGO_ENABLED == "0":
		return errors.New("CGO_ENABLED=0: the program contains no C to get memory from; set CGO_ENABLED=1 to search it for leaks")
	case !bundle.Known(env.GOOS, env.GOARCH):
		return fmt.Errorf("programs can be searched for leaks on linux/amd64 and linux/arm64 only, and this build is for %s/%s", env.GOOS, env.GOARCH)
	case command.Has("asan"), command.Has("msan"):
		return errors.New("-asan and -msan bring a malloc and a free of their own, which seam can't look into; leave them out")
	}
	root, module, err := gotool.ModuleRoot(s.ctx, command.Tool, command.Dir)
	if err != nil {
		return err
	}
	work, err := leakRecorder.goCommand(command)
	if err != nil {
		return err
	}
	defer work.Remove()
	started := time.Now()
	if !runsProgram(command) {
		if err := s.runGo(work.argv, nil); err != nil {
			return err
		}
		return errors.Join(v.left(s, work.Job), leakRecorder.built(s, "what it gets from C", "see what it never freed"))
	}
	runErr := s.runGo(work.argv, []string{leakRecorder.variable + "=" + work.records})
	ended := time.Now()
	if err := v.left(s, work.Job); err != nil {
		return errors.Join(runErr, err)
	}
	raws, err := readRecords(s.stderr, leakRecorder, []string{work.records}, leaks.ReadRaw)
	if err != nil {
		return errors.Join(runErr, withCode(exitFailed, err))
	}
	if len(raws) == 0 {
		if runErr != nil {
			return runErr // it has been said why
		}
		_, err := fmt.Fprintln(s.stderr, "seam: no leak: nothing was allocated through cgo: no package outside the standard library called C.CString, C.CBytes, C.malloc or the like")
		return withCode(exitFailed, err)
	}
	if len(raws) == 1 { // of several nobody knows when each ended
		raws[0].raw.Until(ended)
	}
	file := mergeLeaks(raws)
	if file.Go == "" {
		file.Go = env.GOVERSION
	}
	file.OS, file.Arch = env.GOOS, env.GOARCH
	file.Module = module
	file.Command = args
	file.Time = started.UTC()
	return v.conclude(s, file, root, runErr)
}

// left tells which functions could not be tracked.
func (v *leaksVerb) left(s *session, work *job.Job) error {
	reports, err := work.Reports()
	if err != nil {
		return withCode(exitFailed, err)
	}
	for _, r := range reports {
		for _, l := range r.Skipped {
			fmt.Fprintf(s.stderr, "seam: %s: C.%s is not tracked: %s\n", r.Package, l.Func, l.Reason)
		}
	}
	return nil
}

// collect reports on programs that were started by hand.
func (v *leaksVerb) collect(s *session, args []string) error {
	raws, err := collectRecords(s, leakRecorder, args, leaks.ReadRaw)
	if err != nil {
		return err
	}
	now := time.Now()
	for _, r := range raws {
		if r.running {
			r.raw.Until(now)
		}
	}
	file := mergeLeaks(raws)
	first := raws[0].raw
	file.OS, file.Arch = first.OS, first.Arch
	file.Command = first.Command()
	file.Time = first.Start
	dir, err := os.Getwd()
	if err != nil {
		dir = ""
	}
	err = v.conclude(s, file, dir, nil)
	var found *coded
	if err != nil && !(errors.As(err, &found) && found.code == exitFinding) {
		return err // the records stay
	}
	return errors.Join(err, withCode(exitFailed, removeRecords(raws)))
}

func mergeLeaks(raws []processRecord[*leaks.Raw]) *leaks.File {
	file := leaks.Merge(values(raws))
	file.Seam = toolVersion()
	for i, r := range raws {
		file.Processes[i].Running = r.running
	}
	return file
}

// conclude writes the files and the report, and says whether there was a
// finding. An interrupt has ended the program, and not this.
func (v *leaksVerb) conclude(s *session, f *leaks.File, dir string, runErr error) error {
	if v.Growing {
		f.OnlyGrowing()
	}
	to := output.Writer{Stdout: s.stdout, Stderr: s.stderr}
	var errs error
	table := s.stderr // standard output is the program's
	if v.Collect {
		table = s.stdout
	}
	for _, file := range []struct {
		name  *string
		write func() error
	}{
		{v.JSON, func() error { return to.Write(s.ctx, *v.JSON, f.Encode) }},
		{v.Pprof, func() error { return to.Write(s.ctx, *v.Pprof, f.WriteProfile) }},
	} {
		if file.name != nil {
			errs = errors.Join(errs, file.write())
			if output.IsStdout(*file.name) {
				table = s.stderr
			}
		}
	}
	if err := f.WriteText(table, leaks.TextOptions{Options: terminal.Of(table).Options, All: v.All, Dir: dir}); err != nil {
		errs = errors.Join(errs, fmt.Errorf("cannot write the report: %w", err))
	}
	if errs != nil {
		return errors.Join(runErr, withCode(exitFailed, errs))
	}
	if runErr != nil {
		return runErr
	}
	if n := f.Unsearched(); n > 0 && (v.Check || n == len(f.Processes)) {
		return withCode(exitFailed, fmt.Errorf("%d of %d processes could not be searched for leaks", n, len(f.Processes)))
	}
	if v.Check && (len(f.Leaks) > 0 || len(f.Wrong) > 0) {
		var what []string
		if n := len(f.Leaks); n > 0 {
			what = append(what, fmt.Sprintf("memory from %s was never freed", quantity.Plural(n, "place")))
		}
		if n := len(f.Wrong); n > 0 {
			what = append(what, fmt.Sprintf("memory was freed wrongly in %s", quantity.Plural(n, "way")))
		}
		return withCode(exitFinding, errors.New("--check: "+strings.Join(what, ", and ")))
	}
	return nil
}
