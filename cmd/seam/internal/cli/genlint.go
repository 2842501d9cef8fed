package cli

import (
	"errors"
	"fmt"

	"github.com/seamgo/seam/cmd/seam/internal/idl/compat"
)

// genLint is the verb that judges Thrift files, alone and by what they have been.
type genLint struct {
	Files []string `arg:"" optional:"" name:"file" help:"Thrift files, or folders of them."`

	Against string `placeholder:"OLD" help:"Also report what breaks programs of this version: git:REV, git:REV:PATH, a file or a folder."`
	List    bool   `help:"Show the rules with their severities."`
	judging
	sources
}

func (genLint) examples() string {
	return `Reports what makes Thrift files hard to keep compatible, and with --against what breaks
programs of an older version, by the rules of seam gen diff. Exits with code 1 if something
breaks data and calls (wire) or source code (source).

Examples:
  seam gen lint order.thrift
  seam gen lint --list
  seam gen lint -I third_party --against git:main idl/
  seam gen lint --against git:origin/main --sarif lint.sarif --severity id-gap=off order.thrift

To keep ids and names from being used again, also for seam gen:
  struct Order { 1: i64 id } (seam.reserved = "2, 5-7, old_name")
A finding that is meant: a comment on its line or above it,
  //seam:ignore required-used every message has had it since the first version
`
}

func (v *genLint) Run(s *session) error {
	if v.List {
		for _, r := range compat.Rules {
			when := "two versions"
			if r.Lint {
				when = "one version"
			}
			if _, err := fmt.Fprintf(s.stdout, "%-24s %-13s %-13s %s\n", r.Name, r.Severity, when, r.Title); err != nil {
				return withCode(exitFailed, err)
			}
		}
		return nil
	}
	if len(v.Files) == 0 {
		return errors.New("name Thrift files, or folders of them")
	}
	set, err := v.check()
	if err != nil {
		return err
	}
	opt := v.options()
	opt.NoCode, opt.KeepStreams = true, true
	list, waivers, err := s.loadWaived(v.Files, opt, v.Strict)
	if err != nil {
		return err
	}
	found := compat.Lint(list)
	if v.Against != "" {
		changes, err := s.compareThrift(v.Against, v.Files, list, opt, v.Strict, v.compatOptions())
		if err != nil {
			return err
		}
		found = append(found, changes...)
	}
	found = compat.Waive(set.apply(found), waivers, func(r *compat.Rule) bool { return r.Lint || v.Against != "" })
	return v.report(s, found, "seam gen lint", false)
}
