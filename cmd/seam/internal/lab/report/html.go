package report

import (
	_ "embed"
	"fmt"
	"io"
	"strconv"

	"github.com/seamgo/seam/cmd/seam/internal/htmlpage"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
	"github.com/seamgo/seam/cmd/seam/internal/text"
)

//go:embed page.html
var pageSource string

//go:embed page.css
var pageStyle string

var pageKind = htmlpage.New(pageSource, pageStyle, nil)

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
	Charts                 []chart
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

// A chart is a drawn result.Chart.
type chart struct {
	Title, Caption string
	Scenes         []htmlpage.Scene
	Empty          bool // nothing in it can be drawn
	Interval, Ref  bool // what the legend of a bar chart explains
	Log            bool
	Legend         []legend
	PartHead       []string
	Parts          []partRow
	Table          *grid
}

// A legend names a line, where there is no room to do it at the line's end.
type legend struct {
	Label string
	Key   htmlpage.Scene
}

// A grid is a table of numbers with rows of equal length.
type grid struct {
	Head []string
	Rows [][]string
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
		s.Charts = append(s.Charts, newChart(&e.Charts[i]))
	}
	return s
}

func newChart(c *result.Chart) chart {
	v := chart{Title: clean(c.Title), Caption: text.Glue(clean(c.Caption))}
	switch c.Kind {
	case result.Bars:
		v.Empty = len(c.Bars) == 0
		for _, b := range c.Bars {
			v.Interval = v.Interval || whiskered(b.Lo, b.Hi)
			v.Ref = v.Ref || quantity.Usable(b.Reference) && b.Reference > 0
		}
		v.Log = barAxis(barValues(c), 0, 1).log
		for _, f := range frames {
			v.Scenes = append(v.Scenes, drawBars(c, f))
		}
	case result.Stacked:
		v.Empty = len(c.Stacks) == 0
		v.PartHead, v.Parts = partTable(c)
		for _, f := range frames {
			v.Scenes = append(v.Scenes, drawStacked(c, f))
		}
	case result.Lines:
		for _, f := range frames {
			s, ok := drawLines(c, f)
			v.Empty = !ok
			v.Scenes = append(v.Scenes, s)
		}
		for i, l := range c.Lines {
			if len(positives(l)) > 0 {
				v.Legend = append(v.Legend, lineKey(i, l))
			}
		}
	case result.Grid:
		v.Table = newTable(c.Table)
		v.Empty = v.Table == nil
	case result.Flame:
		v.Empty = !flammable(c.Profile)
		if !v.Empty {
			v.PartHead, v.Parts = flameTable(c.Profile)
			for _, f := range frames {
				v.Scenes = append(v.Scenes, drawFlame(c, f))
			}
		}
	default:
		v.Empty = true
	}
	if v.Empty {
		v.Scenes = nil
	}
	return v
}

// lineKey draws the sample of a line that stands in a legend.
func lineKey(n int, l result.Line) legend {
	n = look(n, l)
	s := htmlpage.Scene{Class: "key", W: "28", H: "12"}
	class := "curve " + colour(n)
	if l.Dashed {
		class += " dashed"
	}
	s.Line(class, 1, 6, 27, 6)
	marker(&s, n, "point "+colour(n), "", 14, 6)
	return legend{clean(l.Label), s}
}

// newTable makes a rectangle of a table; nil where there is nothing in it.
func newTable(t *result.Table) *grid {
	if t == nil || len(t.Rows) == 0 {
		return nil
	}
	width := len(t.Head)
	for _, r := range t.Rows {
		width = max(width, len(r))
	}
	out := &grid{}
	if len(t.Head) > 0 {
		out.Head = padded(t.Head, width)
	}
	for _, r := range t.Rows {
		out.Rows = append(out.Rows, padded(r, width))
	}
	return out
}

func padded(cells []string, width int) []string {
	out := make([]string, width)
	for i, c := range cells {
		out[i] = clean(c)
	}
	return out
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
