package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
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
	List  bool     `help:"Show the rules and what each finds; with --rules also why, and the code before and after."`
	Deps  bool     `help:"Search the packages with C that these import too, in other modules as well."`
	Tags  string   `placeholder:"LIST" help:"Build tags, as for go build."`
	Show  string   `enum:"error,warning,note" default:"warning" placeholder:"warning" help:"Show findings of this severity and above: ${enum}."`
	All   bool     `help:"Show each finding, also where many differ in names and lines alone."`
	Fail  string   `enum:"error,warning,note" default:"warning" placeholder:"warning" help:"Exit with code 1 if there are findings of this severity or above: ${enum}."`

	Config        string  `placeholder:"FILE" help:"Lines RULE SEVERITY, where the severity is error, warning, note or off (default: .seam-vet here or beside go.mod, if there is one)."`
	Baseline      string  `placeholder:"FILE" help:"Report only what is not in this file."`
	WriteBaseline *string `placeholder:"FILE" help:"Write a file that makes all findings of today known."`

	JSON  *outputName `name:"json" placeholder:"FILE" help:"Write everything, for other programs; to standard output if no file or - is named."`
	SARIF *outputName `name:"sarif" placeholder:"FILE" help:"Write SARIF 2.1.0, which code hosts read; to standard output if no file or - is named."`
	HTML  *outputName `name:"html" placeholder:"FILE" help:"Write a page; to standard output if no file or - is named."`

	vetFigures `embed:""`

	Confirm    bool   `help:"Run the packages' tests in three ways that show mistakes as they are made, and mark what was seen: what C memory is never freed, what a finalizer frees during a call, what the runtime's checks of pointers stop."`
	ConfirmRun string `placeholder:"COMMAND" help:"Confirm by this go command instead: 'go test -run Cursor ./db'."`

	Fix  bool `xor:"fix" help:"Make the changes that findings suggest."`
	Diff bool `xor:"fix" help:"Show these changes, and make none."`

	Verify bool `help:"With --fix: build the packages and run their tests before and after the changes, and take them back if something fails that passed. With --confirm that is run twice too."`
}

func (vetVerb) examples() string {
	return `Searches Go source for unsafe, leaking and costly use of C. The C is read too, where
gcc compiles it; what can't be seen lowers the severity of a finding.

Examples:
  seam vet ./...
  seam vet --deps ./...                    an application, with the C that it imports
  seam vet --list && seam vet --list --rules keepalive
  seam vet --rules memory-leak,errno-thread --show note ./...
  seam vet --sarif vet.sarif --json vet.json ./...
  seam lab --quick call --json seam.lab.json && seam vet --show note ./...
  seam vet --profile cpu.pprof --show note ./...
  seam vet --diff ./... && seam vet --fix ./...
  seam vet --fix --verify ./...
  seam vet --confirm ./... && seam vet --confirm-run 'go test -run Cursor ./db' ./db
  seam vet --write-baseline vet-baseline.json ./... && seam vet --baseline vet-baseline.json ./...

A finding that is meant to stay: a comment on its line or above it,
  //seam:ignore memory-leak the table lives as long as the program
As a tool of the go command: go install github.com/seamgo/seam/cmd/seam/seam-vet@latest,
then go vet -vettool=$(which seam-vet) ./...
`
}

func (v *vetVerb) Run(s *session) error {
	if v.List {
		return v.list(s)
	}
	if err := checkOutputs(outputFlag{"--json", (*string)(v.JSON)}, outputFlag{"--sarif", (*string)(v.SARIF)}, outputFlag{"--html", (*string)(v.HTML)}, outputFlag{"--write-baseline", v.WriteBaseline}); err != nil {
		return err
	}
	if v.Verify && !v.Fix {
		return errors.New("--verify is of --fix: what isn't changed needs no proof")
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
	r, err := search(s, o)
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
		rules := map[string]bool{}
		for _, f := range r.Findings {
			rules[f.Rule] = true
		}
		if err := v.confirmed(s, r, rules, toRun, o.Config); err != nil {
			return err
		}
	}
	if v.Fix || v.Diff {
		return v.mend(s, r, o, known)
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
	o = vet.Options{Go: "go", Packages: v.Packages, Deps: v.Deps, Seam: toolVersion()}
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
		name  *outputName
		write func(io.Writer) error
	}{{v.JSON, r.WriteJSON}, {v.SARIF, r.WriteSARIF}, {v.HTML, r.WriteHTML}} {
		if f.name == nil {
			continue
		}
		if err := to.Write(s.ctx, string(*f.name), f.write); err != nil {
			return err
		}
		if output.IsStdout(string(*f.name)) {
			table = s.stderr
		}
	}
	return r.WriteText(table, vet.TextOptions{Options: terminal.Of(table).Options, Least: rule.Severity(v.Show), All: v.All})
}

// search runs the rules.
func search(s *session, o vet.Options) (*vet.Report, error) {
	r, err := vet.Run(s.ctx, o)
	if s.ctx.Err() != nil {
		return nil, withCode(exitInterrupted, errors.New("interrupted: nothing was written"))
	}
	return r, err
}

// maxRounds is how often --fix searches again. A change may bring another mistake to light that the
// first one hid; more than two rounds were never seen.
const maxRounds = 8

// mend makes or shows the changes that findings suggest. What was changed is searched again, until
// there is nothing more to change.
func (v *vetVerb) mend(s *session, r *vet.Report, o vet.Options, known *vet.Baseline) (err error) {
	proof, err := v.verify(s, r, o.Config)
	if err != nil {
		return err
	}
	defer func() { err = proof.undo(err) }()
	mended := 0
	changes := map[string]int{}
	to := output.Writer{Stdout: s.stdout, Stderr: s.stderr}
	for range maxRounds {
		files, left, err := r.Mended()
		if err != nil {
			return withCode(exitFailed, err)
		}
		mended += len(r.Findings) - left
		for _, f := range files {
			if v.Diff {
				_, err = fmt.Fprint(s.stdout, f.Diff())
			} else {
				err = proof.write(s.ctx, to, f)
				changes[f.Path] += f.Changes
			}
			if err != nil {
				return withCode(exitFailed, err)
			}
		}
		if v.Diff || len(files) == 0 {
			break
		}
		if r, err = search(s, o); err != nil {
			return err
		}
		if known != nil {
			r.Without(known)
		}
	}
	if err := proof.after(r); err != nil {
		return err
	}
	for _, path := range slices.Sorted(maps.Keys(changes)) {
		if _, err := fmt.Fprintf(s.stdout, "%s: %s\n", path, quantity.Plural(changes[path], "change")); err != nil {
			return withCode(exitFailed, err)
		}
	}
	left, others := len(r.Findings), 0
	for _, f := range r.Findings {
		if f.Other {
			others++
		}
	}
	if v.Diff {
		left -= mended
	}
	if _, err := fmt.Fprintln(s.stderr, "seam:", v.mendedWords(mended, left, others)); err != nil {
		return withCode(exitFailed, err)
	}
	return broken(r)
}

// mendedWords say of how many findings something is, or would be, changed. Of those that are left
// others are in files of other modules.
func (v *vetVerb) mendedWords(mended, left, others int) string {
	var parts []string
	if mended > 0 {
		by := " fixed"
		if v.Diff {
			by = " would be fixed (--fix does it)"
		}
		parts = append(parts, quantity.Plural(mended, "finding")+by)
	}
	if others > 0 {
		parts = append(parts, quantity.Plural(others, "finding")+" in files of other modules, which are not changed")
	}
	if left -= others; left > 0 {
		parts = append(parts, quantity.Plural(left, "finding")+" without a change to suggest (seam vet --show note shows them)")
	}
	switch all := strings.Join(parts, "; "); {
	case mended > 0:
		return all
	case all != "":
		return "nothing to change: " + all
	}
	return "nothing found, nothing to change"
}

// list shows the rules, those that are named with their reason and the code before and after.
func (v *vetVerb) list(s *session) error {
	rules, err := vet.Choose(v.Rules)
	if err != nil {
		return err
	}
	w := text.New(s.stdout, terminal.Of(s.stdout).Options)
	for i, r := range rules {
		if len(v.Rules) > 0 && i > 0 {
			w.WriteString("\n")
		}
		w.Paragraph(text.Plain, fmt.Sprintf("%-16s %-8s ", r.Name, r.Severity), strings.TrimSpace(r.Title))
		if len(v.Rules) > 0 {
			w.WriteString("\n" + r.Doc + "\n")
		}
	}
	return withCode(exitFailed, w.Flush())
}
