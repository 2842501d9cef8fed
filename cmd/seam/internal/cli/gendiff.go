package cli

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/idl/compat"
	"github.com/seamgo/seam/cmd/seam/internal/idl/model"
	"github.com/seamgo/seam/cmd/seam/internal/output"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
)

// genDiff is the verb that compares two versions.
type genDiff struct {
	Old string `arg:"" help:"The old version: a Thrift file, a folder of them, or git:REV for the new one's path in that revision, git:REV:PATH for another, which begins at the repository's root."`
	New string `arg:"" help:"The new version."`

	Wire bool `help:"Report only what breaks data and calls between the versions, not what breaks source code."`
	judging
	sources
}

// judging are the flags of the verbs that judge Thrift files.
type judging struct {
	Protocols []string          `enum:"binary,compact,json,names" default:"binary,compact,json" placeholder:"LIST" help:"What the versions exchange: ${enum}. names is JSON by the fields' names, as encoding/json and generic calls have it; json is Apache's protocol, which goes by numbers. Default: all but names; with --for kitex without json."`
	For       string            `enum:"go,kitex" default:"go" placeholder:"go" help:"Whose Go code it is: go or kitex."`
	Severity  map[string]string `placeholder:"RULE=S" help:"Give a rule another severity: note, source, wire or off; may be given several times."`
	JSON      *string           `name:"json" placeholder:"FILE" help:"Write everything, for other programs; - is standard output."`
	SARIF     *string           `name:"sarif" placeholder:"FILE" help:"Write SARIF 2.1.0, which code hosts read; - is standard output."`
}

func (genDiff) examples() string {
	return `Prints each change as file:line:col: what it breaks: what it is [rule]. Exits with code 1
if a change breaks data or calls between programs of the two versions (wire), or
code that was written for the old one (source). Notes break nothing.

Examples:
  seam gen diff order-v1.thrift order.thrift
  seam gen diff -I third_party git:main idl/
  seam gen diff git:v1.2:order-v1.thrift order.thrift
  seam gen diff --wire -I third_party old/ idl/
  seam gen diff --for kitex --severity field-renamed=note --sarif diff.sarif git:main order.thrift

seam gen lint --list shows the rules. A change that is meant: a comment on its line or above it,
  //seam:ignore field-gone nobody has read it since May
and of what is gone, anywhere in the file, //seam:ignore definition-gone:Order nobody …
`
}

func (v *genDiff) Run(s *session) error {
	severities, err := v.check()
	if err != nil {
		return err
	}
	opt := v.options()
	opt.NoCode, opt.KeepStreams = true, true
	list, waivers, err := s.loadWaived([]string{v.New}, opt, v.Strict)
	if err != nil {
		return err
	}
	changes, err := s.compareThrift(v.Old, []string{v.New}, list, opt, v.Strict, v.compatOptions())
	if err != nil {
		return err
	}
	changes = compat.Waive(severities.apply(changes), waivers, func(r *compat.Rule) bool { return !r.Lint })
	return v.report(s, changes, "seam gen diff", v.Wire)
}

// compareThrift compares files with an old version of them, which may be git:REV.
func (s *session) compareThrift(old string, files []string, after []*model.Program, opt model.Options, strict bool, how compat.Options) ([]compat.Change, error) {
	from, err := s.thriftVersion(old, files)
	if err != nil {
		return nil, err
	}
	opt.ReadFile = from.readFile
	before, err := s.loadThrift(from.paths, opt, strict)
	if err != nil {
		return nil, err
	}
	changes := compat.Compare(before, after, how)
	for i := range changes {
		if c := &changes[i]; from.revision != "" && c.Old.File != "" {
			c.Old.File = from.revision + ":" + c.Old.File
		}
	}
	return changes, nil
}

// loadWaived reads Thrift files with their comments seam:ignore.
func (s *session) loadWaived(files []string, opt model.Options, strict bool) ([]*model.Program, []*compat.Waiver, error) {
	paths, err := model.Find(files)
	if err != nil {
		return nil, nil, err
	}
	list, err := s.loadThrift(paths, opt, strict)
	if err != nil {
		return nil, nil, err
	}
	var waivers []*compat.Waiver
	for _, p := range list {
		if text, err := model.ReadFile(p.Path); err == nil {
			waivers = append(waivers, compat.Waivers(p.Path, text)...)
		}
	}
	return list, waivers, nil
}

func (v *judging) compatOptions() compat.Options {
	return compat.Options{
		NoJSON: v.For == "kitex" || !slices.Contains(v.Protocols, "json"),
		Names:  slices.Contains(v.Protocols, "names"),
		Kitex:  v.For == "kitex",
	}
}

// severities are those that rules have been given.
type severities map[string]compat.Severity

// off is the severity of a rule that isn't applied.
const off compat.Severity = 255

func (v *judging) check() (severities, error) {
	if err := checkOutputs(outputFlag{"--json", v.JSON}, outputFlag{"--sarif", v.SARIF}); err != nil {
		return nil, err
	}
	set := severities{}
	for name, word := range v.Severity {
		known := map[string]compat.Severity{"note": compat.Note, "source": compat.Source, "wire": compat.Wire, "off": off}
		severity, ok := known[word]
		switch {
		case compat.RuleNamed(name) == nil:
			return nil, fmt.Errorf("--severity %s=%s: there is no rule %s: seam gen lint --list shows them", name, word, name)
		case !ok:
			return nil, fmt.Errorf("--severity %s=%s: a severity is note, source, wire or off", name, word)
		}
		set[name] = severity
	}
	return set, nil
}

func (set severities) apply(changes []compat.Change) []compat.Change {
	kept := changes[:0]
	for _, c := range changes {
		if severity, ok := set[c.Rule.Name]; ok {
			c.Severity = severity
		}
		if c.Severity != off {
			kept = append(kept, c)
		}
	}
	return kept
}

// report writes what was found, and is the error of what breaks something.
func (v *judging) report(s *session, changes []compat.Change, tool string, wireOnly bool) error {
	to := output.Writer{Stdout: s.stdout, Stderr: s.stderr}
	for _, f := range []struct {
		name  *string
		write func(io.Writer) error
	}{
		{v.JSON, func(w io.Writer) error { return compat.WriteJSON(w, changes) }},
		{v.SARIF, func(w io.Writer) error { return compat.WriteSARIF(w, changes, tool, toolVersion()) }},
	} {
		if f.name == nil {
			continue
		}
		if err := to.Write(s.ctx, *f.name, f.write); err != nil {
			return withCode(exitFailed, err)
		}
	}
	quiet := v.JSON != nil && *v.JSON == "-" || v.SARIF != nil && *v.SARIF == "-"
	least := compat.Note
	if wireOnly {
		least = compat.Wire
	}
	breaking, evolved := 0, false
	for _, c := range changes {
		if c.Waived != "" || c.Severity < least {
			continue
		}
		if c.Severity > compat.Note {
			breaking++
			evolved = evolved || !c.Rule.Lint
		}
		if quiet {
			continue
		}
		if _, err := fmt.Fprintln(s.stdout, c); err != nil {
			return withCode(exitFailed, err)
		}
	}
	switch {
	case breaking > 0 && !evolved:
		return withCode(exitFinding, fmt.Errorf("%s: change what is found, or say why it is meant, in a comment on its line or above it: //seam:ignore RULE REASON", quantity.Plural(breaking, "finding above a note", "findings above a note")))
	case breaking > 0:
		return withCode(exitFinding, fmt.Errorf("%s breaking: make the new version accept both forms, or give what is new another id or name", quantity.Plural(breaking, "change is", "changes are")))
	}
	return nil
}

// thriftVersion finds the files of a version: a path, or git:REV, which has the same paths as
// the files it is compared with, or git:REV:PATH.
func (s *session) thriftVersion(name string, files []string) (*thriftTree, error) {
	rest, isGit := strings.CutPrefix(name, "git:")
	if !isGit {
		paths, err := model.Find([]string{name})
		return &thriftTree{paths: paths}, err
	}
	revision, path, named := strings.Cut(rest, ":")
	if revision == "" {
		return nil, errors.New("git: needs a revision behind it, as in git:main")
	}
	if named {
		return s.gitTree(revision, files, path)
	}
	return s.gitTree(revision, files, "")
}
