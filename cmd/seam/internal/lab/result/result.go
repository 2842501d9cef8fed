// Package result holds what a lab run found: raw samples, their summaries, and
// the comparisons between them. It is what `seam lab --json` writes and what
// every report is drawn from, so a report never knows more than the file does.
package result

import (
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/machine"
)

// Schema names the JSON format and its version. A reader refuses any other.
// A field may be added without a new version; a changed meaning needs one.
const Schema = "seam.lab/1"

// A Run is one call of `seam lab`.
type Run struct {
	Seam        string        `json:"seam"`             // version of the tool
	Commit      string        `json:"commit,omitempty"` // git commit of the working directory, "+dirty" where it was changed
	Started     time.Time     `json:"started"`
	Seconds     float64       `json:"seconds"` // wall time of the whole run
	Mode        string        `json:"mode"`    // quick, normal, full
	Seed        uint64        `json:"seed"`
	Rounds      int           `json:"rounds"`             // fresh processes asked for
	LeftOut     int           `json:"left_out,omitempty"` // and those for which the time of the mode did not last
	Leaf        string        `json:"leaf"`               // which path package leaf took: "assembly", "cgo" or "none"
	Guard       string        `json:"guard,omitempty"`    // leaf's guard that was on, as leaf.State says it; its cost is in leaf's figures
	Machine     machine.Facts `json:"machine"`
	Interrupted bool          `json:"interrupted,omitempty"` // Ctrl-C: what follows is what was finished
	Experiments []Experiment  `json:"experiments"`
}

// An Experiment is what one experiment found.
type Experiment struct {
	Name        string       `json:"name"`
	Title       string       `json:"title"`
	About       string       `json:"about"`
	Articles    []int        `json:"articles,omitempty"` // numbers of Sources
	Sources     []Source     `json:"sources,omitempty"`  // of the published figures that it is compared with
	Rounds      int          `json:"rounds"`             // fresh processes that finished
	Series      []Series     `json:"series"`
	Comparisons []Comparison `json:"comparisons,omitempty"`
	Controls    []Comparison `json:"controls,omitempty"`   // A/A, one for each group
	Yardsticks  []string     `json:"yardsticks,omitempty"` // series without Seam's code, where the bases may have some
	Headlines   []Headline   `json:"headlines,omitempty"`  // figures that a page shows first
	Advice      string       `json:"advice,omitempty"`     // what to do, or that this run can't say
	Findings    []string     `json:"findings,omitempty"`   // what this means for you, computed; the first is the verdict
	Notes       []string     `json:"notes,omitempty"`      // cautions, and disagreements with published figures
	Profiles    []Profile    `json:"profiles,omitempty"`   // where time went
	Charts      []Chart      `json:"-"`
}

// A Series is all samples of one benchmark in one unit.
type Series struct {
	Name      string     `json:"name"` // benchmark name without "Benchmark"
	Unit      string     `json:"unit"` // "ns/op", "B/unit", …
	Label     string     `json:"label"`
	Group     string     `json:"group,omitempty"`
	Reference *Reference `json:"reference,omitempty"`

	// NotMeasured says why there is no figure; the fields below are then empty.
	NotMeasured string `json:"not_measured,omitempty"`

	Median   float64  `json:"median"`
	Lo       float64  `json:"lo"` // interval of the median, Confidence wide
	Hi       float64  `json:"hi"`
	Outliers int      `json:"outliers"`
	Samples  []Sample `json:"samples,omitempty"`
}

// A Headline is a figure that stands for the experiment.
type Headline struct {
	Name  string `json:"name"` // of its series
	Unit  string `json:"unit"`
	Words string `json:"words"`
}

// Confidence is the level of the intervals of medians in a Run. Those of comparisons are at
// the level of their verdict, stats.Proof.
const Confidence = 0.95

// A Sample is one timed stretch.
type Sample struct {
	Round   int     `json:"round"` // which process
	Block   int     `json:"block"` // which block inside it
	N       int     `json:"n"`     // operations in the stretch
	Value   float64 `json:"value"` // per operation, in the series' unit
	Outlier bool    `json:"outlier,omitempty"`
}

// A Reference is the figure that was published for what a series measures.
type Reference struct {
	Value  float64 `json:"value"`          // in the series' unit
	Source int     `json:"article"`        // number of its Source
	Note   string  `json:"note,omitempty"` // when, on what and how it was measured
}

// A Comparison sets one series against its base, block by block.
type Comparison struct {
	Name    string  `json:"name"`
	Base    string  `json:"base"`
	Unit    string  `json:"unit"`
	Ratio   float64 `json:"ratio"` // name over base, below 1 is faster
	Lo      float64 `json:"lo"`
	Hi      float64 `json:"hi"`
	Blocks  int     `json:"blocks"`
	Verdict string  `json:"verdict"`           // faster, slower, same, unproven
	Finds   float64 `json:"finds,omitempty"`   // the smallest ratio above 1 that would have been found; 0: none would, or not known
	Further bool    `json:"further,omitempty"` // not with the base of its group: a sentence needs it
}

// Find returns the measured series of that name and unit, or nil.
func (e *Experiment) Find(name, unit string) *Series {
	for i := range e.Series {
		s := &e.Series[i]
		if s.Name == name && s.Unit == unit && s.NotMeasured == "" {
			return s
		}
	}
	return nil
}

// Compared returns the comparison of name with its base, or nil.
func (e *Experiment) Compared(name string) *Comparison {
	for i := range e.Comparisons {
		if e.Comparisons[i].Name == name {
			return &e.Comparisons[i]
		}
	}
	return nil
}

// Profile returns the profile of that name, or nil.
func (e *Experiment) Profile(name string) *Profile {
	for i := range e.Profiles {
		if e.Profiles[i].Name == name {
			return &e.Profiles[i]
		}
	}
	return nil
}
