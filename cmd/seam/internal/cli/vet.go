package cli

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/filecache"
	"github.com/seamgo/seam/cmd/seam/internal/gotool"
	"github.com/seamgo/seam/cmd/seam/internal/output"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
	"github.com/seamgo/seam/cmd/seam/internal/terminal"
	"github.com/seamgo/seam/cmd/seam/internal/text"
	"github.com/seamgo/seam/cmd/seam/internal/vet"
	"github.com/seamgo/seam/cmd/seam/internal/vet/rule"
)

// vetVerb is the verb that searches Go source for mistakes in the use of C.
type vetVerb struct {
	Packages []string `arg:"" optional:"" name:"package" help:"Packages, as for go build (default: the one here)."`

	Rules []string `placeholder:"NAME" help:"Apply only these rules, separated by commas."`
	List  bool     `help:"Show the rules and what each finds."`
	Tags  string   `placeholder:"LIST" help:"Build tags, as for go build."`
	Show  string   `enum:"error,warning,note" default:"warning" placeholder:"warning" help:"Show findings of this severity and above: ${enum}."`
	All   bool     `help:"Show each finding, also where many differ in names and lines alone."`
	Fail  string   `enum:"error,warning,note" default:"warning" placeholder:"warning" help:"Exit with code 1 if there are findings of this severity or above: ${enum}."`

	Config        string  `placeholder:"FILE" help:"Lines RULE SEVERITY, where the severity is error, warning, note or off (default: .seam-vet here or beside go.mod, if there is one)."`
	Baseline      string  `placeholder:"FILE" help:"Report only what is not in this file."`
	WriteBaseline *string `placeholder:"FILE" help:"Write a file that makes all findings of today known."`

	JSON  *string `name:"json" placeholder:"FILE" help:"Write everything, for other programs; - is standard output."`
	SARIF *string `name:"sarif" placeholder:"FILE" help:"Write SARIF 2.1.0, which code hosts read; - is standard output."`
	HTML  *string `name:"html" placeholder:"FILE" help:"Write a page; - is standard output."`

	vetFigures `embed:""`

	Confirm    bool   `help:"Run the packages' tests in three ways that show mistakes as they are made, and mark what was seen: what C memory is never freed, what a finalizer frees during a call, what the runtime's checks of pointers stop."`
	ConfirmRun string `placeholder:"COMMAND" help:"Confirm by this go command instead: 'go test -run Cursor ./db'."`

	Fix  bool `xor:"fix" help:"Make the changes that findings suggest."`
	Diff bool `xor:"fix" help:"Show these changes, and make none."`
}

func (vetVerb) examples() string {
	return `Searches Go source for unsafe, leaking and costly use of C. The C is read too, where
gcc compiles it; what can't be seen lowers the severity of a finding.

Examples:
  seam vet ./...
  seam vet --list
  seam vet --rules cstring-leak,errno-thread --show note ./...
  seam vet --sarif vet.sarif --json vet.json ./...
  seam lab --quick call --json seam.lab.json && seam vet --show note ./...
  seam vet --profile cpu.pprof --show note ./...
  seam vet --diff ./... && seam vet --fix ./...
  seam vet --confirm ./... && seam vet --confirm-run 'go test -run Cursor ./db' ./db
  seam vet --write-baseline vet-baseline.json ./... && seam vet --baseline vet-baseline.json ./...

A finding that is meant to stay: a comment on its line or above it,
  //seam:ignore cstring-leak the table lives as long as the program
As a tool of the go command: go install github.com/seamgo/seam/cmd/seam/seam-vet@latest,
then go vet -vettool=$(which seam-vet) ./...
`
}

func (v *vetVerb) Run(s *session) error {
	if v.List {
		return v.list(s)
	}
	if err := checkOutputs(outputFlag{"--json", v.JSON}, outputFlag{"--sarif", v.SARIF}, outputFlag{"--html", v.HTML}, outputFlag{"--write-baseline", v.WriteBaseline}); err != nil {
		return err
	}
	toRun, err := v.confirmLine()
	if err != nil {
		return err
	}
	o, err := v.options(s)
	if err != nil {
		return err
	}
	var known *vet.Baseline
	if v.Baseline != "" {
		if known, err = vet.ReadBaseline(v.Baseline); err != nil {
			return err
		}
	}
	r, err := vet.Run(s.ctx, o)
	if s.ctx.Err() != nil {
		return withCode(exitInterrupted, errors.New("interrupted: nothing was written"))
	}
	if err != nil {
		return err
	}
	if v.WriteBaseline != nil { // where a finding is and what it says: nothing that a run changes
		to := output.Writer{Stdout: s.stdout, Stderr: s.stderr}
		if err := to.Write(s.ctx, *v.WriteBaseline, r.MakeBaseline().Write); err != nil {
			return withCode(exitFailed, err)
		}
		return broken(r)
	}
	if known != nil {
		r.Without(known)
	}
	if toRun != nil {
		if err := v.confirmed(s, r, toRun, o.Config); err != nil {
			return err
		}
	}
	if v.Fix || v.Diff {
		if err := v.mend(s, r); err != nil {
			return err
		}
		return broken(r)
	}
	if err := v.show(s, r); err != nil {
		return withCode(exitFailed, err)
	}
	found := 0
	for _, f := range r.Findings {
		if vet.AtLeast(f.Severity, rule.Severity(v.Fail)) {
			found++
		}
	}
	if found > 0 {
		return withCode(exitFinding, fmt.Errorf("%s of severity %s or above", quantity.Plural(found, "finding"), v.Fail))
	}
	return broken(r)
}

// broken is the error that Go code which doesn't compile was not searched, or not whole. Findings
// elsewhere come before it.
func broken(r *vet.Report) error {
	if !r.Broken {
		return nil
	}
	return errors.New("there is Go code that doesn't compile (go vet shows all of it), so not everything was searched")
}

func (v *vetVerb) options(s *session) (o vet.Options, err error) {
	o = vet.Options{Go: "go", Packages: v.Packages, Seam: toolVersion()}
	if len(o.Packages) == 0 {
		o.Packages = []string{"."}
	}
	if v.Tags != "" {
		o.Flags = append(o.Flags, "-tags="+v.Tags)
	}
	if o.Rules, err = vet.Choose(v.Rules); err != nil {
		return o, err
	}
	root, _, err := gotool.ModuleRoot(s.ctx, "go", ".")
	if err != nil {
		return o, err
	}
	if o.Measured, err = v.measured(s, root, o.Flags); err != nil {
		return o, err
	}
	name := cmp.Or(v.Config, foundConfig(root))
	if name != "" {
		if o.Config, err = vet.ReadConfig(name); err != nil {
			return o, err
		}
	}
	o.Cache, _ = filecache.Open("vet") // without one it takes longer
	return o, nil
}

// foundConfig is the file of settings here or beside go.mod, or "".
func foundConfig(root string) string {
	for _, dir := range []string{".", root} {
		name := filepath.Join(dir, vet.ConfigName)
		if _, err := os.Stat(name); err == nil {
			return name
		}
	}
	return ""
}

// show writes the report in every form that was asked for: as text unless another form
// goes to standard output.
func (v *vetVerb) show(s *session, r *vet.Report) error {
	to := output.Writer{Stdout: s.stdout, Stderr: s.stderr}
	table := s.stdout
	for _, f := range []struct {
		name  *string
		write func() error
	}{
		{v.JSON, func() error { return to.Write(s.ctx, *v.JSON, r.WriteJSON) }},
		{v.SARIF, func() error { return to.Write(s.ctx, *v.SARIF, r.WriteSARIF) }},
		{v.HTML, func() error { return to.Write(s.ctx, *v.HTML, r.WriteHTML) }},
	} {
		if f.name == nil {
			continue
		}
		if err := f.write(); err != nil {
			return err
		}
		if output.IsStdout(*f.name) {
			table = s.stderr
		}
	}
	return r.WriteText(table, vet.TextOptions{Options: terminal.Of(table).Options, Least: rule.Severity(v.Show), All: v.All})
}

// mend makes or shows the changes that findings suggest.
func (v *vetVerb) mend(s *session, r *vet.Report) error {
	files, left, err := r.Mended()
	if err != nil {
		return withCode(exitFailed, err)
	}
	mended := len(r.Findings) - left
	to := output.Writer{Stdout: s.stdout, Stderr: s.stderr}
	for _, f := range files {
		if v.Diff {
			_, err = fmt.Fprint(s.stdout, f.Diff())
		} else if err = to.WriteFile(s.ctx, f.File); err == nil {
			_, err = fmt.Fprintf(s.stdout, "%s: %s\n", f.Path, quantity.Plural(f.Changes, "change"))
		}
		if err != nil {
			return withCode(exitFailed, err)
		}
	}
	_, err = fmt.Fprintln(s.stderr, "seam:", v.mendedWords(mended, left))
	return withCode(exitFailed, err)
}

// mendedWords say of how many findings something is, or would be, changed.
func (v *vetVerb) mendedWords(mended, left int) string {
	by := "mended"
	if v.Diff {
		by = "would be mended (--fix does it)"
	}
	rest := ""
	if left > 0 {
		rest = "; for " + quantity.Plural(left, "other") + " there is no change to suggest: seam vet --show note shows them"
	}
	switch {
	case mended > 0:
		return quantity.Plural(mended, "finding") + " " + by + rest
	case left > 0:
		return "nothing to change: " + quantity.Plural(left, "finding") + ", and for none there is a change to suggest; seam vet --show note shows them"
	}
	return "nothing found, nothing to change"
}

func (v *vetVerb) list(s *session) error {
	w := text.New(s.stdout, terminal.Of(s.stdout).Options)
	for _, r := range vet.Rules {
		w.Paragraph(text.Plain, fmt.Sprintf("%-16s %-8s ", r.Name, r.Severity), strings.TrimSpace(r.Title))
	}
	return withCode(exitFailed, w.Flush())
}
