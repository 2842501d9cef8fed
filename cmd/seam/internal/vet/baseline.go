package vet

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
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

// Without takes what a baseline knows out of the findings. What it knows of a file that is gone
// stands for the same lines in a file that it knows nothing of: the file was renamed.
func (r *Report) Without(b *Baseline) {
	left, known := map[Known]int{}, map[string]bool{}
	for _, k := range b.Known {
		n := k.Count
		k.Count = 0
		left[k] += n
		known[k.File] = true
	}
	take := func(k Known) bool {
		if r := Named(k.Rule); left[k] == 0 && r != nil && r.Formerly != "" {
			k.Rule = r.Formerly
		}
		if left[k] == 0 {
			return false
		}
		left[k]--
		r.Baseline++
		return true
	}
	r.Findings = slices.DeleteFunc(r.Findings, func(f Finding) bool { return take(f.known()) })
	gone := map[Known][]Known{} // by what is the same in the renamed file
	for _, k := range b.Known {
		if _, err := os.Stat(filepath.FromSlash(k.File)); errors.Is(err, fs.ErrNotExist) {
			k.Count = 0
			other := k
			other.File = ""
			gone[other] = append(gone[other], k)
		}
	}
	r.Findings = slices.DeleteFunc(r.Findings, func(f Finding) bool {
		k := f.known()
		if known[k.File] {
			return false
		}
		k.File = ""
		if r := Named(k.Rule); len(gone[k]) == 0 && r != nil && r.Formerly != "" {
			k.Rule = r.Formerly
		}
		return slices.ContainsFunc(gone[k], func(old Known) bool { return take(old) })
	})
}
