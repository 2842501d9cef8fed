package job

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/gotool"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
	"github.com/seamgo/seam/cmd/seam/internal/weld/plan"
	"github.com/seamgo/seam/cmd/seam/internal/weld/rewrite"
	"github.com/seamgo/seam/cmd/seam/internal/weld/toolexec"
)

// A Weld is a go command that builds by a plan.
type Weld struct {
	// Off says why it is a plain build; "" if it is not. There is no more to it then.
	Off string

	command  *gotool.Command
	env      *gotool.Env
	leaves   *rewrite.Leaves
	packages []gotool.Package // that have functions to weld
	job      *Job
}

// NewWeld finds the packages that a plan welds.
func NewWeld(ctx context.Context, c *gotool.Command, env *gotool.Env, p *plan.Plan) (*Weld, error) {
	w := &Weld{command: c, env: env, leaves: &rewrite.Leaves{Plan: p}}
	if w.Off = cmp.Or(Unweldable(env), unweldableFlag(c, env.GOFLAGS)); w.Off != "" {
		return w, nil
	}
	var err error
	if w.packages, err = weldedPackages(ctx, c, w.leaves); err == nil && p.Threads != 0 {
		w.packages, err = w.addPackages(ctx)
	}
	return w, err
}

// Begin makes the job's folder; Remove deletes it.
func (w *Weld) Begin() (err error) {
	build := strings.Join(append(w.command.ListFlags(), w.env.GOFLAGS, w.env.GOVERSION, w.env.GOOS, w.env.GOARCH), " ")
	words, err := chain(w.command, w.env)
	if err != nil {
		return err
	}
	w.job, err = Create(Job{Mode: ModeWeld, Plan: w.leaves.Plan, Files: packageOfFiles(w.command, w.packages), Build: build, Chain: words})
	return err
}

// Remove deletes the job's folder.
func (w *Weld) Remove() { w.job.Remove() }

// Args is the go command's line.
func (w *Weld) Args(ctx context.Context) ([]string, error) {
	c := w.command
	flag, err := w.job.ToolexecFlag()
	if err != nil {
		return nil, err
	}
	if len(w.packages) == 0 && w.leaves.Plan.Trim == 0 {
		return c.With(), nil // nothing to weld: a plain build
	}
	add := map[string]string{"runtime/cgo": toolexec.Flag + w.leaves.RuntimeID()}
	for _, p := range w.packages {
		add[p.ImportPath] = toolexec.Flag + w.leaves.PackageID(p.ImportPath)
		if p.ImportPath == w.job.Files {
			add[FilesPath] = add[p.ImportPath]
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
	return c.Without("toolexec").WithGcflags(w.env.GOFLAGS, add, list, flag)
}

// Mistake reports whether the build failed for a mistake in the plan, which was told.
func (w *Weld) Mistake() bool { return w.job.Mistake() }

// WriteSummary says what was welded and names what was not.
func (w *Weld) WriteSummary(to io.Writer) error {
	reports, err := w.job.Reports()
	if err != nil {
		return err
	}
	built := map[string]Report{}
	for _, r := range reports {
		built[r.Package] = r
	}
	store := Store{Build: w.job.Build}
	var b strings.Builder
	done, skipped, counted, unknown := 0, 0, 0, 0
	for _, p := range w.packages {
		r, ok := built[p.ImportPath]
		if !ok { // the go command had it in its cache
			r, ok = store.Get(w.leaves, p.ImportPath)
		}
		if !ok {
			unknown++
			continue
		}
		for _, name := range r.Done {
			if w.leaves.Has(p.ImportPath, name) {
				done++
			}
			if w.leaves.Counts(p.ImportPath, name) {
				counted++
			}
		}
		for _, x := range r.Skipped {
			has := w.leaves.Has(p.ImportPath, x.Func)
			if has {
				skipped++
			}
			if has || w.leaves.Counts(p.ImportPath, x.Func) {
				fmt.Fprintf(&b, "seam: %s.%s stays as it is: %s\n", p.ImportPath, x.Func, x.Reason)
			}
		}
	}
	switch name := w.leaves.Plan.Name; {
	case len(w.packages) == 0 && w.leaves.Plan.Trim != 0:
	case len(w.packages) == 0:
		fmt.Fprintf(&b, "seam: %s has no function to weld; this was a plain build\n", name)
	case unknown == len(w.packages):
		fmt.Fprintf(&b, "seam: no package of %s was compiled: they aren't part of this build, or the go command had them in its cache, welded as the plan says\n", name)
	case done+skipped > 0 || counted == 0:
		fmt.Fprintf(&b, "seam: welded %d of %d functions (%s)\n", done, done+skipped, name)
	}
	if counted > 0 {
		fmt.Fprintf(&b, "seam: %s may be in C at once, in %s (%s)\n",
			quantity.Plural(w.leaves.Plan.Threads, "goroutine"), quantity.Plural(counted, "function"), w.leaves.Plan.Name)
	}
	if idle := w.leaves.Plan.Trim; idle != 0 {
		fmt.Fprintf(&b, "seam: after %v without work, the program gives free memory of C's back (%s)\n", idle, w.leaves.Plan.Name)
	}
	fmt.Fprint(to, b.String())
	return nil
}

// addPackages adds all packages of the command that call C: a bound of the program is one
// of every call.
func (w *Weld) addPackages(ctx context.Context) ([]gotool.Package, error) {
	c, list := w.command, w.packages
	flags := append(c.ListFlags(), "-deps")
	if c.Verb == "test" {
		flags = append(flags, "-test")
	}
	// What can't be loaded is for the go command to tell.
	found, _ := gotool.List(ctx, c.Tool, c.Dir, flags, c.Packages()...)
	for _, p := range found {
		p.ImportPath, _, _ = strings.Cut(p.ImportPath, " ") // a test's variant
		// A package that is built from files has another name.
		known := slices.ContainsFunc(list, func(k gotool.Package) bool { return k.ImportPath == p.ImportPath || k.Dir == p.Dir })
		if !p.Standard && p.CallsC() && !known {
			list = append(list, p)
		}
	}
	return list, ctx.Err()
}

// weldedPackages finds the packages that the plan names functions of to be welded.
func weldedPackages(ctx context.Context, c *gotool.Command, l *rewrite.Leaves) ([]gotool.Package, error) {
	paths := l.Packages()
	if len(paths) == 0 {
		return nil, nil
	}
	packages, err := gotool.List(ctx, c.Tool, c.Dir, append(c.ListFlags(), "-find"), paths...)
	if packages == nil && err != nil {
		return nil, err // it isn't the plan that is wrong: no cache, no folder for temporary files
	}
	found := map[string]*gotool.Package{}
	for i := range packages {
		found[packages[i].ImportPath] = &packages[i]
	}
	var wrong []error
	told := map[string]bool{}
	for _, e := range l.Plan.Entries {
		p := found[e.Package]
		var why string
		switch {
		case e.Mode == plan.Cgo || told[e.Package]:
			continue
		case p == nil || p.Dir == "" || p.Error != nil && !p.CallsC() && len(p.GoFiles) == 0:
			why = "no such package: it is neither in the main module nor among its dependencies" + fullPath(ctx, c, e.Package)
		case p.Standard:
			why = "packages of the standard library are not welded"
		case !p.CallsC():
			why = "the package doesn't call C with these build flags"
		default:
			continue
		}
		told[e.Package] = true
		wrong = append(wrong, fmt.Errorf("%s:%d: %s: %s; fix the line, or make the plan again with: seam plan", l.Plan.Name, e.Line, e.Package, why))
	}
	if len(wrong) > 0 {
		return nil, errors.Join(wrong...)
	}
	if err != nil {
		return nil, err
	}
	return packages, nil
}

// fullPath is a question that names the package which a path is the end of: tables show no
// more of it.
func fullPath(ctx context.Context, c *gotool.Command, end string) string {
	// What can't be loaded is for the go command to tell.
	found, _ := gotool.List(ctx, c.Tool, c.Dir, append(c.ListFlags(), "-deps"), c.Packages()...)
	for _, p := range found {
		if p.CallsC() && strings.HasSuffix(p.ImportPath, "/"+end) {
			return " (did you mean " + p.ImportPath + "?)"
		}
	}
	return ""
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
