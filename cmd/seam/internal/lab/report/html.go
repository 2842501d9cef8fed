package report

import (
	_ "embed"
	"fmt"
	"io"
	"strconv"

	"github.com/seamgo/seam/cmd/seam/internal/chart"
	"github.com/seamgo/seam/cmd/seam/internal/htmlpage"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
	"github.com/seamgo/seam/cmd/seam/internal/text"
)

//go:embed page.html
var pageSource string

//go:embed page.css
var pageStyle string

var pageKind = htmlpage.New(chart.Template+pageSource, chart.Style+pageStyle, nil)

// WriteHTML writes a run as one page that needs nothing else: no script, no
// network, and the same bytes for the same run.
func WriteHTML(w io.Writer, run *result.Run) error {
	return pageKind.Write(w, newPage(run))
}

// A page is what the template shows.
type page struct {
	Started     string
	Machine     []fact
	Run         []fact
	Warnings    []string
	Summary     []summary
	Experiments []section
	Confidence  string
}

// A summary is what one experiment means for the reader.
type summary struct {
	ID, Title string
	Findings  []string
}

// A section is one experiment.
type section struct {
	ID, Name, Title, About string
	Unfinished             string
	Charts                 []figure
	Groups                 [][]row
	Missing                []row // rows that were not measured, where the table is folded
	Folded                 bool  // the table is long: closed until asked for
	Count                  int
	HasReference           bool
	HasComparison          bool
	Control, ControlWarns  string
	Notes                  []string
	Sources                []string
}

// foldAbove is how many rows a table may have before it is folded away below
// the charts.
const foldAbove = 30

func newPage(run *result.Run) page {
	p := page{
		Machine:    machineFacts(run.Machine),
		Run:        runFacts(run),
		Warnings:   warnings(run),
		Confidence: strconv.FormatFloat(100*result.Confidence, 'g', 3, 64) + " %",
	}
	if !run.Started.IsZero() {
		p.Started = run.Started.UTC().Format("2 January 2006")
	}
	for i := range run.Experiments {
		e := &run.Experiments[i]
		s := newSection(run, e, i)
		p.Experiments = append(p.Experiments, s)
		if f := cleanAll(e.Findings); len(f) > 0 {
			p.Summary = append(p.Summary, summary{s.ID, s.Title, f})
		}
	}
	return p
}

func newSection(run *result.Run, e *result.Experiment, n int) section {
	s := section{
		ID:         fmt.Sprintf("experiment-%d", n+1),
		Name:       clean(e.Name),
		Title:      clean(e.Title),
		About:      text.Glue(clean(e.About)),
		Sources:    sources(e),
		Unfinished: unfinished(run, e),
		Notes:      cleanAll(e.Notes),
		Count:      len(e.Series),
	}
	if s.Title == "" {
		s.Title = s.Name
	}
	s.Control, s.ControlWarns = controls(e)
	all := rows(e)
	s.Folded = len(all) > foldAbove
	for i, r := range all {
		if i == 0 || r.Group != all[i-1].Group {
			s.Groups = append(s.Groups, nil)
		}
		s.Groups[len(s.Groups)-1] = append(s.Groups[len(s.Groups)-1], r)
		s.HasReference = s.HasReference || r.Reference != ""
		s.HasComparison = s.HasComparison || r.Ratio != "" || r.Base
		if s.Folded && r.Missing != "" {
			s.Missing = append(s.Missing, r)
		}
	}
	for i := range e.Charts {
		s.Charts = append(s.Charts, newFigure(&e.Charts[i]))
	}
	return s
}

func cleanAll(in []string) []string {
	var out []string
	for _, s := range in {
		if s = clean(s); s != "" {
			out = append(out, text.Glue(s))
		}
	}
	return out
}
