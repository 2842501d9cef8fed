package cli

import (
	"errors"
	"fmt"
	"io"

	"github.com/seamgo/seam/cmd/seam/internal/gotool"
	"github.com/seamgo/seam/cmd/seam/internal/machine"
	"github.com/seamgo/seam/cmd/seam/internal/output"
	"github.com/seamgo/seam/cmd/seam/internal/stack/report"
	"github.com/seamgo/seam/cmd/seam/internal/stack/view"
	"github.com/seamgo/seam/cmd/seam/internal/terminal"
)

// stackTraceVerb is the verb that shows how the goroutine stacks of a program grow.
type stackTraceVerb struct {
	Output   *string  `short:"o" help:"The report; - is standard output. Default: seam-stack.txt, or standard output with --read or --show." placeholder:"FILE"`
	JSON     *string  `name:"json" help:"Write everything, for other programs." placeholder:"FILE"`
	HTML     *string  `name:"html" help:"Write a page with the timeline and the tree of doublings." placeholder:"FILE"`
	Log      *string  `help:"Also keep the runtime's log: some 90 bytes an event." placeholder:"FILE"`
	Procs    int      `help:"GOMAXPROCS of the program. Default: unchanged." placeholder:"N"`
	Adaptive bool     `name:"adaptive-start" help:"Start new stacks at the average size that the garbage collector has seen (GODEBUG=adaptivestackstart=1), not at 2 KB."`
	All      bool     `help:"Show everything that was found, not only what matters."`
	Read     string   `xor:"mode" help:"Report on a log that a program has written. The argument is the file of that program, the same build, for the names of its functions." placeholder:"LOG"`
	Show     bool     `xor:"mode" help:"Print the report from a file written by --json."`
	Args     []string `arg:"" optional:"" passthrough:"" name:"go" help:"After --, the go command: go build, install, run or test with its arguments; or a program that was built this way."`
}

func (stackTraceVerb) examples() string {
	return `Examples:
  seam stack trace -- go run ./cmd/server
  seam stack trace --html stack.html -o - -- go test ./...
  seam stack trace --procs 1 --json stack.json -- go run . <input.txt
  seam stack trace -- go build -o server ./cmd/server && seam stack trace -- ./server
  SEAM_STACK_LOG=server.log ./server; seam stack trace --read server.log ./server

Builds the program with the Go runtime's own stack tracer turned on, which logs every
stack that is allocated, grows, shrinks or is freed. The program's output goes where
it always goes, the report to the file seam-stack.txt, a summary to standard error.
Your Go installation is not changed (go build -overlay). Builds are kept in a cache of
their own, $XDG_CACHE_HOME/seam/stack (~/.cache/seam/stack); the first one compiles
the standard library as well. The exit code is the program's.
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
		return fmt.Errorf("--procs %d: want at least 1, or 0 to leave it unchanged", v.Procs)
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
	return v.write(s, file, workingDir())
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
		options.Options = terminal.Of(s.stdout).Options
	}
	errs = errors.Join(errs, to.Write(s.ctx, *v.Output, func(w io.Writer) error { return view.Text(w, f, options) }))
	if v.JSON != nil {
		errs = errors.Join(errs, to.Write(s.ctx, *v.JSON, f.Encode))
	}
	if v.HTML != nil {
		errs = errors.Join(errs, to.Write(s.ctx, *v.HTML, func(w io.Writer) error { return view.HTML(w, f, view.HTMLOptions{Dir: dir}) }))
	}
	if !output.IsStdout(*v.Output) {
		errs = errors.Join(errs, view.Summary(s.stderr, f, view.TextOptions{Options: terminal.Of(s.stderr).Options, Dir: dir}))
		if errs == nil {
			fmt.Fprintf(s.stderr, "seam: wrote %s\n", *v.Output)
		}
	}
	return withCode(exitFailed, errs)
}
