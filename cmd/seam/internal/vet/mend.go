package vet

import (
	"bytes"
	"cmp"
	"fmt"
	"go/format"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/output"
	"github.com/seamgo/seam/cmd/seam/internal/textdiff"
)

// Mended is a file with the changes that findings suggest.
type Mended struct {
	output.File
	Old     []byte
	Changes int
}

// Diff is the changes as a patch.
func (m *Mended) Diff() string {
	return textdiff.Unified(m.Path, m.Path, string(m.Old), string(m.Text))
}

// Mended returns the files that findings suggest changes for, and the number of findings
// that suggest none. Of two changes that touch each other the first is made.
func (r *Report) Mended() (files []Mended, left int, err error) {
	edits := map[string][]Edit{}
	for _, f := range r.Findings {
		if len(f.Fixes) == 0 || clash(edits, f.Fixes[0].Edits) {
			left++
			continue
		}
		for _, e := range f.Fixes[0].Edits {
			if !imports(e) || !slices.Contains(edits[e.File], e) { // one for all who need it
				edits[e.File] = append(edits[e.File], e)
			}
		}
	}
	for name, list := range edits {
		old, err := os.ReadFile(name)
		if err != nil {
			return nil, 0, err
		}
		slices.SortStableFunc(list, func(a, b Edit) int { return cmp.Compare(a.Start, b.Start) })
		end := "\n"
		if bytes.Contains(old, []byte("\r\n")) {
			end = "\r\n"
		}
		var b bytes.Buffer
		at := 0
		for _, e := range list {
			if e.Start < at || e.End > len(old) {
				return nil, 0, fmt.Errorf("%s has changed while it was searched", name)
			}
			b.Write(old[at:e.Start])
			b.WriteString(strings.ReplaceAll(e.New, "\n", end))
			at = e.End
		}
		b.Write(old[at:])
		text := b.Bytes()
		if formatted, err := format.Source(old); err == nil && bytes.Equal(formatted, old) { // it was formatted before
			if text, err = format.Source(text); err != nil {
				return nil, 0, fmt.Errorf("%s: a suggested change is not Go: %w", name, err)
			}
		}
		files = append(files, Mended{output.File{Path: relative(workingDir(""), name), Text: text}, old, len(list)})
	}
	slices.SortFunc(files, func(a, b Mended) int { return cmp.Compare(a.Path, b.Path) })
	return files, left, nil
}

// clash reports whether an edit overlaps one that is to be made.
func clash(have map[string][]Edit, edits []Edit) bool {
	for _, e := range edits {
		for _, o := range have[e.File] {
			if e.Start < o.End && o.Start < e.End || e.Start == o.Start && e.New == o.New && !imports(e) {
				return true
			}
		}
	}
	return false
}

// imported is the new text of an edit that imports a package.
var imported = regexp.MustCompile(`^(\s*import )?"[\w/.-]+"\s*$`)

func imports(e Edit) bool { return imported.MatchString(e.New) }
