package cli

import (
	"errors"
	"fmt"
	"os/exec"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/weld/job"
	"github.com/seamgo/seam/cmd/seam/internal/weld/toolexec"
)

// toolexecVerb is the verb that the go command starts in front of its tools.
type toolexecVerb struct {
	Job  string   `hidden:"" help:"Folder of the job of the seam verb that started the go command." placeholder:"DIR"`
	Plan string   `env:"SEAM_PLAN" help:"The plan to weld by; default: seam.plan in the folder that the go command was started in, or in one above it." placeholder:"FILE"`
	Tool []string `arg:"" passthrough:"" help:"The tool and its arguments."`
}

func (toolexecVerb) examples() string {
	return `Examples:
  go build -toolexec 'seam toolexec' ./...
  go test -toolexec 'seam toolexec --plan /src/app/seam.plan' ./...

Use seam weld where you can: it rebuilds only the packages whose lines in the
plan have changed, where this rebuilds all packages that use cgo.
`
}

func (v *toolexecVerb) Run(s *session) error {
	if strings.HasPrefix(v.Tool[0], "-") {
		return fmt.Errorf("unknown flag %s (seam toolexec -h shows how)", v.Tool[0])
	}
	var j *job.Job
	var err error
	if v.Job != "" {
		j, err = job.Open(v.Job)
	} else {
		j, err = job.ByHand(s.ctx, v.Plan, v.Tool[0])
	}
	if err == nil {
		err = j.Run(s.ctx, &toolexec.Tool{Args: v.Tool, Stdin: s.stdin, Stdout: s.stdout, Stderr: s.stderr})
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() > 0 {
		return &exitStatus{exit.ExitCode()} // the tool has said why
	}
	return withCode(exitFailed, err)
}
