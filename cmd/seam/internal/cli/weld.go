package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/gotool"
	"github.com/seamgo/seam/cmd/seam/internal/weld/job"
	"github.com/seamgo/seam/cmd/seam/internal/weld/plan"
	"github.com/seamgo/seam/cmd/seam/internal/weld/trial"
)

// weldVerb is the verb that builds a program by a plan.
type weldVerb struct {
	Plan  string `help:"The plan; default: seam.plan in the root of the main module." placeholder:"FILE"`
	Quiet bool   `short:"q" help:"Print no summary."`

	Compare    bool     `help:"Build the program with the plan and without, run both in turns, and say how much faster it is."`
	Bisect     bool     `help:"Run the command with fewer and fewer lines of the plan, and say which of them make it fail."`
	TraceFirst bool     `help:"Trace the command and make the plan from that before anything else: seam trace, seam plan and seam weld in one."`
	Rounds     int      `default:"10" placeholder:"10" help:"Rounds of --compare; in each, both programs run twice (${default})."`
	Threshold  fraction `default:"5%" placeholder:"5%" help:"Slowdown that --compare accepts, as 5% or 0.05 (${default})."`
	Load       string   `placeholder:"COMMAND" help:"The program is a server: --compare starts it, drives it with this command (of sh), whose time counts, and ends it by SIGTERM."`
	Ready      string   `placeholder:"URL" help:"With --load: what answers when the server is ready, http://HOST:PORT/ or HOST:PORT."`
	HTML       string   `placeholder:"FILE" help:"Write what --compare shows as a page too."`
	JSON       string   `placeholder:"FILE" help:"And as JSON."`
	Benchfmt   string   `placeholder:"FILE" help:"And as Go benchmark results: benchstat -col /via FILE."`

	Go []string `arg:"" passthrough:"" name:"go" help:"The go command: go build, install, run or test with its arguments, after --; or a command that calls some, as make. With --compare also a package's folder with the program's arguments."`
}

func (weldVerb) examples() string {
	return `Examples:
  seam weld -- go build ./cmd/server
  seam weld -- go test -race ./...
  seam weld --plan fast.plan -- go run . -listen :8080
  seam weld -- make server
  seam weld --compare -- go test -bench . ./...
  seam weld --compare --html weld.html -- ./cmd/import big.csv
  seam weld --trace-first --compare -- go test -bench Query ./db
  seam weld --bisect -- go test -run TestParse ./db
  seam weld --compare --load ./drive.sh --ready 127.0.0.1:8080 -- ./cmd/server

Functions that are leaves in the plan are called without the scheduler's
handshake, and their arguments no longer escape. Those that are coro are too,
and Go is called from them as a function is. go.mod, go.sum, vendor and all
sources stay as they are. Functions that are park wait in libc without a
thread. Lines offload:8 and threads: 64 bound how many goroutines are in C at
once. A command that isn't go, as make or a script, is run with GOFLAGS by which
all go commands in it weld. A welded program reads these variables:
  SEAM_GUARD=sample  time some calls, and call functions that are too slow
                     through cgo from then on (default)
  SEAM_GUARD=all     time every call
  SEAM_GUARD=off     time none
  SEAM_WATCH=0       don't name C that keeps its processor for 200 ms
  SEAM_LEAF=cgo      call all functions through cgo
  SEAM_PARK=off      park nothing; all: also a call that is alone, which goes
                     through cgo otherwise
  SEAM_OFFLOAD=off   bound nothing
  SEAM_TRIM=off      give no memory back, whatever the plan's line trim: says
  SEAM_GUARD_LIMIT=30s  with GOMAXPROCS=1, how long a leaf may take before the
                     program is ended with its name; and how long calls may
                     keep others out of a bound (default 10s)

--bisect runs a command that fails only welded with fewer and fewer lines, some
ten times, and names those by which it fails (code 1).

--compare runs each benchmark, or the program, in 2 × 2 processes a round: cgo,
weld, weld, cgo. Tests are not run; a process runs a benchmark five times for
40ms and takes the median, unless -benchtime or -count says otherwise. The
program must end by itself and with code 0; what it prints is not shown. A
server doesn't: with --load it is started, driven and ended. Exit code 1: a
benchmark is proven slower by more than --threshold, or the welded program
failed.
`
}

func (v *weldVerb) Run(s *session) error {
	v.Go = dropDashes(v.Go)
	if v.Compare && v.Bisect {
		return errors.New("--compare and --bisect are two questions; ask one")
	}
	if v.builds() {
		return v.build(s)
	}
	command, err := v.parse()
	if err == nil {
		err = command.Versioned()
	}
	if err != nil {
		return err
	}
	if v.TraceFirst {
		if err := v.traceAndPlan(s, command); err != nil {
			return err
		}
	}
	env, err := gotool.ReadEnv(s.ctx, command.Tool, command.Dir)
	if err != nil {
		return err
	}
	p, err := v.load(s.ctx, command)
	if err != nil {
		return err
	}
	if v.Compare {
		return v.compare(s, command, env, p)
	}
	if v.Bisect {
		return v.bisect(s, command, env, p)
	}
	w, err := job.NewWeld(s.ctx, command, env, p)
	if err != nil {
		return err
	}
	if w.Off != "" {
		err := s.runGo(command.With(), nil)
		if !v.Quiet {
			fmt.Fprintf(s.stderr, "seam: nothing is welded, this was a plain build: %s\n", w.Off)
		}
		return err
	}
	if err := w.Begin(); err != nil {
		return withCode(exitFailed, err)
	}
	defer w.Remove()
	args, err := w.Args(s.ctx)
	if err != nil {
		return err
	}
	runErr := s.runGo(args, nil)
	switch {
	case w.Mistake():
		return &exitStatus{exitUsage} // which was told
	case v.Quiet, runErr != nil && (s.ctx.Err() != nil || command.Verb == "build" || command.Verb == "install"):
		return runErr // nothing to say, or nothing was built
	}
	if err := w.WriteSummary(s.stderr); err != nil {
		return errors.Join(runErr, withCode(exitFailed, err))
	}
	return runErr
}

// builds reports whether the command isn't a go command but one that calls some: make, a script,
// env.
func (v *weldVerb) builds() bool {
	return !v.Compare && !v.TraceFirst && !v.Bisect && len(v.Go) > 0 && !strings.HasPrefix(v.Go[0], "-") && !gotool.IsGo(v.Go[0])
}

// build runs such a command, with an environment in which each go command that it starts welds.
func (v *weldVerb) build(s *session) error {
	if err := v.checkFlags(); err != nil {
		return err
	}
	env, err := gotool.ReadEnv(s.ctx, "go", "")
	if err != nil {
		return err
	}
	if own, err := (&gotool.Command{}).FlagOrEnv("toolexec", env.GOFLAGS); err != nil {
		return err
	} else if own != "" {
		return errors.New("GOFLAGS has a -toolexec, and here seam needs its place: run with another GOFLAGS, in which your tool comes first (GOFLAGS=\"'-toolexec=YOURTOOL seam toolexec --plan FILE'\") and without seam weld, or give seam weld the go command itself")
	}
	name := v.Plan
	if name == "" {
		root, _, err := gotool.ModuleRoot(s.ctx, "go", "")
		if err != nil {
			return err
		}
		name = filepath.Join(root, "seam.plan")
	}
	if name, err = filepath.Abs(name); err != nil {
		return err
	}
	if _, err := plan.Load(name); err != nil {
		return fmt.Errorf("%w (the plan says what to weld; seam try, or seam trace and seam plan, make it)", err)
	}
	flag, err := gotool.SelfFlag("-toolexec", "toolexec")
	if err != nil {
		return err
	}
	quoted, err := gotool.JoinQuoted([]string{flag})
	if err != nil {
		return err
	}
	err = s.runGo(v.Go, []string{"SEAM_PLAN=" + name, "GOFLAGS=" + strings.TrimSpace(env.GOFLAGS+" "+quoted)})
	if err == nil && !v.Quiet {
		fmt.Fprintf(s.stderr, "seam: go commands that %s started were to weld by %s, through GOFLAGS\n", v.Go[0], name)
	}
	return err
}

// checkFlags refuses flags that are for --compare.
func (v *weldVerb) checkFlags() error {
	for _, f := range v.files() {
		if f.name != nil {
			return fmt.Errorf("%s is for --compare", f.flag)
		}
	}
	if v.Load != "" || v.Ready != "" {
		return errors.New("--load and --ready are for --compare")
	}
	return nil
}

// parse takes the go command apart, and finds out before a long run whether all can be done.
func (v *weldVerb) parse() (*gotool.Command, error) {
	if (v.Load == "") != (v.Ready == "") || v.Load != "" && !v.Compare {
		return nil, errors.New("--load and --ready go together, with --compare: the command that drives a server, and what answers when it is ready")
	}
	if !v.Compare {
		if err := v.checkFlags(); err != nil {
			return nil, err
		}
		return gotool.Parse(v.Go)
	}
	if v.Rounds < 2 || v.Rounds > 1000 {
		return nil, errors.New("--rounds must be from 2 to 1000: one round tells nothing of the noise")
	}
	if err := checkOutputs(v.files()...); err != nil {
		return nil, err
	}
	return trial.Parse(v.Go)
}

// trace makes the trace where seam trace would, and returns its name.
func (v *weldVerb) trace(s *session, c *gotool.Command) (string, error) {
	if !c.RunsProgram() {
		return "", fmt.Errorf("go %s runs nothing that could be traced: use go test -bench . or go run", c.Verb)
	}
	root, _, err := gotool.ModuleRoot(s.ctx, c.Tool, c.Dir)
	if err != nil {
		return "", err
	}
	var flags []string
	// Tests do rare and slow things that benchmarks don't.
	if testsToo(c) {
		flags = append(flags, "-run=^$")
	}
	// Calls that a quarter of a second has too few of take so long that a crossing is nothing to them.
	_, benchtime := c.Flag("benchtime")
	if _, count := c.Flag("count"); c.Verb == "test" && !benchtime && !count {
		flags = append(flags, "-benchtime=250ms")
	}
	line := c.With(flags...)
	quiet := *s
	quiet.stdout = s.stderr
	trace := traceVerb{Output: filepath.Join(root, defaultTrace), Args: line}
	if err := trace.Run(&quiet); err != nil {
		var silent *exitStatus
		if errors.As(err, &silent) {
			return "", withCode(exitFailed, fmt.Errorf("the command failed when it was traced (what it said stands above), so no plan was made of it; it may fail without tracing too: %s", strings.Join(line, " ")))
		}
		return "", err
	}
	return trace.Output, nil
}

// traceAndPlan makes the trace and the plan where seam trace and seam plan would.
func (v *weldVerb) traceAndPlan(s *session, c *gotool.Command) error {
	trace, err := v.trace(s, c)
	if err != nil {
		return err
	}
	quiet := *s
	quiet.stdout = s.stderr
	return planFrom(c, trace, v.Plan).Run(&quiet)
}

func (v *weldVerb) load(ctx context.Context, c *gotool.Command) (*plan.Plan, error) {
	name := v.Plan
	if name == "" {
		root, _, err := gotool.ModuleRoot(ctx, c.Tool, c.Dir)
		if err != nil {
			return nil, err
		}
		name = filepath.Join(root, "seam.plan")
	}
	p, err := plan.Load(name)
	if errors.Is(err, fs.ErrNotExist) && v.Plan == "" {
		return nil, fmt.Errorf("%s does not exist. It says what to weld; make it with seam try ./..., or with:\n\tseam trace -- go test -bench . ./...\n\tseam plan", name)
	}
	return p, err
}

// dropDashes takes away the -- in front of a go command.
func dropDashes(args []string) []string {
	if len(args) > 0 && args[0] == "--" {
		return args[1:]
	}
	return args
}
