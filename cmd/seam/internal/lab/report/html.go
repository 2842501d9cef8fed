package report

import (
	_ "embed"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/chart"
	"github.com/seamgo/seam/cmd/seam/internal/htmlpage"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
	"github.com/seamgo/seam/cmd/seam/internal/stats"
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
	On          string    // the machine in a line
	Do          []section // those that recommend something, a few
	Headlines   []headline
	First       *figure // the first chart of all
	Experiments []section
	Confidence  string // of medians
	Proof       string // of ratios
}

// A section is one experiment.
type section struct {
	ID, Name, Title, About string
	Unfinished             string
	Advice                 string   // what to do
	Verdict                string   // the first finding
	Findings               []string // the others
	Charts                 []figure // the first, unless it is the first of all
	More                   []figure
	Groups                 [][]row
	Further                *htmlpage.Figures
	Count                  int
	HasReference           bool
	HasComparison          bool
	Control, ControlWarns  string
	Notes                  []string
	Sources                []source
}

// A source of published figures.
type source struct{ Cite, Setting, URL string }

// topHeadlines is how many figures stand above everything else.
const topHeadlines = 6

func newPage(run *result.Run) page {
	p := page{
		Machine:    machineFacts(run.Machine),
		Run:        runFacts(run),
		Warnings:   warnings(run),
		Proof:      strconv.FormatFloat(100*stats.Proof, 'g', 3, 64) + " %",
		Confidence: strconv.FormatFloat(100*result.Confidence, 'g', 3, 64) + " %",
	}
	if !run.Started.IsZero() {
		p.Started = run.Started.UTC().Format("2 January 2006")
	}
	for i := range run.Experiments {
		e := &run.Experiments[i]
		if run.Interrupted && !begun(e) {
			continue // a warning names it
		}
		s := newSection(run, e, i)
		if p.First == nil && len(s.Charts) > 0 {
			p.First, s.Charts = &s.Charts[0], nil
		}
		p.Experiments = append(p.Experiments, s)
	}
	for _, s := range p.Experiments {
		if s.Advice != "" && len(p.Do) < topAdvice {
			p.Do = append(p.Do, s)
		}
	}
	p.On = text.Glue(clean(onWhat(run)))
	p.Headlines = headlines(run, topHeadlines)
	return p
}

// topAdvice is how many recommendations stand above the fold.
const topAdvice = 5

// onWhat is the machine, the Go version and the length of a run in a line.
func onWhat(run *result.Run) string {
	m := run.Machine
	var words []string
	for _, s := range []string{m.CPU, quantity.Plural(m.Cores, "processor", "processors"), m.Go + " " + m.GOOS + "/" + m.GOARCH, run.Mode + " run of " + quantity.Plural(run.Rounds, "process", "processes")} {
		if strings.TrimSpace(s) != "" {
			words = append(words, s)
		}
	}
	return strings.Join(words, ", ")
}

func newSection(run *result.Run, e *result.Experiment, n int) section {
	s := section{
		ID:         fmt.Sprintf("experiment-%d", n+1),
		Name:       clean(e.Name),
		Title:      clean(e.Title),
		About:      text.Glue(clean(e.About)),
		Unfinished: unfinished(run, e),
		Notes:      cleanAll(e.Notes),
		Count:      len(e.Series),
	}
	if s.Title == "" {
		s.Title = s.Name
	}
	s.Advice = text.Glue(clean(e.Advice))
	s.Control, s.ControlWarns = controls(e)
	if f := cleanAll(e.Findings); len(f) > 0 {
		s.Verdict, s.Findings = f[0], f[1:]
	}
	for i := range e.Sources {
		src := e.Sources[i]
		at := source{Setting: clean(src.Setting()), URL: address(src.URL)}
		src.Year, src.Go, src.Machine, src.URL = "", "", "", ""
		at.Cite = clean(src.Cite())
		s.Sources = append(s.Sources, at)
	}
	if list := further(e); len(list) > 0 {
		s.Further = &htmlpage.Figures{Head: furtherHead, Rows: list}
	}
	all := rows(e)
	for i, r := range all {
		if i == 0 || r.Group != all[i-1].Group {
			s.Groups = append(s.Groups, nil)
		}
		s.Groups[len(s.Groups)-1] = append(s.Groups[len(s.Groups)-1], r)
		s.HasReference = s.HasReference || r.Reference != ""
		s.HasComparison = s.HasComparison || r.Ratio != "" || r.Base
	}
	for i := range e.Charts {
		f := newFigure(&e.Charts[i])
		switch {
		case len(s.Charts) == 0 && f.Scenes != nil:
			s.Charts = append(s.Charts, f)
		default:
			s.More = append(s.More, f)
		}
	}
	return s
}

// address is that of a source if it is one of the web.
func address(url string) string {
	if strings.HasPrefix(url, "https://") || strings.HasPrefix(url, "http://") {
		return clean(url)
	}
	return ""
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
