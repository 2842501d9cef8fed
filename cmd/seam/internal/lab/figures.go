package lab

import (
	"fmt"

	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
)

// Figures are what an experiment measured, and where its Explain puts what they mean.
type Figures struct{ *result.Experiment }

// Median is that of a series, if it was measured.
func (f Figures) Median(name, unit string) (float64, bool) {
	if s := f.Find(name, unit); s != nil {
		return s.Median, true
	}
	return 0, false
}

// Say adds findings, but those that are empty for want of figures.
func (f Figures) Say(texts ...string) { f.Findings = appendSaid(f.Findings, texts) }

// Note adds notes likewise.
func (f Figures) Note(texts ...string) { f.Notes = appendSaid(f.Notes, texts) }

// Sayf adds a finding.
func (f Figures) Sayf(format string, args ...any) { f.Say(fmt.Sprintf(format, args...)) }

// Notef adds a note.
func (f Figures) Notef(format string, args ...any) { f.Note(fmt.Sprintf(format, args...)) }

func appendSaid(list, texts []string) []string {
	for _, text := range texts {
		if text != "" {
			list = append(list, text)
		}
	}
	return list
}
