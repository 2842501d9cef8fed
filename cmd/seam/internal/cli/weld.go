package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/seamgo/seam/cmd/seam/internal/gotool"
	"github.com/seamgo/seam/cmd/seam/internal/weld/job"
	"github.com/seamgo/seam/cmd/seam/internal/weld/plan"
)

// weldVerb is the verb that builds a program by a plan.
type weldVerb struct {
	Plan  string   `help:"The plan; default: seam.plan in the root of the main module." placeholder:"FILE"`
	Quiet bool     `short:"q" help:"Print no summary."`
	Go    []string `arg:"" passthrough:"" name:"go" help:"The go command: go build, install, run or test with its arguments, after --."`
}

func (weldVerb) examples() string {
	return `Examples:
  seam weld -- go build ./cmd/server
  seam weld -- go test -race ./...
  seam weld --plan fast.plan -- go run . -listen :8080

Functions that are leaves in the plan are called without the scheduler's
handshake, and their arguments no longer escape. go.mod, go.sum, vendor and all
sources stay as they are. A welded program reads these variables:
  SEAM_GUARD=sample  time some calls, and call functions that are too slow
                     through cgo from then on (default)
  SEAM_GUARD=all     time every call
  SEAM_GUARD=off     time none
  SEAM_LEAF=cgo      call all functions through cgo
`
}

func (v *weldVerb) Run(s *session) error {
	command, err := gotool.Parse(dropDashes(v.Go))
	if err != nil {
		return err
	}
	env, err := job.ReadEnv(s.ctx, command.Tool, command.Dir)
	if err != nil {
		return err
	}
	p, err := v.load(s.ctx, command)
	if err != nil {
		return err
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
		return nil, fmt.Errorf("%s does not exist. It says what to weld; make it with:\n\tseam trace -- go test -bench . ./...\n\tseam plan", name)
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
