package labtest

import (
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
)

// Said is all that an experiment says.
func Said(e *result.Experiment) string { return strings.Join(append(e.Findings, e.Notes...), "\n") }

// Says fails where text lacks want or holds not, if that is anything.
func Says(t *testing.T, text, want, not string) {
	t.Helper()
	if !strings.Contains(text, want) {
		t.Errorf("got\n%s\nwant %q in it", text, want)
	}
	if not != "" && strings.Contains(text, not) {
		t.Errorf("got\n%s\nwant no %q", text, not)
	}
}

// SaysNothing fails where an experiment that measured nothing was explained.
func SaysNothing(t *testing.T, e *result.Experiment) {
	t.Helper()
	if len(e.Findings)+len(e.Notes)+len(e.Charts) != 0 {
		t.Errorf("found something in nothing: %+v", e)
	}
}

// FullRows fails where a row of a table has not one cell below each head.
func FullRows(t *testing.T, e *result.Experiment) {
	t.Helper()
	for _, c := range e.Charts {
		if c.Table == nil {
			continue
		}
		for _, row := range c.Table.Rows {
			if len(row) != len(c.Table.Head) {
				t.Errorf("%s: %d cells below %d heads: %q", c.Title, len(row), len(c.Table.Head), row)
			}
		}
	}
}
