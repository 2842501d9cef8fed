package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/gotool"
	"github.com/seamgo/seam/cmd/seam/internal/machine"
	"github.com/seamgo/seam/cmd/seam/internal/memory"
	"github.com/seamgo/seam/cmd/seam/internal/memory/account"
	"github.com/seamgo/seam/cmd/seam/internal/output"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
	"github.com/seamgo/seam/cmd/seam/internal/terminal"
	"github.com/seamgo/seam/cmd/seam/internal/weld/calltrace"
	"github.com/seamgo/seam/cmd/seam/internal/weld/job"
)

// traceVerb is the verb that records what the C calls of a program cost.
type traceVerb struct {
	Output  string   `short:"o" help:"The trace; default: seam.trace in the root of the main module." placeholder:"FILE"`
	Pprof   *string  `help:"Write a profile for go tool pprof too." placeholder:"FILE"`
	All     bool     `help:"Show all functions that were called, not just the most expensive."`
	Collect bool     `xor:"mode" help:"Make a trace from the recordings of programs that were built by seam trace and started later; the arguments are folders or files of recordings."`
	Show    bool     `xor:"mode" help:"Print the table of a trace; the argument is its file, by default as for -o."`
	Args    []string `arg:"" optional:"" passthrough:"" name:"go" help:"The go command: go build, install, run or test with its arguments, after --."`
}

func (traceVerb) examples() string {
	return `Examples:
  seam trace -- go test -run '^$' -bench . ./...
  seam trace --pprof cgo.pprof -- go run ./cmd/server
  seam trace -- go build -o server ./cmd/server
  seam trace --collect
  seam trace --show seam.trace

Counts and times every C call of all packages outside the standard library. The
program's own output and exit code stay as they are. A program built by seam
trace records whenever it runs: in the folder $SEAM_TRACE or, if that is not
set, in $XDG_CACHE_HOME/seam/trace (~/.cache/seam/trace). --collect makes a
trace from the recordings there that are of this module and removes them; it
names whose the others are. What to do next:
  seam plan
  go tool pprof -http : cgo.pprof
`
}

func (v *traceVerb) Run(s *session) error {
	if v.Pprof != nil && *v.Pprof == "" {
		return errors.New("--pprof: the file's name is empty (is a shell variable unset?)")
	}
	args := dropDashes(v.Args)
	switch {
	case v.Show:
		return v.show(s, args)
	case v.Collect:
		return v.collect(s, args)
	case len(args) == 0:
		return errors.New("nothing to trace: name a go command, for example: seam trace -- go test")
	}
	return v.goCommand(s, args)
}

func (v *traceVerb) show(s *session, args []string) error {
	if len(args) > 1 {
		return fmt.Errorf("--show takes one file, not %d", len(args))
	}
	if len(args) == 0 {
		root, _, err := gotool.ModuleRoot(s.ctx, "go", "")
		if err != nil {
			return err
		}
		args = []string{filepath.Join(root, defaultTrace)}
	}
	file, err := calltrace.Read(args[0])
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

var traceRecorder = &job.Recorder[*calltrace.Record]{
	Mode: job.ModeTrace, Variable: "SEAM_TRACE", Program: "traced program", Read: calltrace.ReadRecord,
	NoC:  "the program calls no C that could be traced",
	Done: "traced", What: "its C calls", Next: "make a trace of that",
}

func (v *traceVerb) goCommand(s *session, args []string) error {
	r, err := traceRecorder.Parse(s.ctx, args)
	if err != nil {
		return err
	}
	name := cmp.Or(v.Output, filepath.Join(r.Root, defaultTrace))
	if r.Command.RunsProgram() {
		if err := v.check(name); err != nil {
			return err
		}
	}
	control := calltrace.Watch()
	defer control.Stop(nil)
	watched := watchProcesses(heapEvery, outsideToolchain(s.ctx, r.Command))
	records, done, runErr := record(s, r, func() error { return nil })
	report, _ := watched() // without it nothing is said of C's heap
	if done {
		return runErr
	}
	if testsToo(r.Command) {
		fmt.Fprintln(s.stderr, "seam: the tests ran too, and what they do counts as the program's use; to trace the benchmarks alone: -run '^$'")
	}
	if len(records.List) == 0 {
		return withCode(exitFailed, errors.New("no C call was made: no package outside the standard library was called through cgo, so there is nothing to write"))
	}
	file := calltrace.Merge(records.Records())
	file.Machine = control.Stop(file.Processes)
	if runErr != nil {
		file.Failed = runErr.Error()
	}
	file.Go, file.OS, file.Arch = r.Env.GOVERSION, r.Env.GOOS, r.Env.GOARCH
	file.Module, file.Command, file.Time = r.Module, args, r.Started.UTC()
	file.LeftOut = records.LeftOut
	file.Heap = heapOf(report)
	v.describe(file)
	if old := earlier(name); old != nil && old.Calls() > file.Calls() {
		fmt.Fprintf(s.stderr, "seam: %s had %s, this trace %s; seam plan reads several: -o FILE keeps the earlier one\n", name, callsOf(old), callsOf(file))
	}
	return errors.Join(runErr, withCode(exitFailed, v.write(s, file, name)))
}

// heapEvery is how often C's heap is looked at. A look reads the kernel's list of the process's mappings, so
// there are few.
const heapEvery = 250 * time.Millisecond

// heapOf is what was seen of C's heap; nil if nothing was.
func heapOf(r *memory.Report) *calltrace.Heap {
	if r == nil || len(r.Samples) == 0 {
		return nil
	}
	h := &calltrace.Heap{PID: r.Last.PID, Looks: len(r.Samples)}
	for _, x := range r.Samples {
		h.LastUsed, h.LastFree = x.Kinds[account.CUsed], x.Kinds[account.CFree]
		h.MostUsed, h.MostFree = max(h.MostUsed, h.LastUsed), max(h.MostFree, h.LastFree)
	}
	return h
}

// testsToo reports whether a command that runs benchmarks runs tests before.
func testsToo(c *gotool.Command) bool {
	_, bench := c.Flag("bench")
	_, run := c.Flag("run")
	return c.Verb == "test" && bench && !run
}

// collect makes a trace of what programs recorded that were started by hand.
func (v *traceVerb) collect(s *session, args []string) error {
	name := v.Output
	if name == "" {
		root, _, err := gotool.ModuleRoot(s.ctx, "go", "")
		if err != nil {
			return err
		}
		name = filepath.Join(root, defaultTrace)
	}
	if err := v.check(name); err != nil {
		return err
	}
	records, err := collectRecords(s, traceRecorder, args)
	if err != nil {
		return err
	}
	file := calltrace.Merge(records.Records())
	for i, r := range records.List {
		file.Processes[i].Running = r.Running
	}
	first := records.List[0].Record
	file.OS, file.Arch = first.OS, first.Arch
	file.Module, file.Command, file.Time = records.Module(), first.Command(), first.Start
	file.LeftOut = records.LeftOut
	v.describe(file)
	if old := earlier(name); old != nil && old.Calls() > file.Calls() {
		return withCode(exitFailed, fmt.Errorf("%s has %s, and these recordings have %s in %s: it stays as it is, and so do they. With -o FILE they are written elsewhere (seam plan reads several traces), or remove it first",
			name, callsOf(old), callsOf(file), quantity.Plural(len(file.Processes), "process")))
	}
	err = v.write(s, file, name)
	if err == nil {
		err = records.Remove()
	}
	return withCode(exitFailed, err)
}

// earlier is the trace that a file already has; nil if it has none.
func earlier(name string) *calltrace.File {
	if name == "" || output.IsStdout(name) || output.InPlace(name) {
		return nil
	}
	old, err := calltrace.Read(name)
	if err != nil {
		return nil
	}
	return old
}

func callsOf(f *calltrace.File) string {
	n := f.Calls()
	return quantity.Compact(float64(n)) + " " + quantity.Noun(n, "C call")
}

// describe fills in what this program knows.
func (v *traceVerb) describe(f *calltrace.File) {
	f.Seam = toolVersion()
	f.CPU = machine.Read().CPU
}

// check finds out before a long run whether the files can be written.
func (v *traceVerb) check(name string) error {
	return checkOutputs(outputFlag{"-o", given(name)}, outputFlag{"--pprof", v.Pprof})
}

// write writes the files and prints the table. An interrupt has ended the
// program that was traced, and not this.
func (v *traceVerb) write(s *session, f *calltrace.File, name string) error {
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
	if err := f.WriteText(table, calltrace.TextOptions{Options: terminal.Of(table).Options, All: v.All}); err != nil {
		errs = errors.Join(errs, fmt.Errorf("cannot write the table: %w", err))
	}
	if name != "" && errs == nil && !output.IsStdout(name) {
		fmt.Fprintf(s.stderr, "seam: wrote %s\n", name)
	}
	if gaps := f.Gaps(); errs == nil && len(gaps) > 0 {
		errs = incomplete(gaps)
	}
	return errs
}
