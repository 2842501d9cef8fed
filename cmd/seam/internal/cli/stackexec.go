package cli

import (
	"context"

	"github.com/seamgo/seam/cmd/seam/internal/stack/launch"
)

// stackExecVerb is what the go command starts, by its -exec, instead of the program that
// seam stack trace runs.
type stackExecVerb struct {
	Session  string   `required:"" help:"The folder of the seam stack trace that started the go command."`
	Launcher int      `help:"How many words come before the program's file."`
	Words    []string `arg:"" passthrough:""`
}

func (v *stackExecVerb) Run(s *session) error {
	work, err := launch.Open(v.Session)
	if err != nil {
		return withCode(exitFailed, err)
	}
	// An interrupt is for the program, and this process waits for it.
	ctx := context.WithoutCancel(s.ctx)
	p, err := work.Exec(ctx, s.streams(), dropDashes(v.Words), v.Launcher)
	if err != nil {
		return withCode(exitFailed, err)
	}
	if p.Code != 0 {
		p.EndAlike()
		return &exitStatus{p.Code}
	}
	return nil
}
