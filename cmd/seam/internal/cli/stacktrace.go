package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/gotool"
	"github.com/seamgo/seam/cmd/seam/internal/machine"
	"github.com/seamgo/seam/cmd/seam/internal/output"
	"github.com/seamgo/seam/cmd/seam/internal/stack/launch"
	"github.com/seamgo/seam/cmd/seam/internal/stack/overlay"
	"github.com/seamgo/seam/cmd/seam/internal/stack/report"
	"github.com/seamgo/seam/cmd/seam/internal/stack/symbols"
	"github.com/seamgo/seam/cmd/seam/internal/stack/view"
)

// stackTraceVerb is the verb that shows how the goroutine stacks of a program grow.
type stackTraceVerb struct {
	Output   *string  `short:"o" help:"The report, - for standard output; default: seam-stack.txt, and with --read or --show standard output." placeholder:"FILE"`
	JSON     *string  `name:"json" help:"Write everything, for other programs." placeholder:"FILE"`
	HTML     *string  `name:"html" help:"Write a page with the timeline and the tree of doublings." placeholder:"FILE"`
	Log      *string  `help:"Keep the runtime's log too: some 90 bytes an event." placeholder:"FILE"`
	Procs    int      `help:"GOMAXPROCS of the program; default: as it is." placeholder:"N"`
	Adaptive bool     `name:"adaptive-start" help:"Let new stacks begin with what the collector finds to be their average (GODEBUG=adaptivestackstart=1), not with 2 KB."`
	All      bool     `help:"Show everything that was found, not only what matters."`
	Read     string   `xor:"mode" help:"Report on the log that a program has written; the argument is the program's file, the very build that wrote it, which names its functions." placeholder:"LOG"`
	Show     bool     `xor:"mode" help:"Print the report of a file that --json has written."`
	Args     []string `arg:"" optional:"" passthrough:"" name:"go" help:"The go command: go build, install, run or test with its arguments, or a program that was built so, after --."`
}

func (stackTraceVerb) examples() string {
	return `Examples:
  seam stack trace -- go run ./cmd/server
  seam stack trace --html stack.html -o - -- go test ./...
  seam stack trace --procs 1 --json stack.json -- go run . <input.txt
  seam stack trace -- go build -o server ./cmd/server && seam stack trace -- ./server
  SEAM_STACK_LOG=server.log ./server; seam stack trace --read server.log ./server

Builds the program with the Go runtime's own stack tracer on: every stack that is
allocated, grows, shrinks or is freed. The program's own output goes where it always
goes, the report to the file seam-stack.txt, a summary to standard error. Go itself
and its sources stay as they are (go build -overlay), and what is built is kept in a
cache of its own, $XDG_CACHE_HOME/seam/stack (~/.cache/seam/stack); the first build
takes as long as one of the standard library. The exit code is the program's.
`
}

func (v *stackTraceVerb) Run(s *session) error {
	args := dropDashes(v.Args)
	if v.Output == nil {
		name := "seam-stack.txt"
		if v.Read != "" || v.Show {
			name = "-"
		}
		v.Output = &name
	}
	if v.Procs < 0 {
		return fmt.Errorf("--procs %d: a program can't run on less than one", v.Procs)
	}
	if err := v.checkFiles(); err != nil {
		return err
	}
	switch {
	case v.Show:
		return v.show(s, args)
	case v.Read != "":
		return v.read(s, args)
	case len(args) == 0:
		return errors.New("nothing to trace: give a go command, for example: seam stack trace -- go test")
	case gotool.IsGo(args[0]):
		return v.goCommand(s, args)
	}
	return v.program(s, args)
}

func (v *stackTraceVerb) checkFiles() error {
	if err := checkOutputs(outputFlag{"-o", v.Output}, outputFlag{"--json", v.JSON}, outputFlag{"--html", v.HTML}, outputFlag{"--log", v.Log}); err != nil {
		return err
	}
	if v.Log != nil && (output.IsStdout(*v.Log) || output.InPlace(*v.Log)) {
		return fmt.Errorf("--log %s: the log must be a file", *v.Log)
	}
	return nil
}

// session begins a run.
func (v *stackTraceVerb) session(restore map[string]*string) (*launch.Session, error) {
	adaptive := "0"
	if v.Adaptive {
		adaptive = "1"
	}
	work, err := launch.Create(launch.Session{Procs: v.Procs, Adaptive: adaptive, Restore: restore})
	return work, withCode(exitFailed, err)
}

// goCommand runs a go command whose program is traced.
func (v *stackTraceVerb) goCommand(s *session, args []string) error {
	command, err := gotool.ParsePlain(args)
	if err != nil {
		return err
	}
	env, err := gotool.ReadEnv(s.ctx, command.Tool, command.Dir)
	if err != nil {
		return err
	}
	if err := canTraceStacks(env); err != nil {
		return err
	}
	root, module, err := gotool.ModuleRoot(s.ctx, command.Tool, command.Dir)
	if err != nil {
		return err
	}
	build, err := prepareStack(command, env)
	if err != nil {
		return err
	}
	work, err := v.session(build.restore())
	if err != nil {
		return err
	}
	defer work.Remove()
	overlay, err := build.overlay(work.Dir)
	if err != nil {
		return err
	}
	if build.first {
		fmt.Fprintln(s.stderr, "seam: the first build with the stack tracer compiles what the program needs of the standard library anew; it is kept")
	}
	if !command.RunsProgram() {
		if err := s.runGo(build.with(command, overlay), build.env); err != nil {
			return err
		}
		return v.built(s)
	}
	execFlag, err := build.execFlag(work.Dir)
	if err != nil {
		return err
	}
	flags := []string{overlay, execFlag}
	if _, given := command.Flag("count"); command.Verb == "test" && !given {
		flags = append(flags, "-count=1") // a result from the cache would mean that nothing ran
	}
	header := report.File{Go: env.GOVERSION, OS: env.GOOS, Arch: env.GOARCH, Module: module, Command: args}
	return v.trace(s, work, header, root, func() error {
		// Ctrl-\ asks the program for its goroutines, and goes to all processes of a
		// terminal. The go command stays, and so must this one: it has a report to write.
		quit := make(chan os.Signal, 1)
		signal.Notify(quit, syscall.SIGQUIT)
		defer signal.Stop(quit)
		err := s.runGo(build.with(command, flags...), build.env)
		if command.Verb == "run" {
			return programsEnd(work, err)
		}
		return err
	})
}

// programsEnd is how go run ended: with the program's own exit code, where the go
// command makes 1 of each.
func programsEnd(work *launch.Session, goErr error) error {
	programs, err := work.Programs()
	var status *exitStatus
	if err == nil && errors.As(goErr, &status) && len(programs) == 1 && programs[0].Code != 0 {
		return &exitStatus{programs[0].Code}
	}
	return goErr
}

// canTraceStacks refuses builds whose stacks can't be traced.
func canTraceStacks(env *gotool.Env) error {
	if env.GOOS != "linux" || env.GOARCH != "amd64" && env.GOARCH != "arm64" {
		return fmt.Errorf("stacks can be traced on linux/amd64 and linux/arm64 only, and this build is for %s/%s", env.GOOS, env.GOARCH)
	}
	return nil
}

// built tells what to do with a program that was only built.
func (v *stackTraceVerb) built(s *session) error {
	_, err := fmt.Fprintf(s.stderr, "seam: the program logs its stacks when it is run by seam stack trace -- PROGRAM, or with %s=FILE in its environment\n", overlay.LogVariable)
	return withCode(exitFailed, err)
}

// program runs a program that was built before.
func (v *stackTraceVerb) program(s *session, args []string) error {
	if strings.HasPrefix(args[0], "-") {
		return fmt.Errorf("unknown flag %s (seam stack trace -h shows them; what comes before -- is for seam)", args[0])
	}
	name, err := exec.LookPath(args[0])
	if err != nil {
		return fmt.Errorf("%w (want a go command, or a program that seam stack trace -- go build has built)", err)
	}
	binary, err := symbols.Open(name)
	if err != nil {
		return fmt.Errorf("%w (want a go command, or a program that seam stack trace -- go build has built)", err)
	}
	if !hasTracer(binary) {
		return fmt.Errorf("%s has no stack tracer in it; build it with: seam stack trace -- go build -o %s", name, name)
	}
	work, err := v.session(nil)
	if err != nil {
		return err
	}
	defer work.Remove()
	header := report.File{Go: binary.GoVersion, OS: "linux", Arch: binary.Arch, Command: args}
	dir, err := os.Getwd()
	if err != nil {
		dir = ""
	}
	return v.trace(s, work, header, dir, func() error {
		p, err := work.Exec(s.ctx, launch.Streams{Stdin: s.stdin, Stdout: s.stdout, Stderr: s.stderr}, append([]string{name}, args[1:]...), 0)
		switch {
		case err != nil:
			return withCode(exitFailed, err)
		case s.ctx.Err() != nil:
			return withCode(exitInterrupted, errors.New("interrupted"))
		case p.Code != 0:
			fmt.Fprintf(s.stderr, "seam: %s: %s\n", args[0], p.Ended)
			return &exitStatus{p.Code}
		}
		return nil
	})
}

// hasTracer tells whether a program has the tracer.
func hasTracer(b *symbols.Binary) bool {
	for i := range b.Funcs {
		if b.Funcs[i].Name == overlay.Mark {
			return true
		}
	}
	return false
}

// trace reports on the programs that run starts. What ended the run comes before
// whatever else went wrong, and is the exit code.
func (v *stackTraceVerb) trace(s *session, work *launch.Session, header report.File, dir string, run func() error) error {
	header.Time = time.Now().UTC()
	header.Settings.Adaptive = work.Adaptive
	reading, err := v.startReading(work)
	if err != nil {
		return withCode(exitFailed, err)
	}
	runErr := run()
	// What has been read is reported, even if the log could not be kept.
	file, err := reading.finish(header)
	runErr = errors.Join(runErr, withCode(exitFailed, err))
	if len(file.Processes) == 0 {
		if runErr != nil {
			return runErr // it has been said why
		}
		return withCode(exitFailed, errors.New("no traced program ran, so there is nothing to report (go test: are there tests?)"))
	}
	if err := v.write(s, file, dir); err != nil {
		return errors.Join(runErr, err)
	}
	return runErr
}

// show prints the report of a JSON file again.
func (v *stackTraceVerb) show(s *session, args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("--show takes one file, not %d (flags come before it)", len(args))
	}
	if v.JSON != nil || v.Log != nil {
		return errors.New("--show writes a report and a page only; leave out --json and --log")
	}
	file, err := report.Read(args[0])
	if err != nil {
		return err
	}
	dir, err := os.Getwd()
	if err != nil {
		dir = ""
	}
	return v.write(s, file, dir)
}

// write writes the files, and the summary.
func (v *stackTraceVerb) write(s *session, f *report.File, dir string) error {
	to := output.Writer{Stdout: s.stdout, Stderr: s.stderr}
	f.Seam = toolVersion()
	if !v.Show {
		f.CPU = machine.Read().CPU
	}
	var errs error
	options := view.TextOptions{All: v.All, Dir: dir}
	if output.IsStdout(*v.Output) {
		options.Options = screenOf(s.stdout).Options
	}
	errs = errors.Join(errs, to.Write(s.ctx, *v.Output, func(w io.Writer) error { return view.Text(w, f, options) }))
	if v.JSON != nil {
		errs = errors.Join(errs, to.Write(s.ctx, *v.JSON, f.Encode))
	}
	if v.HTML != nil {
		errs = errors.Join(errs, to.Write(s.ctx, *v.HTML, func(w io.Writer) error { return view.HTML(w, f, view.HTMLOptions{Dir: dir}) }))
	}
	if !output.IsStdout(*v.Output) {
		errs = errors.Join(errs, view.Summary(s.stderr, f, view.TextOptions{Options: screenOf(s.stderr).Options, Dir: dir}))
		if errs == nil {
			fmt.Fprintf(s.stderr, "seam: wrote %s\n", *v.Output)
		}
	}
	return withCode(exitFailed, errs)
}
