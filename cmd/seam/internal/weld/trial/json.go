package trial

import (
	"io"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/jsonfile"
	"github.com/seamgo/seam/cmd/seam/internal/stats"
)

var jsonKind = jsonfile.Kind{Schema: "seam.comparison/1"}

// Made says where and when a result was measured.
type Made struct {
	Seam string    `json:"seam"`
	Go   string    `json:"go"`
	OS   string    `json:"os"`
	Arch string    `json:"arch"`
	CPU  string    `json:"cpu"`
	Time time.Time `json:"time"`
}

type jsonFile struct {
	Made
	Command []string  `json:"command"`
	Plan    string    `json:"plan"`
	Leaves  int       `json:"leaves"`
	Rounds  int       `json:"rounds"`
	Verdict string    `json:"verdict"`
	Rows    []jsonRow `json:"rows"`
	Mean    jsonRatio `json:"mean"`
	Noise   jsonRatio `json:"noise"`
	Said    []string  `json:"said"`
}

type jsonRow struct {
	Package string `json:"package,omitempty"`
	Name    string `json:"name"`
	jsonRatio
	Medians map[string]map[string]float64 `json:"medians"` // by side and unit
}

type jsonRatio struct {
	Speedup Speedup       `json:"speedup"`
	Verdict stats.Verdict `json:"verdict"`
}

// Encode writes the result as indented JSON.
func (r *Result) Encode(w io.Writer, m Made) error {
	f := jsonFile{
		Made: m, Command: r.Command, Plan: r.Plan, Leaves: r.Leaves, Rounds: r.Rounds, Verdict: r.Verdict(),
		Mean: ratioOf(r.Mean), Noise: ratioOf(r.Noise), Said: append([]string{}, r.Said...),
	}
	for _, row := range r.Rows {
		x := jsonRow{Package: row.Package, Name: row.Name, jsonRatio: ratioOf(row.Comparison), Medians: map[string]map[string]float64{}}
		for side := range sides {
			medians := map[string]float64{}
			for _, v := range row.Pairs[side][0].Values {
				medians[v.Unit], _ = row.Median(side, v.Unit)
			}
			x.Medians[side.String()] = medians
		}
		f.Rows = append(f.Rows, x)
	}
	return jsonKind.Encode(w, f)
}

func ratioOf(c stats.Comparison) jsonRatio { return jsonRatio{speedup(c), c.Verdict} }
