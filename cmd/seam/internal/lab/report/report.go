// Package report writes what a lab run found, one file of this package for each
// format: a table for the terminal, the Go benchmark format, and a page for the
// browser. (JSON is the [result.Run] itself.)
//
// The package is opinionated: a figure never appears without its unit, a median
// never without its interval where there is one, and a case that could not be
// measured is a row that says why. Nothing is computed here that the run does
// not hold; in particular verdicts come from the run.
package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
	"github.com/seamgo/seam/cmd/seam/internal/machine"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
)

// A row is one series in words, as every table shows it. Cells without a value
// are empty.
type row struct {
	Label      string
	Name       string // benchmark name
	Group      string
	Missing    string // why it was not measured
	Median     string
	Interval   string
	Vague      bool // the median says more than is known
	Base       bool // others are compared with it
	Ratio      string
	RatioRange string
	Verdict    string // faster, slower, same, unproven
	Found      string // the same in words
	Reference  string
	RefNote    string
	Outliers   int
	Samples    int
}

func rows(e *result.Experiment) []row {
	all := make([]row, 0, len(e.Series))
	for i := range e.Series {
		s := &e.Series[i]
		r := row{Label: clean(s.Label), Name: clean(s.Name), Group: clean(s.Group), Missing: clean(s.NotMeasured)}
		if r.Label == "" {
			r.Label = r.Name
		}
		if s.Reference != nil {
			r.Reference = quantity.Format(s.Reference.Value, s.Unit)
			r.RefNote = clean(s.Reference.Note)
		}
		if r.Missing == "" {
			r.Median = quantity.Format(s.Median, s.Unit)
			if len(s.Samples) != 1 { // one value has no interval
				r.Interval, r.Vague = quantity.Interval(s.Lo, s.Hi, s.Unit), s.Vague()
			}
			if s.Unit == "count" && s.Lo == s.Hi && s.Median == math.Trunc(s.Median) {
				// Things that were counted, the same in every process.
				r.Median, r.Interval = quantity.Tick(s.Median, s.Unit), ""
			}
			r.Outliers = s.Outliers
			r.Samples = len(s.Samples)
			r.Base = isBase(e, s)
			if c := compared(e, s); c != nil {
				r.Ratio = quantity.Ratio(c.Ratio)
				r.RatioRange = quantity.Interval(c.Lo, c.Hi, "×")
				r.Verdict, r.Found = clean(c.Verdict), c.Cell()
			}
		}
		all = append(all, r)
	}
	return all
}

// sources are those of the published figures that an experiment shows.
func sources(e *result.Experiment) []string {
	var list []string
	for i := range e.Sources {
		list = append(list, e.Sources[i].Cite())
	}
	return cleanAll(list)
}

func compared(e *result.Experiment, s *result.Series) *result.Comparison {
	for i := range e.Comparisons {
		if c := &e.Comparisons[i]; c.Name == s.Name && c.Unit == s.Unit && !c.Further {
			return c
		}
	}
	return nil
}

// further are the comparisons that no row shows, since they are not with the base of the
// row's group: each case, what it is compared with, and how.
func further(e *result.Experiment) (list [][]string) {
	label := func(name, unit string) string {
		if s := e.Find(name, unit); s != nil && clean(s.Label) != "" {
			return clean(s.Label)
		}
		return clean(name)
	}
	for i := range e.Comparisons {
		if c := &e.Comparisons[i]; c.Further {
			list = append(list, []string{label(c.Name, c.Unit), label(c.Base, c.Unit), quantity.Ratio(c.Ratio), quantity.Interval(c.Lo, c.Hi, "×"), c.Cell()})
		}
	}
	return list
}

// furtherHead is above them.
var furtherHead = []string{"case", "against", "ratio", "interval", "verdict"}

// isBase reports whether others are compared with s. Each base has a control, even
// if none of the others could be measured.
func isBase(e *result.Experiment, s *result.Series) bool {
	for _, c := range e.Comparisons {
		if c.Base == s.Name && c.Unit == s.Unit {
			return true
		}
	}
	for _, c := range e.Controls {
		if c.Name == s.Name && c.Unit == s.Unit {
			return slices.ContainsFunc(e.Series, func(o result.Series) bool { return o.Group == s.Group && o.Name != s.Name })
		}
	}
	return false
}

// controls says what the A/A comparisons of an experiment found: one sentence,
// and a warning if the machine found a difference where there is none.
func controls(e *result.Experiment) (line, warning string) {
	if len(e.Controls) == 0 {
		return "", ""
	}
	var differ []string
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, c := range e.Controls {
		for _, v := range []float64{c.Ratio, c.Lo, c.Hi} {
			if quantity.Usable(v) && v > 0 {
				lo, hi = min(lo, v), max(hi, v)
			}
		}
		if c.Verdict == "faster" || c.Verdict == "slower" {
			differ = append(differ, fmt.Sprintf("%s %s", clean(c.Name), quantity.Ratio(c.Ratio)))
		}
	}
	if c := e.Controls[0]; len(e.Controls) == 1 {
		line = fmt.Sprintf("A/A control: %s against itself %s", clean(c.Name), quantity.Ratio(c.Ratio))
		if r := quantity.Interval(c.Lo, c.Hi, "×"); r != "" {
			line += " (" + r + ")"
		}
		line += ", " + c.Cell()
	} else {
		line = fmt.Sprintf("A/A controls: %d of %d found no difference", len(e.Controls)-len(differ), len(e.Controls))
		if r := quantity.Interval(lo, hi, "×"); r != "" {
			line += ", all within " + r
		}
	}
	if len(differ) > 0 {
		warning = fmt.Sprintf("Two runs of the same code differed on this machine (%s): differences of that size mean nothing.",
			strings.Join(differ, ", "))
	}
	return line, warning
}

// A fact is a property of the machine or of the run, with its name.
type fact machine.Fact

// words is the fact in a sentence.
func (f fact) words() string {
	switch f.Name {
	case "started": // says what it is
		return f.Value
	case "processes":
		if f.Value == "1" {
			return "1 process"
		}
		return f.Value + " " + f.Name
	}
	return machine.Fact(f).Words()
}

func machineFacts(m machine.Facts) []fact {
	var facts []fact
	for _, f := range m.List() {
		facts = append(facts, fact{f.Name, clean(f.Value)})
	}
	return present(facts)
}

func runFacts(run *result.Run) []fact {
	version := clean(run.Seam)
	if c := clean(run.Commit); c != "" {
		version = strings.TrimSpace(version + " at commit " + short(c))
	}
	started := ""
	if !run.Started.IsZero() {
		started = run.Started.UTC().Format("2006-01-02 15:04 UTC")
	}
	took := ""
	if run.Seconds > 0 && quantity.Usable(run.Seconds) {
		took = time.Duration(run.Seconds * float64(time.Second)).Round(time.Second).String()
	}
	return present([]fact{
		{"seam", version},
		{"leaf", clean(run.Leaf)},
		{"mode", clean(run.Mode)},
		{"processes", positive(run.Rounds)},
		{"seed", fmt.Sprint(run.Seed)},
		{"started", started},
		{"took", took},
	})
}

// warnings are the things about a whole run that a reader must know before any
// figure.
func warnings(run *result.Run) []string {
	var w []string
	if run.Interrupted {
		w = append(w, "The run was interrupted; this is what had finished.")
	}
	if s := notBegun(run); s != "" {
		w = append(w, s)
	}
	if run.LeftOut > 0 {
		w = append(w, fmt.Sprintf("The machine was too busy for %d of %d processes of each experiment within the time of this mode: the figures are less precise than they could be.", run.LeftOut, run.Rounds+run.LeftOut))
	}
	if run.Leaf == "cgo" {
		w = append(w, "Package leaf fell back to cgo here, so its figures are cgo's; `seam doctor` says why.")
	}
	if run.Guard != "" {
		w = append(w, "Leaf's guard was on ("+clean(run.Guard)+"), so figures for leaf include its cost; without SEAM_GUARD they are lower.")
	}
	if m := run.Machine; quantity.Usable(m.Load) && m.Load > 0.5*float64(max(1, m.Cores)) {
		w = append(w, fmt.Sprintf("The machine was busy at the start (load %.2f on %d cores): the figures are less precise than they could be.", m.Load, m.Cores))
	}
	if len(run.Experiments) == 0 {
		w = append(w, "Nothing was measured.")
	}
	return w
}

// notBegun names the experiments of an interrupted run that have no figure, in one line.
func notBegun(run *result.Run) string {
	var names []string
	for i := range run.Experiments {
		if e := &run.Experiments[i]; run.Interrupted && !begun(e) {
			names = append(names, clean(e.Name))
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "Not measured, since the run was interrupted: " + strings.Join(names, ", ") + "."
}

func begun(e *result.Experiment) bool {
	return slices.ContainsFunc(e.Series, func(s result.Series) bool { return s.NotMeasured == "" })
}

// unfinished says if fewer processes finished than were asked for.
func unfinished(run *result.Run, e *result.Experiment) string {
	if !begun(e) || e.Rounds >= run.Rounds {
		return ""
	}
	return fmt.Sprintf("%d of %d processes finished.", e.Rounds, run.Rounds)
}

func present(facts []fact) []fact {
	return slices.DeleteFunc(facts, func(f fact) bool { return f.Value == "" })
}

func positive(n int) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprint(n)
}

// short cuts a git hash to the length that git log shows.
func short(commit string) string {
	hash, rest, _ := strings.Cut(commit, "+")
	if len(hash) > 12 {
		hash = hash[:12]
	}
	if rest != "" {
		return hash + "+" + rest
	}
	return hash
}

// clean makes text from a run fit for any output: one line, no control
// characters (a JSON file of someone else's must not drive the terminal), no
// direction overrides.
func clean(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == '\r':
			return ' '
		case r < ' ' || r >= 0x7f && r < 0xa0:
			return -1
		case r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069:
			return -1
		case r == 0x2028 || r == 0x2029:
			return ' '
		}
		return r
	}, s))
}
