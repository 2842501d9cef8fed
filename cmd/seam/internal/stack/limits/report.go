package limits

import (
	"io"

	"github.com/seamgo/seam/cmd/seam/internal/jsonfile"
)

// docs/stack.md describes the JSON form.
var jsonKind = jsonfile.Kind{Schema: "seam.stack-limits/1"}

// A Report is what was found, for all toolchains that were looked at.
type Report struct {
	Seam       string     `json:"seam,omitempty"`
	GOOS       string     `json:"goos"`
	GOARCH     string     `json:"goarch"`
	Limits     []Limit    `json:"limits,omitempty"` // not in the history
	Toolchains []Measured `json:"toolchains"`       // older versions first
}

// A Limit says what the values of a key are.
type Limit struct {
	Key       string `json:"key"`
	Label     string `json:"label"`
	Unit      string `json:"unit"`
	About     string `json:"about"`
	Published string `json:"article_4,omitempty"` // with Go 1.13.8, https://habr.com/ru/post/490618
}

// Measured is what was found with one toolchain.
type Measured struct {
	Version string           `json:"version"` // "go1.26.8"
	Root    string           `json:"root,omitempty"`
	InUse   bool             `json:"in_use,omitempty"`
	Named   bool             `json:"named,omitempty"`
	Missing string           `json:"missing,omitempty"` // why it was not measured
	Values  map[string]Value `json:"values,omitempty"`
}

// A Value is one figure, or why there is none.
type Value struct {
	N       int64  `json:"n"`
	AtLeast bool   `json:"at_least,omitempty"` // no end was found up to N
	Missing string `json:"missing,omitempty"`
	Frame   int64  `json:"frame_bytes,omitempty"` // of overflow_frames

	Since *Since `json:"since,omitempty"`
	Known *Value `json:"known,omitempty"` // what this version had when Seam was made, where it differs
}

// Since tells which version brought a value.
type Since struct {
	Version string `json:"version"`          // "go1.24"
	Oldest  bool   `json:"oldest,omitempty"` // of the versions known: it may be older
	Before  *Value `json:"before,omitempty"` // what it was before
}

func (v Value) same(w Value) bool {
	return v.Missing == "" && w.Missing == "" && v.N == w.N && v.AtLeast == w.AtLeast
}

// describe is the rows of a report.
func describe() []Limit {
	list := make([]Limit, 0, len(all))
	for _, l := range all {
		list = append(list, Limit{Key: l.key, Label: l.label, Unit: l.unit, About: l.about, Published: l.published})
	}
	return list
}

// WriteJSON writes the report in its JSON form.
func (r *Report) WriteJSON(w io.Writer) error { return jsonKind.Encode(w, r) }
