package cli

import (
	"fmt"

	"github.com/seamgo/seam/cmd/seam/internal/idl/compat"
	"github.com/seamgo/seam/cmd/seam/internal/idl/model"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
)

// genDiff is the verb that compares two versions.
type genDiff struct {
	Old string `arg:"" help:"The old version: a Thrift file, or a folder of them."`
	New string `arg:"" help:"The new version."`

	Wire bool `help:"Report only what breaks data and calls between the versions, not what breaks source code."`
	sources
}

func (genDiff) examples() string {
	return `Prints each change as file:line:col: what it breaks: what it is. Exits with code 1
if a change breaks data or calls between programs of the two versions (wire), or
code that was written for the old one (source). Notes break nothing.

Examples:
  seam gen diff order-v1.thrift order.thrift
  git worktree add /tmp/main main && seam gen diff /tmp/main/idl idl
  seam gen diff --wire -I third_party old/ idl/
`
}

func (v *genDiff) Run(s *session) error {
	oldPaths, err := model.Find([]string{v.Old})
	if err != nil {
		return err
	}
	newPaths, err := model.Find([]string{v.New})
	if err != nil {
		return err
	}
	opt := v.options()
	opt.NoCode = true
	old, err := s.loadThrift(oldPaths, opt, v.Strict)
	if err != nil {
		return err
	}
	new, err := s.loadThrift(newPaths, opt, v.Strict)
	if err != nil {
		return err
	}
	changes, least := 0, compat.Note
	if v.Wire {
		least = compat.Wire
	}
	worst := compat.Note
	for _, c := range compat.Compare(old, new) {
		if c.Severity < least {
			continue
		}
		worst = max(worst, c.Severity)
		if c.Severity > compat.Note {
			changes++
		}
		if _, err := fmt.Fprintln(s.stdout, c); err != nil {
			return withCode(exitFailed, err)
		}
	}
	if worst > compat.Note {
		return withCode(exitFinding, fmt.Errorf("%s breaking: make the new version accept both forms, or give what is new another id or name", quantity.Plural(changes, "change is", "changes are")))
	}
	return nil
}
