// Package reference is the table of published figures that the experiments compare
// theirs with: each figure stands here once, with its source.
//
// The machines and Go versions are old, so a report shows a published figure beside a
// measured one and draws no verdict from the two.
package reference

import "github.com/seamgo/seam/cmd/seam/internal/lab/result"

// A Figure is one published figure.
type Figure struct {
	Source *result.Source
	What   string // was measured, as far as the series that it stands beside does not say it
	Value  float64
	Unit   string
}

// Reference is the figure as a series has it.
func (f Figure) Reference() *result.Reference {
	note := f.Source.Setting()
	if f.What != "" {
		note += "; " + f.What
	}
	return &result.Reference{Value: f.Value, Source: f.Source.Number, Note: note}
}

// Attach puts the figure beside the series of that name, if it was measured.
func (f Figure) Attach(e *result.Experiment, name string) {
	if s := e.Find(name, f.Unit); s != nil {
		s.Reference = f.Reference()
	}
}
