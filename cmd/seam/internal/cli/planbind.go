package cli

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"

	"charm.land/lipgloss/v2"

	"github.com/seamgo/seam/cmd/seam/internal/bind"
	"github.com/seamgo/seam/cmd/seam/internal/output"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
	"github.com/seamgo/seam/cmd/seam/internal/terminal"
	"github.com/seamgo/seam/cmd/seam/internal/text"
)

// planBind chooses modes for a package of seam bind.
func (v *planVerb) planBind(s *session) error {
	switch {
	case len(v.Trace) == 0:
		return withCode(exitUsage, errors.New("--bind needs --trace FILE: run the program, or its tests, with SEAM_TRACE=$PWD/dl.trace, then give --trace dl.trace"))
	case v.Check || len(v.Packages) > 0:
		return withCode(exitUsage, errors.New("--bind is for one bind.seam: neither --check nor packages go with it"))
	}
	made, list, err := bind.PlanFile(v.Bind, v.Trace, v.MinCalls)
	if err != nil {
		return err
	}
	to := cmp.Or(v.Output, v.Bind)
	writer := output.Writer{Stdout: s.stdout, Stderr: s.stderr}
	if err := writer.Write(s.ctx, to, func(w io.Writer) error { _, err := io.Copy(w, bytes.NewReader(made)); return err }); err != nil {
		return withCode(exitFailed, err)
	}
	if output.IsStdout(to) {
		return nil
	}
	w := text.New(s.stdout, terminal.Of(s.stdout).Options)
	columns := []*text.Column{{Head: "function", Left: true, Rank: 3}, {Head: "now", Left: true, Rank: 1}, {Head: "calls", Rank: 1}, {Head: "mean", Rank: 1}, {Head: "longest"}, {Head: "from now on", Left: true, Rank: 2, Least: 30, Wrap: true}}
	leaves := 0
	for _, c := range list {
		then := "leaf"
		if c.Leaf {
			leaves++
		} else {
			then = "not a leaf: " + c.Why
		}
		if !c.Leaf && c.Mode == "leaf" && (c.Calls >= v.MinCalls || c.CallGo > 0) {
			fmt.Fprintf(s.stderr, "seam: %s: %s is a leaf, and %s\n", v.Bind, c.Name, c.Why)
		}
		text.Add(columns, c.Name, c.Mode, quantity.Compact(float64(c.Calls)), quantity.Time(float64(c.NS)/float64(max(c.Timed, 1))), quantity.Time(float64(c.Longest)), then)
	}
	w.Table(text.Table{Columns: columns, Rule: true})
	w.Line(lipgloss.NewStyle(), fmt.Sprintf("%s: %d of the %s that were called can be leaves, by what was seen. seam bind %[1]s writes the package.", to, leaves, quantity.Plural(len(list), "function")))
	return withCode(exitFailed, w.Flush())
}
