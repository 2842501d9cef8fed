package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/filecache"
	"github.com/seamgo/seam/cmd/seam/internal/gotool"
	"github.com/seamgo/seam/cmd/seam/internal/output"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
	"github.com/seamgo/seam/cmd/seam/internal/terminal"
	"github.com/seamgo/seam/cmd/seam/internal/weld/callgraph"
	"github.com/seamgo/seam/cmd/seam/internal/weld/calltrace"
	"github.com/seamgo/seam/cmd/seam/internal/weld/plan"
)

// planVerb is the verb that decides which C functions become leaves.
type planVerb struct {
	Trace    []string      `short:"t" placeholder:"FILE" help:"Trace to read; may be given several times. Default: seam.trace in the root of the main module."`
	Output   string        `short:"o" placeholder:"FILE" help:"The plan; - is standard output. Default: seam.plan in the root of the main module."`
	Check    bool          `help:"Only compare the plan with the code: changed, removed and new functions."`
	MinCalls uint64        `default:"1000" placeholder:"1000" help:"Calls that a function needs to become a leaf (${default}); a tenth of that if its call graph is closed."`
	P999     time.Duration `name:"p999" default:"5us" placeholder:"5us" help:"Limit for 99.9 % of a leaf's calls, without those that the machine made slow (${default})."`
	Max      time.Duration `default:"50us" placeholder:"50us" help:"Time that only 1 in 10,000 of a leaf's calls may take, and those that the machine made slow (${default})."`
	Budget   time.Duration `default:"20us" placeholder:"20us" help:"Time above which a leaf's call counts as too long (${default})."`
	Park     int           `default:"16" placeholder:"16" help:"Threads at once in a function from which on it is parked, if it waits in libc (${default}); 0: none is."`
	Bind     string        `type:"path" placeholder:"FILE" help:"Choose which functions of a package of seam bind are leaves, and write that into its bind.seam, this file. The traces are what programs wrote with SEAM_TRACE=FILE."`
	NoProof  bool          `help:"Don't compile the packages' C for proofs."`
	Tags     string        `placeholder:"LIST" help:"Build tags, as for go build. Default: those of the trace's go command."`
	Packages []string      `arg:"" optional:"" help:"Packages to look at, with what they depend on. Default: the packages of the traces."`

	tool, dir string // the go command and where to run it, if not go and here
}

// planFrom makes the plan of a trace as seam plan does by default.
func planFrom(c *gotool.Command, trace, name string) *planVerb {
	return &planVerb{
		Trace: []string{trace}, Output: name, tool: c.Tool, dir: c.Dir,
		MinCalls: plan.MinCalls, P999: plan.MaxP999, Max: plan.MaxBusy, Budget: plan.DefaultBudget, Park: plan.ParkThreads,
	}
}

func (planVerb) examples() string {
	return `Reads what seam trace has observed, proves what can be proven about the
packages' C, and writes a line for each C function that Go calls: leaf, coro,
park or cgo, and why. Read it, edit it, commit it; seam weld builds from it. A
line with the word keep stays as it is when the plan is made again, and so does
what people have written: park FUNCTION, offload:8 FUNCTION, and threads: 64 for
all C of the program.

Examples:
  seam trace -- go test -run '^$' -bench . ./...
  seam plan
  seam plan --trace monday.trace --trace tuesday.trace -o seam.plan
  seam plan --check ./...
  SEAM_TRACE=$PWD/dl.trace ./program
  seam plan --bind sqlite/bind.seam --trace dl.trace
`
}

func (v *planVerb) Run(s *session) error {
	if v.MinCalls == 0 || v.Budget < plan.MinBudget || v.Budget > plan.MaxBudget {
		return fmt.Errorf("--min-calls must be at least 1, and --budget from %v to %v", plan.MinBudget, plan.MaxBudget)
	}
	if v.P999 <= 0 || v.Max < v.P999 || v.Max > plan.MaxBudget {
		return fmt.Errorf("--p999 and --max are times up to %v, and --max must not be the shorter one", plan.MaxBudget)
	}
	if v.Park < 0 {
		return errors.New("--park is a number of threads, or 0")
	}
	if v.Bind != "" {
		return v.planBind(s)
	}
	v.tool = cmp.Or(v.tool, "go")
	root, _, err := gotool.ModuleRoot(s.ctx, v.tool, cmp.Or(v.dir, "."))
	if err != nil {
		return s.planError(err)
	}
	v.Output = cmp.Or(v.Output, filepath.Join(root, "seam.plan"))
	if v.Check {
		return s.planError(v.check(s))
	}
	return s.planError(v.make(s, root))
}

// planError says interrupted where that is the reason.
func (s *session) planError(err error) error {
	if err != nil && s.ctx.Err() != nil {
		return withCode(exitInterrupted, errors.New("interrupted: the plan is as it was"))
	}
	return err
}

func (v *planVerb) make(s *session, root string) error {
	for _, p := range v.Packages {
		if info, err := os.Stat(p); err == nil && info.Mode().IsRegular() && filepath.Ext(p) != ".go" {
			return fmt.Errorf("%s is a file: what stands here are packages; a trace is read with --trace %s", p, p)
		}
	}
	if err := output.Check(v.Output); err != nil {
		return err
	}
	made, err := v.decide(s, root)
	if err != nil {
		return err
	}
	writer := output.Writer{Stdout: s.stdout, Stderr: s.stderr}
	err = writer.Write(s.ctx, v.Output, func(w io.Writer) error { return made.Plan.Format(w, planHead(made)...) })
	if err != nil {
		return withCode(exitFailed, err)
	}
	if output.IsStdout(v.Output) {
		return nil
	}
	fmt.Fprintf(s.stdout, "%s: ", v.Output)
	return withCode(exitFailed, made.WriteText(s.stdout, terminal.Of(s.stdout).Options))
}

// planHead says in a plan what it was made from.
func planHead(made *plan.Result) []string {
	return append([]string{"made by seam plan " + toolVersion() + " of " + made.Origin[0]}, made.Origin[1:]...)
}

// decide makes the plan that is to be written, from the traces and from what the file has already.
func (v *planVerb) decide(s *session, root string) (*plan.Result, error) {
	old := &plan.Plan{Name: v.Output}
	if !output.IsStdout(v.Output) && !output.InPlace(v.Output) {
		p, err := plan.Load(v.Output)
		switch {
		case err == nil:
			old = p
		case !errors.Is(err, fs.ErrNotExist):
			return nil, fmt.Errorf("%w\nthe existing plan can't be read, so lines that people wrote would be lost: fix it, or remove the file", err)
		}
	}
	traces, err := v.traces(root)
	if err != nil {
		return nil, err
	}
	for _, t := range traces {
		if c, err := gotool.Parse(t.File.Command); err == nil && len(v.Packages) == 0 {
			if err := c.Versioned(); err != nil {
				return nil, fmt.Errorf("%s: made by %w; trace it again so", t.Name, err)
			}
		}
	}
	options := plan.Options{MinCalls: v.MinCalls, P999: v.P999, Max: v.Max, Budget: v.Budget, Park: v.Park, Now: v.goNow(s)}
	if v.Park == 0 {
		options.Park = -1
	}
	source, worth := v.source(s, traces), options.Worth(traces)
	source.Worth = func(importPath string) bool { return worth[importPath] }
	if len(source.Packages) == 0 {
		return nil, errors.New("the trace contains no C function: does the program have a package with cgo? (packages of the standard library are not traced)")
	}
	code, err := plan.Current(s.ctx, source)
	if err != nil {
		return nil, err
	}
	if len(code) == 0 {
		return nil, fmt.Errorf("no C function was found in %s", strings.Join(source.Packages, ", "))
	}
	made := plan.Make(traces, code, options)
	for _, text := range slices.Concat(made.Warnings, made.Merge(old, code)) {
		fmt.Fprintf(s.stderr, "seam: %s\n", text)
	}
	return made, nil
}

// goNow is the go command's version and target.
func (v *planVerb) goNow(s *session) plan.Made {
	env, err := gotool.ReadEnv(s.ctx, v.tool, v.dir)
	if err != nil {
		return plan.Made{} // nothing to compare with
	}
	return plan.Made{Go: env.GOVERSION, OS: env.GOOS, Arch: env.GOARCH}
}

func (v *planVerb) check(s *session) error {
	p, err := plan.Load(v.Output)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s does not exist: there is nothing to check", v.Output)
	}
	if err != nil {
		return err
	}
	source := v.source(s, nil)
	// Only what is said to be closed is proven again.
	closed := map[string]bool{}
	for _, e := range p.Entries {
		if e.Closed {
			closed[e.Package] = true
		}
	}
	source.Worth = func(importPath string) bool { return closed[importPath] }
	unread := false
	source.Warn = func(text string) {
		unread = true
		fmt.Fprintf(s.stderr, "seam: %s\n", text)
	}
	for _, e := range p.Entries {
		if !slices.Contains(source.Packages, e.Package) {
			source.Packages = append(source.Packages, e.Package)
		}
	}
	code, err := plan.Current(s.ctx, source)
	if err != nil {
		return err
	}
	problems := p.Check(code)
	for _, x := range problems {
		fmt.Fprintln(s.stdout, x)
	}
	switch {
	case len(problems) > 0:
		return withCode(exitFinding, fmt.Errorf("plan and code don't match in %s", quantity.Plural(len(problems), "place")))
	case unread:
		return errors.New("not all packages could be looked at, so the plan is not checked")
	}
	fmt.Fprintf(s.stdout, "%s matches the code: %d functions\n", v.Output, len(p.Entries))
	return nil
}

// source says which code to look at: the packages that were asked for, else
// those of the traces, with the build flags of the newest trace.
func (v *planVerb) source(s *session, traces []plan.Trace) plan.Source {
	source := plan.Source{
		Go: v.tool, Dir: v.dir, Packages: v.Packages, Deps: len(v.Packages) > 0,
		Warn: func(text string) { fmt.Fprintf(s.stderr, "seam: %s\n", text) },
		Hint: func(text string) { fmt.Fprintf(s.stderr, "seam: %s\n", text) },
	}
	newest := time.Time{}
	for _, t := range traces {
		if c, err := gotool.Parse(t.File.Command); err == nil && !t.File.Time.Before(newest) {
			newest, source.Flags = t.File.Time, c.ListFlags()
		}
		for _, f := range t.File.Functions {
			if len(v.Packages) == 0 && !slices.Contains(source.Packages, f.Package) {
				source.Packages = append(source.Packages, f.Package)
			}
		}
	}
	if v.Tags != "" {
		source.Flags = append(source.Flags, "-tags="+v.Tags) // the last one counts
	}
	if !v.NoProof {
		cache, _ := filecache.Open("callgraph") // without one it takes longer
		source.Proof = &callgraph.Options{Cache: cache}
		if terminal.Of(s.stderr).Interactive {
			source.Proof.Progress = func(file string) {
				fmt.Fprintf(s.stderr, "seam: compiling %s for its call graph\n", filepath.Base(file))
			}
		}
	}
	return source
}

// traces reads the traces that were asked for.
func (v *planVerb) traces(root string) ([]plan.Trace, error) {
	names := v.Trace
	if len(names) == 0 {
		names = []string{filepath.Join(root, "seam.trace")}
	}
	var list []plan.Trace
	for _, name := range names {
		f, err := calltrace.Read(name)
		if errors.Is(err, fs.ErrNotExist) && len(v.Trace) == 0 {
			return nil, fmt.Errorf("%s does not exist; make one with: seam trace -- go test -bench . ./... (or name another by --trace)", name)
		}
		if err != nil {
			return nil, err
		}
		list = append(list, plan.Trace{Name: filepath.Base(name), File: f})
	}
	return list, nil
}
