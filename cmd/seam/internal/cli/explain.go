package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/seamgo/seam/cmd/seam/internal/gotool"
	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
	"github.com/seamgo/seam/cmd/seam/internal/machine"
	"github.com/seamgo/seam/cmd/seam/internal/output"
	"github.com/seamgo/seam/cmd/seam/internal/terminal"
	"github.com/seamgo/seam/cmd/seam/internal/weld/calltrace"
	"github.com/seamgo/seam/cmd/seam/internal/weld/explain"
	"github.com/seamgo/seam/cmd/seam/internal/weld/job"
	"github.com/seamgo/seam/cmd/seam/internal/weld/plan"
	"github.com/seamgo/seam/leaf"
)

// explainVerb is the verb that shows how a C call travels.
type explainVerb struct {
	Target string `arg:"" name:"package[.func]" help:"A package, as for go build, or a C function that it calls."`
	HTML   string `placeholder:"FILE" help:"Write a page instead of text; - is standard output."`
	Lab    string `placeholder:"FILE" help:"Prices of the steps, written by seam lab --json. Default: seam.lab.json in the root of the main module, if it exists."`
	Trace  string `placeholder:"FILE" help:"What the calls of your program cost. Default: seam.trace in the same place."`
	Plan   string `placeholder:"FILE" help:"The plan. Default: seam.plan in the same place."`
	Tags   string `placeholder:"LIST" help:"Build tags, as for go build."`

	NoMeasure bool `name:"no-measure" help:"Leave prices that no file has unmeasured; otherwise they are measured, which takes some 3 s."`
}

func (explainVerb) examples() string {
	return `Shows the path of a C call: where Go makes it, the stub and the wrapper that cgo
generates, the arguments in memory, what escapes and why, the runtime's part,
and what each step costs on this machine; then what is left of it when the
function is welded. For a package it lists the C functions that it calls, or, if
it calls none, which of its dependencies do. Functions are named as in any table
of seam: go-sqlite3.sqlite3_step is that of the package whose path ends so.

Examples:
  seam explain github.com/mattn/go-sqlite3
  seam explain github.com/mattn/go-sqlite3.sqlite3_reset
  seam explain ./db.db_get --html call.html
  seam lab --quick call --json seam.lab.json && seam explain ./db.db_get
`
}

func (v *explainVerb) Run(s *session) error {
	if err := checkOutputs(outputFlag{"--html", given(v.HTML)}); err != nil {
		return err
	}
	doc, err := v.explain(s)
	if s.ctx.Err() != nil {
		return withCode(exitInterrupted, errors.New("interrupted"))
	}
	if err != nil {
		return err
	}
	if v.HTML != "" {
		to := output.Writer{Stdout: s.stdout, Stderr: s.stderr}
		return withCode(exitFailed, to.Write(s.ctx, v.HTML, doc.WriteHTML))
	}
	return withCode(exitFailed, doc.WriteText(s.stdout, terminal.Of(s.stdout).Options))
}

func (v *explainVerb) explain(s *session) (*explain.Doc, error) {
	o := explain.Options{Go: "go"}
	if v.Tags != "" {
		o.Flags = append(o.Flags, "-tags="+v.Tags)
	}
	if err := goSettings(s, &o); err != nil {
		return nil, err
	}
	root, _, err := gotool.ModuleRoot(s.ctx, o.Go, "")
	if err != nil {
		return nil, err
	}
	var warnings []string
	// A file that was asked for has to be right; one that only lies there is told
	// about.
	read := func(asked, usual string, read func(name string) error) error {
		err := read(cmp.Or(asked, filepath.Join(root, usual)))
		switch {
		case err == nil, asked == "" && errors.Is(err, fs.ErrNotExist):
			return nil
		case asked == "":
			warnings = append(warnings, fmt.Sprintf("%s is left out: %v", usual, err))
			return nil
		}
		return err
	}
	err = errors.Join(
		read(v.Plan, "seam.plan", func(name string) (err error) {
			p, err := plan.Load(name)
			if err == nil {
				p.Name = filepath.Base(name)
				o.Plan = p
			}
			return err
		}),
		read(v.Trace, "seam.trace", func(name string) (err error) {
			o.Trace, err = calltrace.Read(name)
			o.TraceName = filepath.Base(name)
			return err
		}),
		read(v.Lab, "seam.lab.json", func(name string) (err error) {
			o.Lab, err = readLab(name)
			o.LabName = filepath.Base(name)
			return err
		}),
	)
	if err != nil {
		return nil, err
	}
	if o.Lab != nil {
		from := o.Lab.Machine
		if here := machine.Read().CPU; from.CPU != here {
			warnings = append(warnings, fmt.Sprintf("The figures of %s are from another machine (%s; this is %s).", o.LabName, from.CPU, here))
		} else if from.GOARCH != o.GOARCH {
			warnings = append(warnings, fmt.Sprintf("The figures of %s are for GOARCH=%s; what is explained is for GOARCH=%s.", o.LabName, from.GOARCH, o.GOARCH))
		}
	}
	// The figures of seam itself are those of the build where it is one of the same kind.
	if !v.NoMeasure && o.GOARCH == runtime.GOARCH && leaf.Status().Path != leaf.PathNone {
		o.Measure = s.pricesOfCalls
	}
	doc, err := explain.Explain(s.ctx, o, v.Target)
	if err != nil {
		return nil, err
	}
	doc.Warnings = append(doc.Warnings, warnings...)
	return doc, nil
}

// pricesOfCalls measures what a call is made of. What fails has no figure, and is shown so.
func (s *session) pricesOfCalls() *result.Run {
	i := slices.IndexFunc(s.experiments, func(e lab.Experiment) bool { return e.Name == "call" })
	if i < 0 {
		return nil
	}
	fmt.Fprintln(s.stderr, "seam: measuring what a call is made of here, some 3 s; to keep it: "+explain.LabCommand)
	run, _ := s.measure(lab.Quick, rand.Uint64(), 0, s.experiments[i:i+1])
	if !measured(run) {
		return nil
	}
	return run
}

func readLab(name string) (*result.Run, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	run, err := result.Decode(io.Reader(f))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return run, nil
}

// goSettings asks the go command what it builds for.
func goSettings(s *session, o *explain.Options) error {
	env, err := gotool.ReadEnv(s.ctx, o.Go, "")
	if err != nil {
		return err
	}
	o.GOARCH, o.CgoEnabled, o.Off, o.GOTOOLDIR = env.GOARCH, env.CGO_ENABLED == "1", job.Unweldable(env), env.GOTOOLDIR
	return nil
}
