package job

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/gotool"
	"github.com/seamgo/seam/cmd/seam/internal/weld/cgofile"
	"github.com/seamgo/seam/cmd/seam/internal/weld/plan"
	"github.com/seamgo/seam/cmd/seam/internal/weld/rewrite"
	"github.com/seamgo/seam/cmd/seam/internal/weld/toolexec"
)

// Run runs one of the go command's tools as the job has it.
func (j *Job) Run(ctx context.Context, t *toolexec.Tool) (err error) {
	if t.Transform, err = j.Transform(); err != nil {
		return err
	}
	t.ImportPath = j.ImportPath(os.Getenv("TOOLEXEC_IMPORTPATH"))
	t.Main, t.Chain = j.Main, j.Chain
	t.VersionInCgo = j.Dir == "" || j.Mode != ModeWeld
	var reportErr error
	if j.Dir != "" {
		t.Report = func(p *cgofile.Package) { reportErr = j.Report(p) }
	}
	err = t.Run(ctx)
	var mistake *rewrite.Mistake
	if errors.As(err, &mistake) && j.Dir != "" {
		reportErr = errors.Join(reportErr, j.SetMistake())
	}
	return errors.Join(err, reportErr)
}

// ByHand is the job of go build -toolexec 'seam toolexec': to weld by a plan. With no
// name, that is the seam.plan nearest to where the go command was started. Any tool of
// the toolchain tells the version of Go.
func ByHand(ctx context.Context, name, tool string) (*Job, error) {
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
	out, err := gotool.Run(ctx, gotool.Cmd{Args: []string{tool, "-V=full"}})
	if f := strings.Fields(string(out)); err == nil && len(f) >= 3 {
		env.GOVERSION = f[2] // of "cgo version go1.26.8"
	}
	return &Job{Mode: ModeWeld, Plan: p, Off: Unweldable(env)}, nil
}

// findPlan looks for seam.plan where the go command was started, and above.
// The tools themselves are started elsewhere.
func findPlan() (string, error) {
	start, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", os.Getppid()))
	if err != nil {
		return "", fmt.Errorf("the folder of the go command can't be found (%w); name the plan: -toolexec 'seam toolexec --plan /path/seam.plan'", err)
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
