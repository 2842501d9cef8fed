package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/gotool"
	"github.com/seamgo/seam/cmd/seam/internal/machine"
	"github.com/seamgo/seam/cmd/seam/internal/output"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
	"github.com/seamgo/seam/cmd/seam/internal/terminal"
	"github.com/seamgo/seam/cmd/seam/internal/weld/job"
	"github.com/seamgo/seam/cmd/seam/internal/weld/plan"
	"github.com/seamgo/seam/cmd/seam/internal/weld/trial"
)

// compare builds what a go command would run with the plan and without, runs both in turns
// and says what welding has brought.
func (v *weldVerb) compare(s *session, c *gotool.Command, env *gotool.Env, p *plan.Plan) error {
	if welded(p) == 0 && p.Threads == 0 && p.Trim == 0 {
		fmt.Fprintf(s.stdout, "Nothing to gain here: %s leaves all functions to cgo and bounds nothing, so both programs would be the same. Its comments say why, function by function.\n", p.Name)
		return nil
	}
	if v.Load != "" && c.Verb != "run" {
		return errors.New("--load drives a server, and go test runs none: name the server's folder, or go run")
	}
	r, err := v.measure(s, c, env, p, nil, trial.Options{Rounds: v.Rounds})
	if r != nil {
		err = errors.Join(err, v.report(s, r, madeNow(env)))
	}
	var failed *trial.Failure
	var build *notBuilt
	switch {
	case err == nil:
	case errors.As(err, &build):
		return s.orInterrupted(build.error)
	case s.ctx.Err() != nil:
		return withCode(exitInterrupted, errors.New("interrupted"))
	case errors.As(err, &failed) && failed.Side == trial.Weld:
		// The plain program has done the same before, and didn't fail.
		return withCode(exitFinding, err)
	default:
		return withCode(exitFailed, err)
	}
	if slower := r.Slower(float64(v.Threshold)); len(slower) > 0 {
		return withCode(exitFinding, fmt.Errorf("%s proven slower by more than %g%%", quantity.Plural(len(slower), "benchmark is", "benchmarks are"), float64(v.Threshold)*100))
	}
	return nil
}

// measure builds both programs and runs them in turns. The plain one may have been built before.
func (v *weldVerb) measure(s *session, c *gotool.Command, env *gotool.Env, p *plan.Plan, plain []*trial.Program, o trial.Options) (*trial.Result, error) {
	dir, err := os.MkdirTemp("", "seam-compare-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	builder := &weldBuilder{v: v, s: s, env: env, plan: p}
	var programs []*trial.Program
	if plain == nil {
		programs, err = o.Programs(s.ctx, c, dir, builder.build)
	} else {
		programs, err = trial.Beside(plain, c, dir, builder.build)
	}
	if err != nil {
		return nil, &notBuilt{err}
	}
	if v.Load != "" {
		for _, p := range programs {
			p.Load = &trial.Load{Command: v.Load, Ready: v.Ready}
		}
	}
	show, clear := terminal.Status(s.stderr)
	defer clear()
	if what := o.What; show != nil {
		o.Progress = func(words string) { show(what + words) }
	}
	o.Note = func(words string) { fmt.Fprintf(s.stderr, "seam: %s\n", words) }
	r, err := trial.Run(s.ctx, programs, o)
	if r != nil {
		r.Command, r.Plan, r.Leaves = v.Go, p.Name, welded(p)
	}
	return r, err
}

// notBuilt is the error of a build, whose exit code counts.
type notBuilt struct{ error }

func (e *notBuilt) Unwrap() error { return e.error }

// welded is how many functions a plan calls in another way than Go does.
func welded(p *plan.Plan) (n int) {
	for _, e := range p.Entries {
		if e.Mode != plan.Cgo {
			n++
		}
	}
	return n
}

func madeNow(env *gotool.Env) trial.Made {
	return trial.Made{Seam: toolVersion(), Go: env.GOVERSION, OS: env.GOOS, Arch: env.GOARCH, CPU: machine.Read().CPU, Time: time.Now().UTC()}
}

// orInterrupted says interrupted where that is the reason.
func (s *session) orInterrupted(err error) error {
	if err != nil && s.ctx.Err() != nil {
		return withCode(exitInterrupted, errors.New("interrupted"))
	}
	return err
}

// report writes the files and the table.
func (v *weldVerb) report(s *session, r *trial.Result, m trial.Made) error {
	to, table := output.Writer{Stdout: s.stdout, Stderr: s.stderr}, s.stdout
	var errs error
	// Files are written after an interrupt too.
	ctx := context.WithoutCancel(s.ctx)
	for _, f := range v.files() {
		if f.name == nil {
			continue
		}
		write := map[string]func(io.Writer, trial.Made) error{"--html": r.WriteHTML, "--json": r.Encode, "--benchfmt": r.WriteBenchfmt}[f.flag]
		errs = errors.Join(errs, to.Write(ctx, *f.name, func(w io.Writer) error { return write(w, m) }))
		if output.IsStdout(*f.name) {
			table = s.stderr
		}
	}
	return errors.Join(errs, r.WriteText(table, terminal.Of(table).Options))
}

// files are those of a comparison.
func (v *weldVerb) files() []outputFlag {
	return []outputFlag{{"--html", given(v.HTML)}, {"--json", given(v.JSON)}, {"--benchfmt", given(v.Benchfmt)}}
}

// A weldBuilder builds the programs of a comparison.
type weldBuilder struct {
	v    *weldVerb
	s    *session
	env  *gotool.Env
	plan *plan.Plan
	told []string // lines of summaries
}

func (b *weldBuilder) build(side trial.Side, c *gotool.Command) error {
	if side == trial.Cgo {
		return b.s.buildApart(c.With())
	}
	w, err := job.NewWeld(b.s.ctx, c, b.env, b.plan)
	if err != nil {
		return err
	}
	if w.Off != "" {
		return fmt.Errorf("nothing would be welded: %s", w.Off)
	}
	if err := w.Begin(); err != nil {
		return withCode(exitFailed, err)
	}
	defer w.Remove()
	args, err := w.Args(b.s.ctx)
	if err != nil {
		return err
	}
	err = b.s.buildApart(args)
	if w.Mistake() {
		return &exitStatus{exitUsage} // which was told
	}
	if err != nil || b.v.Quiet {
		return err
	}
	var summary strings.Builder
	if err := w.WriteSummary(&summary); err != nil {
		return withCode(exitFailed, err)
	}
	for line := range strings.Lines(summary.String()) {
		if !slices.Contains(b.told, line) {
			b.told = append(b.told, line)
			fmt.Fprint(b.s.stderr, line)
		}
	}
	return nil
}

// buildApart runs a build whose messages are not the verb's output.
func (s *session) buildApart(argv []string) error {
	quiet := *s
	quiet.stdout = s.stderr
	return quiet.runGo(argv, nil)
}
