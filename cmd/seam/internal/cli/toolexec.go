package cli

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/gotool"
	"github.com/seamgo/seam/cmd/seam/internal/weld/cgofile"
	"github.com/seamgo/seam/cmd/seam/internal/weld/job"
	"github.com/seamgo/seam/cmd/seam/internal/weld/plan"
	"github.com/seamgo/seam/cmd/seam/internal/weld/rewrite"
	"github.com/seamgo/seam/cmd/seam/internal/weld/toolexec"
)

// toolexecVerb is the verb that the go command starts in front of its tools.
type toolexecVerb struct {
	Job  string   `hidden:"" help:"Folder of the job of the seam verb that started the go command." placeholder:"DIR"`
	Plan string   `env:"SEAM_PLAN" help:"The plan to weld with; default: seam.plan in the folder where the go command was started, or in one above it." placeholder:"FILE"`
	Tool []string `arg:"" passthrough:"" help:"The tool and its arguments."`
}

func (toolexecVerb) examples() string {
	return `Examples:
  go build -toolexec 'seam toolexec' ./...
  go test -toolexec 'seam toolexec --plan /src/app/seam.plan' ./...

Use seam weld if you can: it rebuilds only the packages whose lines in the plan
have changed, while this rebuilds all packages that use cgo.
`
}

func (v *toolexecVerb) Run(s *session) error {
	if strings.HasPrefix(v.Tool[0], "-") {
		return fmt.Errorf("unknown flag %s (seam toolexec -h shows how)", v.Tool[0])
	}
	work, err := v.job(s)
	if err != nil {
		return withCode(exitFailed, err)
	}
	transform, err := work.Transform()
	if err != nil {
		return withCode(exitFailed, err)
	}
	t := &toolexec.Tool{
		Args:       v.Tool,
		ImportPath: work.ImportPath(os.Getenv("TOOLEXEC_IMPORTPATH")),
		Stdin:      s.stdin, Stdout: s.stdout, Stderr: s.stderr,
		Transform:    transform,
		VersionInCgo: work.Dir == "" || work.Mode != job.ModeWeld,
	}
	var reportErr error
	if work.Dir != "" {
		t.Report = func(p *cgofile.Package) { reportErr = work.Report(p) }
	}
	err = t.Run(s.ctx)
	var mistake *rewrite.Mistake
	if errors.As(err, &mistake) && work.Dir != "" {
		reportErr = errors.Join(reportErr, work.SetMistake())
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() > 0 {
		return &exitStatus{exit.ExitCode()} // the tool has said why
	}
	return withCode(exitFailed, errors.Join(err, reportErr))
}

// job is what to do: as the verb that started the go command has written,
// or, with go build -toolexec by hand, to weld by a plan.
func (v *toolexecVerb) job(s *session) (*job.Job, error) {
	if v.Job != "" {
		return job.Open(v.Job)
	}
	name := v.Plan
	if name == "" {
		var err error
		if name, err = findPlan(); err != nil {
			return nil, err
		}
	}
	p, err := plan.Load(name)
	if err != nil {
		return nil, err
	}
	env := &gotool.Env{GOOS: os.Getenv("GOOS"), GOARCH: os.Getenv("GOARCH"), CGO_ENABLED: os.Getenv("CGO_ENABLED")}
	// Every tool of a toolchain knows the version: "cgo version go1.26.8".
	if len(v.Tool) > 0 {
		out, err := gotool.Run(s.ctx, gotool.Cmd{Args: []string{v.Tool[0], "-V=full"}})
		if f := strings.Fields(string(out)); err == nil && len(f) >= 3 {
			env.GOVERSION = f[2]
		}
	}
	return &job.Job{Mode: job.ModeWeld, Plan: p, Off: job.Unweldable(env)}, nil
}

// findPlan looks for seam.plan where the go command was started, and above.
// The tools themselves are started elsewhere.
func findPlan() (string, error) {
	start, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", os.Getppid()))
	if err != nil {
		return "", fmt.Errorf("the go command's folder can't be found (%w); name the plan: -toolexec 'seam toolexec --plan /path/seam.plan'", err)
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		name := filepath.Join(dir, "seam.plan")
		if _, err := os.Stat(name); err == nil {
			return name, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("no seam.plan in %s or a folder above it; make one with seam trace and seam plan, or name it: -toolexec 'seam toolexec --plan /path/seam.plan'", start)
		}
	}
}
