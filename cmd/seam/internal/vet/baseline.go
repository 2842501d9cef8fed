package vet

import (
	"errors"
	"io"
	"path/filepath"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/jsonfile"
)

// Baseline is the findings that a project has decided to live with for now: new ones are
// reported alone. A finding is known again by its rule, its file and the text of its line, so
// that code above it may change.
type Baseline struct {
	Known []Known `json:"known"`
}

// Known is a finding, and how often it may be there.
type Known struct {
	Rule   string `json:"rule"`
	File   string `json:"file"`
	Source string `json:"source"`
	Count  int    `json:"count"`
}

var baselineKind = &jsonfile.Kind{
	Schema: "seam.vet-baseline/1", Name: "a baseline of seam vet", Make: "seam vet --write-baseline FILE",
	Has: []string{"known"}, Bytes: 64 << 20,
}

// Check finds what contradicts itself in a baseline that was read.
func (b *Baseline) Check() error {
	for _, k := range b.Known {
		if k.Rule == "" || k.File == "" || k.Count < 1 {
			return errors.New("an entry has no rule, no file or no count")
		}
	}
	return nil
}

// Write writes the baseline.
func (b *Baseline) Write(w io.Writer) error { return baselineKind.Encode(w, b) }

// ReadBaseline reads what Write has written.
func ReadBaseline(name string) (*Baseline, error) {
	return jsonfile.Read[Baseline](baselineKind, name)
}

// MakeBaseline makes a baseline of all findings.
func (r *Report) MakeBaseline() *Baseline {
	b := &Baseline{Known: []Known{}}
	at := map[Known]int{}
	for _, f := range r.Findings {
		k := f.known()
		i, ok := at[k]
		if !ok {
			i = len(b.Known)
			at[k] = i
			b.Known = append(b.Known, k)
		}
		b.Known[i].Count++
	}
	return b
}

func (f *Finding) known() Known {
	return Known{Rule: f.Rule, File: filepath.ToSlash(f.File), Source: strings.Join(strings.Fields(f.Source), " ")}
}

// Without takes what a baseline knows out of the findings.
func (r *Report) Without(b *Baseline) {
	left := map[Known]int{}
	for _, k := range b.Known {
		n := k.Count
		k.Count = 0
		left[k] += n
	}
	var fresh []Finding
	for _, f := range r.Findings {
		if k := f.known(); left[k] > 0 {
			left[k]--
			r.Baseline++
			continue
		}
		fresh = append(fresh, f)
	}
	r.Findings = fresh
}
