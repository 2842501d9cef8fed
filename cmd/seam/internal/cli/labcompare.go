package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/lab/compare"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
	"github.com/seamgo/seam/cmd/seam/internal/terminal"
)

// labCompare is the verb that compares two runs.
type labCompare struct {
	Old       string   `arg:"" help:"JSON or benchfmt file of the earlier run; - is standard input."`
	New       string   `arg:"" help:"JSON or benchfmt file of the later run."`
	Threshold fraction `default:"5%" placeholder:"5%" help:"Slowdown to accept, as 5% or 0.05 (${default})."`
}

func (labCompare) examples() string {
	return `Compares two files written by seam lab --json or --benchfmt: two machines, two
Go versions, two commits. Exits with code 1 if the runs prove that a benchmark got
slower or takes more, and measured it so by more than the threshold. A verdict takes
several processes on both sides, which every run of seam lab has; for go test,
append several runs to one file. If nothing could be compared, the code is 3.

Where a row's processes also measured a base (code that is not under test), and that
tells more, times are compared at equal speed of the machine: the column "adjusted".

Examples:
  seam lab compare old.json new.json
  seam lab compare --threshold 10% old.txt new.txt
`
}

// A fraction is written 5% or 0.05.
type fraction float64

// UnmarshalText reads a fraction.
func (f *fraction) UnmarshalText(text []byte) error {
	number, percent := strings.CutSuffix(strings.TrimSpace(string(text)), "%")
	v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if err != nil || !(v >= 0) || v > 1e6 {
		return fmt.Errorf("%q is not a threshold (want one like 5%% or 0.05)", text)
	}
	switch {
	case percent:
		v /= 100
	case v >= 1:
		return fmt.Errorf("%q is %g%%: write %s%% if that is meant, or a fraction below 1", text, v*100, number)
	}
	*f = fraction(v)
	return nil
}

func (c *labCompare) Run(s *session) error {
	if c.Old == "-" && c.New == "-" {
		return errors.New("both files are -: standard input can be read only once")
	}
	before, err := s.load(c.Old)
	if err != nil {
		return err
	}
	after, err := s.load(c.New)
	if err != nil {
		return err
	}
	table, err := compare.Compare(before, after, float64(c.Threshold))
	if err != nil {
		return err
	}
	return s.judge(table, s.stdout)
}

// judge prints a comparison; the error is what it found.
func (s *session) judge(table *compare.Table, out io.Writer) error {
	if err := table.WriteText(out, terminal.Of(out).Options); err != nil {
		return withCode(exitFailed, err)
	}
	if table.Compared == 0 {
		return withCode(exitFailed, errors.New("nothing was compared, so nothing is proven either way: the table says why"))
	}
	if n := table.Slowdowns; n > 0 {
		return withCode(exitFinding, fmt.Errorf("%s proven %s, and measured so by more than %g%%", quantity.Plural(n, "figure is", "figures are"), table.Worse(), table.Threshold*100))
	}
	return nil
}

func (s *session) load(name string) (*compare.File, error) {
	var r io.Reader = s.stdin
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		r = f
	}
	return compare.Load(name, r)
}
