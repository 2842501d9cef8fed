package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/gotool"
	"github.com/seamgo/seam/cmd/seam/internal/output"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
	"github.com/seamgo/seam/cmd/seam/internal/vet"
)

// A verification builds and runs the tests before --fix changes anything and afterwards, and takes
// the changes back if a test fails afterwards that passed before.
type verification struct {
	v        *vetVerb
	s        *session
	line     []string // the go command that runs the tests
	config   *vet.Config
	before   testsRun
	evidence []vet.Evidence    // of --confirm
	was      map[string][]byte // the files that were changed, as they were
}

// testsRun is what became of the tests.
type testsRun struct {
	passed map[string]bool   // by package and test
	failed map[string]string // the last that they said
}

// verify runs the tests as they are; nil where --verify isn't given. Packages that don't build are
// not changed.
func (v *vetVerb) verify(s *session, r *vet.Report, config *vet.Config) (*verification, error) {
	if !v.Verify {
		return nil, nil
	}
	if !slices.ContainsFunc(r.Findings, func(f vet.Finding) bool { return len(f.Fixes) > 0 }) {
		return nil, nil // nothing will be changed
	}
	line, err := v.testLine()
	if err != nil {
		return nil, err
	}
	x := &verification{v: v, s: s, line: line, config: config, evidence: r.Evidence, was: map[string][]byte{}}
	fmt.Fprintf(s.stderr, "seam: %s, before the changes\n", strings.Join(line, " "))
	if err := x.build(); err != nil {
		return nil, fmt.Errorf("nothing was changed, as --verify can't tell what a change does to packages that don't build: %w", err)
	}
	x.before, err = x.tests()
	return x, err
}

// testLine is the go command that runs the tests, by --confirm-run or of the packages.
func (v *vetVerb) testLine() ([]string, error) {
	confirm := *v
	confirm.Confirm = true
	return confirm.confirmLine()
}

// build builds the packages, also those that no test is of.
func (x *verification) build() error {
	argv := []string{"go", "build", "-o", os.DevNull}
	if x.v.Tags != "" {
		argv = append(argv, "-tags="+x.v.Tags)
	}
	packages := x.v.Packages
	if len(packages) == 0 {
		packages = []string{"."}
	}
	_, err := gotool.Run(x.s.ctx, gotool.Cmd{Args: append(argv, packages...)})
	return err
}

// tests runs the tests. That some fail is no error.
func (x *verification) tests() (testsRun, error) {
	t := testsRun{map[string]bool{}, map[string]string{}}
	c, err := gotool.Parse(x.line)
	if err != nil {
		return t, err
	}
	argv := x.line
	if c.Verb == "test" {
		flags := []string{"-json"}
		if _, given := c.Flag("count"); !given {
			flags = append(flags, "-count=1")
		}
		argv = c.With(flags...)
	}
	out, err := gotool.Run(x.s.ctx, gotool.Cmd{Args: argv, Dir: c.Dir, Merge: true})
	if x.s.ctx.Err() != nil {
		return t, withCode(exitInterrupted, errors.New("interrupted"))
	}
	var failed *gotool.Error
	if errors.As(err, &failed) {
		out = []byte(failed.Output)
	}
	whole := strings.Join(x.line, " ")
	if c.Verb == "test" {
		t.read(string(out))
	} else if err == nil {
		t.passed[whole] = true
	}
	if err != nil && len(t.failed) == 0 {
		t.failed[whole] = lastLines(string(out))
	}
	return t, nil
}

// read takes what go test -json has written.
func (t *testsRun) read(out string) {
	said := map[string]string{}
	for line := range strings.Lines(out) {
		var e struct{ Action, Package, ImportPath, Test, Output, FailedBuild string }
		if json.Unmarshal([]byte(line), &e) != nil {
			continue
		}
		name := strings.TrimSpace(e.Package + " " + e.Test)
		switch e.Action {
		case "output":
			said[name] += e.Output
		case "build-output":
			said[e.ImportPath] += e.Output
		case "pass":
			t.passed[name] = true
		case "fail":
			t.failed[name] = lastLines(cmp.Or(said[e.FailedBuild], said[name]))
		}
	}
}

// write writes a changed file, and keeps what it was.
func (x *verification) write(ctx context.Context, to output.Writer, f vet.Mended) error {
	if x != nil && x.was[f.Path] == nil {
		x.was[f.Path] = f.Old
	}
	return to.WriteFile(ctx, f.File)
}

// after looks at what the changes did.
func (x *verification) after(r *vet.Report) error {
	if x == nil || len(x.was) == 0 {
		return nil
	}
	fmt.Fprintf(x.s.stderr, "seam: %s, after the changes\n", strings.Join(x.line, " "))
	bad, said, err := x.bad(r)
	if bad != "" {
		err = withCode(exitFinding, errors.New(bad))
	}
	if err == nil {
		x.was = nil // it stays
		fmt.Fprintln(x.s.stderr, "seam:", said)
	}
	return err
}

// undo takes the changes back if an error came before they were found to be good.
func (x *verification) undo(err error) error {
	if x == nil || err == nil || len(x.was) == 0 {
		return err
	}
	to := output.Writer{Stdout: x.s.stdout, Stderr: x.s.stderr}
	for _, path := range slices.Sorted(maps.Keys(x.was)) {
		if e := to.WriteFile(context.WithoutCancel(x.s.ctx), output.File{Path: path, Text: x.was[path]}); e != nil {
			return withCode(exitFailed, fmt.Errorf("%w; and the changes can't be taken back: %w", err, e))
		}
	}
	return fmt.Errorf("the changes were taken back: %w", err)
}

// bad is what the changes have made worse, or else what was looked at.
func (x *verification) bad(r *vet.Report) (bad, said string, err error) {
	if err := x.build(); err != nil {
		if x.s.ctx.Err() != nil {
			return "", "", withCode(exitInterrupted, errors.New("interrupted"))
		}
		return "with them the packages don't build: " + err.Error(), "", nil
	}
	now, err := x.tests()
	if err != nil {
		return "", "", err
	}
	if bad := x.before.worse(now); bad != "" {
		return bad, "", nil
	}
	said = "verified: the packages build, and " + x.before.words()
	if len(x.evidence) > 0 {
		seen, err := x.seen(r)
		if err != nil {
			return "", "", err
		}
		said += "; " + seen
	}
	return "", said, nil
}

// seen runs the tests once more in the ways of --confirm, and says how much was seen before and
// is seen now.
func (x *verification) seen(r *vet.Report) (string, error) {
	rules := map[string]bool{}
	for _, e := range x.evidence {
		for _, name := range e.Rules {
			rules[name] = true
		}
	}
	problems := len(r.Problems)
	if err := x.v.confirmed(x.s, r, rules, x.line, x.config); err != nil {
		return "", err
	}
	var parts []string
	for i, e := range r.Evidence {
		parts = append(parts, fmt.Sprintf("of %s, %s seen before and %d now", strings.Join(e.Rules, ", "), quantity.Plural(x.evidence[i].Mistakes(), "mistake"), e.Mistakes()))
	}
	return strings.Join(append(parts, r.Problems[problems:]...), "; "), nil
}

// worse says which tests fail now that passed before, or don't run any more.
func (t testsRun) worse(now testsRun) string {
	var bad []string
	for _, name := range slices.Sorted(maps.Keys(t.passed)) {
		said, failed := now.failed[name]
		inner := slices.ContainsFunc(slices.Collect(maps.Keys(now.failed)), func(n string) bool { return strings.HasPrefix(n, name+" ") || strings.HasPrefix(n, name+"/") })
		switch {
		case failed && !inner: // the test says more than its package
			bad = append(bad, name+" fails with them and passes without: "+cmp.Or(said, "it says nothing"))
		case !failed && !now.passed[name] && len(now.failed) == 0:
			bad = append(bad, name+" passes without them and doesn't end with them")
		}
	}
	if len(bad) > 3 {
		bad = append(bad[:3], fmt.Sprintf("and %d more", len(bad)-3))
	}
	return strings.Join(bad, "; ")
}

// words say what a run looked at.
func (t testsRun) words() string {
	n := 0
	for name := range t.passed {
		if strings.Contains(name, " ") {
			n++
		}
	}
	words := "no test of them was run"
	if n > 0 {
		words = quantity.Plural(n, "test") + " that passed before the changes " + passes(n) + " after them"
	}
	if len(t.failed) > 0 {
		words += "; what failed before is not compared: " + strings.Join(slices.Sorted(maps.Keys(t.failed)), ", ")
	}
	return words
}

func passes(n int) string {
	if n == 1 {
		return "passes"
	}
	return "pass"
}
