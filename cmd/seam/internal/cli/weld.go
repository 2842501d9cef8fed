package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/gotool"
	"github.com/seamgo/seam/cmd/seam/internal/weld/job"
	"github.com/seamgo/seam/cmd/seam/internal/weld/plan"
	"github.com/seamgo/seam/cmd/seam/internal/weld/rewrite"
	"github.com/seamgo/seam/cmd/seam/internal/weld/runtime/bundle"
	"github.com/seamgo/seam/cmd/seam/internal/weld/runtime/leaf"
	"github.com/seamgo/seam/cmd/seam/internal/weld/toolexec"
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
	env, err := readGoEnv(s.ctx, command.Tool, command.Dir)
	if err != nil {
		return err
	}
	name := v.Plan
	if name == "" {
		if name, err = inModuleRoot(s.ctx, command, "seam.plan"); err != nil {
			return err
		}
	}
	p, err := plan.Load(name)
	if errors.Is(err, fs.ErrNotExist) && v.Plan == "" {
		return fmt.Errorf("%s does not exist. It says what to weld; make it with:\n\tseam trace -- go test -bench . ./...\n\tseam plan", name)
	}
	if err != nil {
		return err
	}
	off := unweldable(env)
	if off == "" {
		off = cantWeld(command, env.GOFLAGS)
	}
	if off != "" {
		err := s.runGo(command.With(), nil)
		if !v.Quiet {
			fmt.Fprintf(s.stderr, "seam: nothing is welded, this was a plain build: %s\n", off)
		}
		return err
	}
	w := &rewrite.Leaves{Plan: p}
	packages, err := weldedPackages(s.ctx, command, w)
	if err != nil {
		return err
	}
	build := strings.Join(append(command.ListFlags(), env.GOFLAGS, env.GOVERSION, env.GOOS, env.GOARCH), " ")
	files := packageOfFiles(command, packages)
	work, err := job.Create(job.Job{Mode: job.Weld, Plan: p, Files: files, Build: build})
	if err != nil {
		return withCode(exitFailed, err)
	}
	defer work.Remove()

	argv, err := weldCommand(s.ctx, command, env, w, packages, work)
	if err != nil {
		return err
	}
	runErr := s.runGo(argv, nil)
	if work.Mistake() {
		return &exitStatus{exitUsage} // which was told
	}
	if runErr != nil && (s.ctx.Err() != nil || command.Verb == "build" || command.Verb == "install") {
		return runErr // nothing was built
	}
	if err := v.summary(s, w, packages, work, job.Store{Build: build}); err != nil {
		return errors.Join(runErr, withCode(exitFailed, err))
	}
	return runErr
}

// weldCommand is the go command line that welds.
func weldCommand(ctx context.Context, c *gotool.Command, env *gotool.Env, w *rewrite.Leaves, packages []gotool.Package, work *job.Job) ([]string, error) {
	flag, err := toolexecFlag(work.Dir)
	if err != nil {
		return nil, err
	}
	if len(packages) == 0 {
		return c.With(), nil // nothing to weld: a plain build
	}
	add := map[string]string{"runtime/cgo": toolexec.Flag + rewrite.RuntimeID()}
	for _, p := range packages {
		add[p.ImportPath] = toolexec.Flag + w.PackageID(p.ImportPath)
		if p.ImportPath == work.Files {
			add[job.FilesPath] = add[p.ImportPath]
		}
	}
	list := func(patterns []string) (paths []string, err error) {
		// What can't be loaded is for the go command to tell.
		found, _ := gotool.List(ctx, c.Tool, c.Dir, append(c.ListFlags(), "-find"), patterns...)
		for _, p := range found {
			paths = append(paths, p.ImportPath)
		}
		return paths, ctx.Err()
	}
	return c.WithGcflags(env.GOFLAGS, add, list, flag)
}

// packageOfFiles is the package that go build main.go builds, which the go
// command doesn't call by its name then; "" if it builds packages or none of ours.
func packageOfFiles(c *gotool.Command, packages []gotool.Package) string {
	named := c.Packages()
	if len(named) == 0 || !strings.HasSuffix(named[0], ".go") {
		return ""
	}
	file := named[0]
	if !filepath.IsAbs(file) {
		file = filepath.Join(c.Dir, file)
	}
	dir, err := os.Stat(filepath.Dir(file))
	if err != nil {
		return ""
	}
	for _, p := range packages {
		if info, err := os.Stat(p.Dir); err == nil && os.SameFile(info, dir) {
			return p.ImportPath
		}
	}
	return ""
}

// weldedPackages finds the packages of the plan's leaves.
func weldedPackages(ctx context.Context, c *gotool.Command, w *rewrite.Leaves) ([]gotool.Package, error) {
	paths := w.Packages()
	if len(paths) == 0 {
		return nil, nil
	}
	packages, err := gotool.List(ctx, c.Tool, c.Dir, append(c.ListFlags(), "-find"), paths...)
	found := map[string]*gotool.Package{}
	for i := range packages {
		found[packages[i].ImportPath] = &packages[i]
	}
	var wrong []error
	told := map[string]bool{}
	for _, e := range w.Plan.Entries {
		p := found[e.Package]
		var why string
		switch {
		case e.Mode != plan.Leaf || told[e.Package]:
			continue
		case p == nil || p.Dir == "" || p.Error != nil && len(p.CgoFiles)+len(p.GoFiles) == 0:
			why = "no such package: it is neither in the main module nor among its dependencies"
		case p.Standard:
			why = "packages of the standard library are not welded"
		case !p.UsesCgo():
			why = "the package doesn't call C with these build flags"
		default:
			continue
		}
		told[e.Package] = true
		wrong = append(wrong, fmt.Errorf("%s:%d: %s: %s; fix the line, or make the plan again with: seam plan", w.Plan.Name, e.Line, e.Package, why))
	}
	if len(wrong) > 0 {
		return nil, errors.Join(wrong...)
	}
	if err != nil {
		return nil, err
	}
	return packages, nil
}

// summary says what was welded and names what was not.
func (v *weldVerb) summary(s *session, w *rewrite.Leaves, packages []gotool.Package, work *job.Job, store job.Store) error {
	if v.Quiet {
		return nil
	}
	reports, err := work.Reports()
	if err != nil {
		return err
	}
	built := map[string]job.Report{}
	for _, r := range reports {
		built[r.Package] = r
	}
	done, left, unknown := 0, 0, 0
	for _, p := range packages {
		r, ok := built[p.ImportPath]
		if !ok { // the go command had it in its cache
			r, ok = store.Get(w, p.ImportPath)
		}
		if !ok {
			unknown++
			continue
		}
		done += len(r.Done)
		for _, l := range r.Skipped {
			if !w.Has(p.ImportPath, l.Func) {
				continue
			}
			left++
			fmt.Fprintf(s.stderr, "seam: %s.%s stays as it is: %s\n", p.ImportPath, l.Func, l.Reason)
		}
	}
	switch {
	case len(packages) == 0:
		fmt.Fprintf(s.stderr, "seam: %s has no function to weld; this was a plain build\n", w.Plan.Name)
	case unknown == len(packages):
		fmt.Fprintf(s.stderr, "seam: none of the functions in %s were built\n", w.Plan.Name)
	default:
		fmt.Fprintf(s.stderr, "seam: welded %d of %d functions (%s)\n", done, done+left, w.Plan.Name)
	}
	return nil
}

// dropDashes takes away the -- in front of a go command.
func dropDashes(args []string) []string {
	if len(args) > 0 && args[0] == "--" {
		return args[1:]
	}
	return args
}

// inModuleRoot is the path of a file in the root of the main module of a go
// command.
func inModuleRoot(ctx context.Context, c *gotool.Command, name string) (string, error) {
	root, _, err := gotool.ModuleRoot(ctx, c.Tool, c.Dir)
	if err != nil {
		return "", err
	}
	return filepath.Join(root, name), nil
}

// readGoEnv reads the settings for a verb that adds a -toolexec.
func readGoEnv(ctx context.Context, tool, dir string) (*gotool.Env, error) {
	env, err := gotool.ReadEnv(ctx, tool, dir)
	if err != nil {
		return nil, err
	}
	for _, f := range strings.Fields(env.GOFLAGS) {
		if f = strings.TrimLeft(strings.Trim(f, `'"`), "-"); f == "toolexec" || strings.HasPrefix(f, "toolexec=") {
			return nil, errors.New("GOFLAGS has a -toolexec, and seam needs that flag; run with another GOFLAGS")
		}
	}
	return env, nil
}

// cantWeld tells which flag of the go command leaves nothing to weld; "" if
// none does.
func cantWeld(c *gotool.Command, goflags string) string {
	flags := strings.Fields(goflags)
	for _, value := range c.Values("ldflags") {
		flags = append(flags, "-ldflags="+value)
	}
	for _, name := range []string{"asan", "msan"} {
		if c.Has(name) {
			flags = append(flags, "-"+name)
		}
	}
	for _, f := range flags {
		switch f = strings.TrimLeft(f, `'"-`); {
		case f == "asan" || f == "msan":
			return "with -" + f + " a function has to be called the way cgo calls it"
		case strings.HasPrefix(f, "ldflags") && linksInternally.MatchString(f):
			return "with -linkmode=internal Go's own linker would have to know C's thread-local variables"
		}
	}
	return ""
}

var linksInternally = regexp.MustCompile(`-linkmode[= ]["']?internal`)

// unweldable tells why nothing can be welded; "" if it can.
func unweldable(e *gotool.Env) string {
	switch {
	case e.CGO_ENABLED == "0":
		return "CGO_ENABLED=0: the build calls no C"
	case !bundle.Known(e.GOOS, e.GOARCH):
		return fmt.Sprintf("%s/%s is not supported: only linux/amd64 and linux/arm64 are", e.GOOS, e.GOARCH)
	case !leaf.KnownGo(e.GOVERSION):
		return fmt.Sprintf("%s is not supported: only Go 1.25, 1.26 and 1.27 are", e.GOVERSION)
	}
	return ""
}
