package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/filecache"
	"github.com/seamgo/seam/cmd/seam/internal/gotool"
	"github.com/seamgo/seam/cmd/seam/internal/output"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
	"github.com/seamgo/seam/cmd/seam/internal/stats"
	"github.com/seamgo/seam/cmd/seam/internal/weld/job"
	"github.com/seamgo/seam/cmd/seam/internal/weld/plan"
	"github.com/seamgo/seam/cmd/seam/internal/weld/trial"
)

// tryVerb is the verb that finds out whether welding pays.
type tryVerb struct {
	For   time.Duration `placeholder:"5m" help:"Time for measuring, builds not counted (5m); for a process or a program's file: how long it is looked at (30s)."`
	PID   *int          `name:"pid" placeholder:"N" help:"Look at this process, a Go program as it was built, and say what welding could bring at most. Nothing is built."`
	Fresh bool          `help:"Take nothing over of an earlier run: trace and measure anew."`
	Plan  string        `placeholder:"FILE" help:"Where the plan goes if one is proven to pay; default: seam.plan in the root of the main module."`
	HTML  string        `placeholder:"FILE" help:"Write the comparison with the best plan as a page too."`

	Go []string `arg:"" optional:"" passthrough:"" name:"go" help:"Packages whose benchmarks are run (default: ./...); or, after --, go test -bench, go run, or a package's folder with the program's arguments."`
}

func (tryVerb) examples() string {
	return `Examples:
  seam try ./...
  seam try --for 2m -- go test -bench Query ./db
  seam try -- ./cmd/import big.csv
  seam try --pid "$(pgrep -n server)"
  seam try --for 1m -- ./server -listen :8080

Says whether seam weld makes a program faster, and with which plan. Traces the
command (seam.trace is written), makes the plan as seam plan does, and compares
the program as it is with the program welded by that plan, then by one in which
all that was called and didn't wait is coro, then by the better one without the
functions that the guard called through cgo. What is kept is the plan with which
the geometric mean of all benchmarks is proven to be faster by most and none is
proven to be slower; it is written to seam.plan, for you to read and commit.
If there is none, no plan is written. The program must do the same each time.
Interrupted, or given more time, the same command goes on from the trace and the
rounds that an earlier run has finished, for a day; --fresh begins anew.

With --pid, or a program's file in place of a command, nothing is built or
traced: the process is looked at from outside, and what crossings take of its
processor time is said, which is the most that welding could save. A file is
run, and ended by SIGTERM when the time is over.
`
}

// A candidate is a plan that was tried.
type candidate struct {
	name   string
	plan   *plan.Plan
	result *trial.Result
	err    error // the welded program failed
}

// proven reports whether the plan pays: faster in all, and slower in nothing.
func (c *candidate) proven() bool {
	return c.err == nil && c.result != nil && c.result.Overall().Verdict == stats.Faster && len(c.result.Slower(0)) == 0
}

func (v *tryVerb) Run(s *session) error {
	args := dropDashes(v.Go)
	outside := v.PID != nil || len(args) > 0 && isProgram(args[0])
	if v.For == 0 {
		if v.For = 5 * time.Minute; outside {
			v.For = 30 * time.Second
		}
	}
	if v.For < time.Second {
		return errors.New("--for is the time for measuring: at least 1s")
	}
	if outside {
		return v.bound(s, args)
	}
	if err := checkOutputs(outputFlag{"--html", given(v.HTML)}, outputFlag{"--plan", given(v.Plan)}); err != nil {
		return err
	}
	c, err := v.command()
	if err == nil {
		err = c.Versioned()
	}
	if err != nil {
		return err
	}
	root, _, err := gotool.ModuleRoot(s.ctx, c.Tool, c.Dir)
	if err != nil {
		return err
	}
	name := cmp.Or(v.Plan, filepath.Join(root, "seam.plan"))
	env, err := gotool.ReadEnv(s.ctx, c.Tool, c.Dir)
	if err != nil {
		return err
	}
	if why := job.Unweldable(env); why != "" {
		return fmt.Errorf("nothing can be welded: %s", why)
	}
	dir, err := os.MkdirTemp("", "seam-try-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	x := &tryRun{v: v, s: s, command: c, env: env, store: &trial.Store{Fresh: v.Fresh},
		weld: &weldVerb{Plan: name, Quiet: true, Go: c.With(), Rounds: 1000}}
	x.store.Cache, _ = filecache.Open("try") // without one nothing can be taken over
	defer x.store.Cache.Trim()
	err = x.run(root, dir)
	if s.ctx.Err() == nil {
		return err
	}
	words := "interrupted"
	if x.store.Kept {
		words += ": what was finished is kept for a day, and the same command goes on from there"
	}
	return withCode(exitInterrupted, errors.New(words))
}

// A tryRun looks for the best plan.
type tryRun struct {
	v       *tryVerb
	s       *session
	command *gotool.Command
	env     *gotool.Env
	weld    *weldVerb
	store   *trial.Store
	plain   []*trial.Program
	tried   []*candidate
}

// run finds the best plan and says what came out; dir is for the plain programs.
func (x *tryRun) run(root, dir string) (err error) {
	o := trial.Options{Alone: true}
	x.plain, err = o.Programs(x.s.ctx, x.command, dir, func(_ trial.Side, c *gotool.Command) error { return x.s.buildApart(c.With()) })
	if err != nil {
		return err
	}
	trace, err := x.trace(root)
	if err != nil {
		return err
	}
	made, err := planFrom(x.command, trace, x.weld.Plan).decide(x.s, root)
	if err != nil {
		return x.s.planError(err)
	}
	made.Plan.Name = x.weld.Plan
	if err := x.candidates(made); err != nil {
		var build *notBuilt
		if !errors.As(err, &build) {
			err = withCode(exitFailed, err)
		}
		return err
	}
	return x.v.conclude(x.s, x.weld, x.env, made, x.tried)
}

// trace traces the command, or takes over the trace of the same programs.
func (x *tryRun) trace(root string) (string, error) {
	key, err := trial.Key("trace", x.plain)
	if err != nil {
		return "", err
	}
	name := filepath.Join(root, defaultTrace)
	if text, ago, ok := trial.Get[[]byte](x.store, key); ok {
		fmt.Fprintf(x.s.stderr, "seam: traced %s ago, the same programs: taken over (--fresh traces anew)\n", ago.Round(time.Second))
		to := output.Writer{Stdout: x.s.stdout, Stderr: x.s.stderr}
		return name, withCode(exitFailed, to.Write(x.s.ctx, name, func(w io.Writer) error { _, err := w.Write(text); return err }))
	}
	fmt.Fprintln(x.s.stderr, "seam: tracing the command")
	if name, err = x.weld.trace(x.s, x.command); err != nil {
		return "", err
	}
	if text, err := os.ReadFile(name); err == nil { // else the plan says what is wrong with it
		trial.Put(x.store, key, text)
	}
	return name, nil
}

// command is what is run: the benchmarks of packages, or a command.
func (v *tryVerb) command() (*gotool.Command, error) {
	args := v.Go
	if len(args) > 0 && args[0] == "--" {
		return trial.Parse(args[1:])
	}
	if len(args) == 0 {
		args = []string{"./..."}
	}
	return trial.Parse(append([]string{"go", "test", "-bench", "."}, args...))
}

// candidates tries plans, each with a part of the time.
func (x *tryRun) candidates(made *plan.Result) (err error) {
	if welded(made.Plan) > 0 {
		err = x.try("by rule", made.Plan)
	}
	if bold, n := made.Bold(); err == nil && n > 0 {
		err = x.try("with coro for what didn't wait", bold)
	}
	// What the guard had to call through cgo is no gain, and costs until it is found.
	if best := best(x.tried); err == nil && best != nil {
		demoted := func(e plan.Entry) bool {
			return slices.ContainsFunc(best.result.Said, func(line string) bool { return strings.Contains(line+" ", e.Path()+" ") })
		}
		if p, n := plan.Without(best.plan, "the guard called it through cgo when it was tried", demoted); n > 0 && welded(p) > 0 {
			err = x.try(best.name+", without what its guard demoted", p)
		}
	}
	return err
}

// try compares the program with one that is welded by a plan.
func (x *tryRun) try(name string, p *plan.Plan) error {
	const parts = 3
	t := &candidate{name: name, plan: p}
	x.tried = append(x.tried, t)
	fmt.Fprintf(x.s.stderr, "seam: comparing with the plan %s (%s)\n", name, quantity.Plural(welded(p), "function"))
	o := trial.Options{Rounds: x.weld.Rounds, For: x.v.For / parts, What: name + ": ", Store: x.store}
	t.result, t.err = x.weld.measure(x.s, x.command, x.env, p, x.plain, o)
	var failed *trial.Failure
	if t.err != nil && !(errors.As(t.err, &failed) && failed.Side == trial.Weld) {
		return t.err // it isn't the plan
	}
	if t.err == nil {
		fmt.Fprintf(x.s.stderr, "seam: %s: %s\n", name, t.result.Gain())
	}
	return nil
}

// best is the plan that gains most; nil if none ran.
func best(tried []*candidate) (best *candidate) {
	for _, x := range tried {
		if x.err != nil || x.result == nil {
			continue
		}
		if best == nil || x.proven() && !best.proven() ||
			x.proven() == best.proven() && x.result.Overall().Ratio < best.result.Overall().Ratio {
			best = x
		}
	}
	return best
}

// conclude writes the plan that is proven, and says what came out in a few lines.
func (v *tryVerb) conclude(s *session, weld *weldVerb, env *gotool.Env, made *plan.Result, tried []*candidate) error {
	x := best(tried)
	var failed []string
	for _, t := range tried {
		if t.err != nil {
			failed = append(failed, fmt.Sprintf("The plan %s is out: %v", t.name, t.err))
		}
	}
	if x == nil || !x.proven() {
		line := "Nothing to gain here: no function that was called can be called otherwise."
		if x != nil {
			line = fmt.Sprintf("No plan is proven to pay. The best one, %s: %s%s", x.name, x.result.Gain(), v.undecided(x.result))
		}
		for _, line := range append([]string{line}, failed...) {
			fmt.Fprintln(s.stdout, line)
		}
		_, err := fmt.Fprintln(s.stdout, "No plan was written. What each function would need: seam plan")
		return withCode(exitFailed, errors.Join(err, v.page(s, weld, env, x)))
	}
	to := output.Writer{Stdout: s.stdout, Stderr: s.stderr}
	head := append(planHead(made), "proven by seam try, "+x.name+": "+x.result.Gain())
	err := to.Write(s.ctx, x.plan.Name, func(w io.Writer) error { return x.plan.Format(w, head...) })
	if err == nil {
		err = v.page(s, weld, env, x)
	}
	if err != nil {
		return withCode(exitFailed, err)
	}
	count := map[plan.Mode]int{}
	for _, e := range x.plan.Entries {
		count[e.Mode]++
	}
	views := ""
	if n := count[plan.View]; n > 0 {
		views = fmt.Sprintf("%d view, ", n)
	}
	if n := count[plan.Reuse]; n > 0 {
		views += fmt.Sprintf("%d reuse, ", n)
	}
	lines := []string{
		strings.Join(append([]string{"Gain: " + x.result.Gain() + "."}, x.result.Caveats("try it for longer, as by --for 10m, on a machine that does less else")...), " "),
		fmt.Sprintf("Plan: %s, %s: %d leaf, %d coro, %d park, %s%d cgo.", x.plan.Name, x.name, count[plan.Leaf], count[plan.Coro], count[plan.Park], views, count[plan.Cgo]),
		"Can go wrong: C that takes long keeps a processor from Go, until its guard calls it through cgo and says so; see the comment of each line.",
		"Commit: " + filepath.Base(x.plan.Name) + ", and build with: seam weld -- go build …",
		"Not looked at: whether Go and C are right about each other's memory; that is what seam vet is for.",
	}
	for _, line := range append(lines, failed...) {
		if _, err := fmt.Fprintln(s.stdout, line); err != nil {
			return withCode(exitFailed, err)
		}
	}
	return nil
}

// undecided says what may show more; "" where the time has shown what there is.
func (v *tryVerb) undecided(r *trial.Result) string {
	if r.Overall().Verdict != stats.Unproven {
		return ""
	}
	more := int(math.Ceil(max(3*v.For, time.Minute).Minutes()))
	return fmt.Sprintf(". That isn't enough to tell: the same command with --for %dm goes on from here", more)
}

// page writes the comparison of the best plan.
func (v *tryVerb) page(s *session, weld *weldVerb, env *gotool.Env, x *candidate) error {
	if v.HTML == "" || x == nil {
		return nil
	}
	to := output.Writer{Stdout: s.stdout, Stderr: s.stderr}
	return to.Write(context.WithoutCancel(s.ctx), v.HTML, func(w io.Writer) error { return x.result.WriteHTML(w, madeNow(env)) })
}

func (*tryVerb) next() string { return "seam weld -- go build, if a plan was written" }
