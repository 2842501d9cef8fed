package view

import (
	_ "embed"
	"html/template"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/chart"
	"github.com/seamgo/seam/cmd/seam/internal/htmlpage"
	"github.com/seamgo/seam/cmd/seam/internal/stack/report"
)

// HTMLOptions are options of the page.
type HTMLOptions struct {
	Dir string // files below it are shown relative to it; "" for none
}

//go:embed page.html
var pageSource string

//go:embed page.css
var pageStyle string

var pageKind = htmlpage.New(chart.Template+pageSource, chart.Style+pageStyle, template.FuncMap{
	"glue": glue,
})

var numberUnit = regexp.MustCompile(`(\d) ((?:ns|µs|ms|s|B|KB|MB|GB|TB)\b)`)

// glue keeps numbers and their units on one line.
func glue(s string) string { return numberUnit.ReplaceAllString(s, "$1\u00a0$2") }

// How much of each part the page has; a JSON report has all.
const (
	openSites = 12
	pageSites = 300
	pageRows  = 300
	pageNodes = 400
)

// pictureWidth is the room for a picture on a wide page.
const pictureWidth = 852

// A page is what the template shows.
type page struct {
	Kicker, Command string
	Lead            string
	More, Warnings  []string
	Overflows       []string
	Little          bool // there is little to gain from what is to fix
	Fix             []fix
	Facts           [2][]pageFact
	Processes       []string

	TimeStep       string
	Timeline       []chart.Scene
	TimelineTable  htmlpage.Figures
	TreeBy         string
	Tree           []chart.Scene
	Legend         []chart.Item
	Branches       []pageBranch
	Steps          []pageStep
	Sites, Rest    []pageSite
	SitesLeft      int
	Chains         []pageChains
	ChainsLeft     int
	Tables         []pageTable
	ProcessesLeft  int
	Timed, HasGrew bool
	Footer         string
}

type pageFact struct{ Name, Value string }

// A fix is a site worth changing, and how.
type fix struct {
	Site        int
	Name, Words string
	Figures     string
}

type pageBranch struct {
	Depth                int
	Words                string
	Growths, Time, Bytes string
}

type pageStep struct {
	Step, Count, Copied, Time, Mean, Longest, Rate, Share string
	Bar                                                   string // of 100
}

type pageSite struct {
	N             int
	Name, Full    string
	Frame, Share  string
	Caller, Where string
	Figures       string
	Advice        []string
	Steps         []pageStep
	Entries       []string
	CallerAll     string
	Timed         bool
}

type pageChains struct {
	Entry string
	Rows  [][]string
}

type pageTable struct {
	Title, About string
	htmlpage.Figures
}

// HTML writes the report as one page that needs nothing else: no script, no network, and
// the same bytes for the same report.
func HTML(w io.Writer, f *report.File, o HTMLOptions) error {
	return pageKind.Write(w, newPage(f, names{dir: o.Dir}))
}

func newPage(f *report.File, n names) *page {
	f = ranked(f)
	s := sum(f)
	words := totals(f, s)
	p := &page{
		Kicker: strings.Join(some("seam stack trace", clean(f.Go), clean(f.OS), clean(f.Arch)), " · "), Command: subject(f),
		Lead: words[0], More: words[1:], Warnings: warnings(f), Timed: f.Growth.Time > 0, Little: little(f, s), HasGrew: f.Growth.Count > 0, Footer: footer,
	}
	all := facts(f)
	for i, x := range all {
		side := 0
		if i >= (len(all)+1)/2 {
			side = 1
		}
		p.Facts[side] = append(p.Facts[side], pageFact{x.name, x.value})
	}
	for i := range f.Processes[:min(len(f.Processes), pageRows)] {
		p.Processes = append(p.Processes, processWords(&f.Processes[i]))
	}
	for i := range f.Overflows[:min(len(f.Overflows), pageRows)] {
		p.Overflows = append(p.Overflows, overflowWords(&f.Overflows[i], n))
	}
	p.ProcessesLeft = len(f.Processes) - len(p.Processes)
	p.charts(f, n)
	p.steps(f, s)
	p.sites(f, n)
	p.chains(f, n)
	p.tables(f)
	return p
}

// some are those that are not empty.
func some(list ...string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return s == "" })
}

func (p *page) charts(f *report.File, n names) {
	if t := &f.Timeline; t.Step > 0 && len(t.Spans) > 0 {
		p.TimeStep = moment(t.Step)
		p.Timeline = chart.Draw(timeline(t), pictureWidth)
		p.TimelineTable = htmlpage.Figures{Head: []string{"from", "new", "growths", "shrinks", "copied", "time", "all stacks", "largest grown"}, Rows: timelineRows(t)}
	}
	if len(f.Tree) == 0 || f.Growth.Count == 0 {
		return
	}
	p.TreeBy = weightName(f)
	p.Legend = legend(f)
	p.Tree = chart.Draw(flame(f, n), pictureWidth)
	walk(largest(f, pageNodes), 0, func(b, parent *branch, depth int) {
		if b.node == nil {
			p.Branches = append(p.Branches, pageBranch{Depth: min(depth, 24), Words: "in smaller branches", Growths: count(b.hidden)})
			return
		}
		p.Branches = append(p.Branches, pageBranch{min(depth, 24), branchWords(b.node, parent.node, n), count(b.node.Count), duration(b.node.Time), size(b.node.Copied)})
	})
}

func (p *page) steps(f *report.File, s figures) {
	of := weigh(f)
	p.Steps = stepRows(s.steps, of, of(f.Growth))
	if o := s.others; o.Count > 0 && len(p.Steps) > 0 {
		p.Steps = append(p.Steps, pageStep{"others", count(o.Count), size(o.Copied), duration(o.Time), mean(o), "", per(o.Copied, o.Time), percent(of(o), of(f.Growth)), "0"})
	}
}

// stepRows are growths by size, with a bar for their share of the whole.
func stepRows(list []report.Step, of func(report.Totals) int64, whole int64) []pageStep {
	var rows []pageStep
	most := int64(0)
	for _, s := range list {
		most = max(most, of(s.Totals))
	}
	for _, s := range list {
		bar := 0.0
		if most > 0 {
			bar = 100 * float64(max(0, of(s.Totals))) / float64(most)
		}
		rows = append(rows, pageStep{step(s.From, s.To), count(s.Count), size(s.Copied), duration(s.Time), mean(s.Totals), duration(s.Longest), per(s.Copied, s.Time), percent(of(s.Totals), whole), chart.Px(bar)})
	}
	return rows
}

func (p *page) sites(f *report.File, n names) {
	advice := advise(f, n)
	of := weigh(f)
	for i := range f.Sites {
		if i == pageSites {
			p.SitesLeft = len(f.Sites) - i
			break
		}
		s := &f.Sites[i]
		v := pageSite{N: i + 1, Name: n.function(s.Callee), Full: clean(s.Callee.Func), Share: percent(of(s.Totals), of(f.Growth)),
			Caller: n.function(s.Caller), CallerAll: clean(s.Caller.Func), Where: n.where(s.Caller), Figures: siteWords(s, f), Steps: stepRows(s.Steps, of, of(s.Totals)), Timed: p.Timed}
		if s.Frame > 0 {
			v.Frame = size(s.Frame)
		}
		for _, a := range advice[i] {
			v.Advice = append(v.Advice, a.words())
		}
		for _, e := range s.Entries {
			v.Entries = append(v.Entries, n.entry(e)+": "+times(e.Count))
		}
		if len(p.Sites) < openSites && (worth(advice[i]) || len(f.Sites) <= fewSites) {
			p.Sites = append(p.Sites, v)
		} else {
			p.Rest = append(p.Rest, v)
		}
		if len(p.Fix) < fixesShown && worth(advice[i]) && !repeats(advice[i]) {
			figures := plural(s.Count, "growth")
			if s.Time > 0 {
				figures += ", " + duration(s.Time)
			}
			p.Fix = append(p.Fix, fix{v.N, v.Name, advice[i][0].words(), figures})
		}
	}
}

func (p *page) chains(f *report.File, n names) {
	list := f.Chains[:min(len(f.Chains), pageRows)]
	p.ChainsLeft = len(f.Chains) - len(list)
	for _, g := range groupChains(list) {
		c := pageChains{Entry: n.entry(g[0].Entry)}
		for _, x := range g {
			c.Rows = append(c.Rows, []string{chain(x.Sizes, 80), count(x.Goroutines), count(x.Count), duration(x.Time), size(x.Copied)})
		}
		p.Chains = append(p.Chains, c)
	}
}

func (p *page) tables(f *report.File) {
	add := func(title, about string, rows [][]string, head ...string) {
		if len(rows) > 0 {
			p.Tables = append(p.Tables, pageTable{title, about, htmlpage.Figures{Head: head, Rows: rows}})
		}
	}
	var shrinks [][]string
	for _, s := range f.Shrinks {
		shrinks = append(shrinks, stepCells(step(s.From, s.To), s.Totals))
	}
	add("Shrinks", "The garbage collector halves a stack that is less than a quarter full.", shrinks, "step", "shrinks", "copied", "time", "mean", "longest")
	add("Stacks allocated", "By size. New ones are for goroutines and threads; the others are what stacks were copied to.", sizeRows(f), "size", "allocated", "new", "grown to", "shrunk to", "freed", "most at once")
	add("Refills of stack caches", "Each P caches small stacks. It takes more from the shared pool (a refill) and gives surplus ones back (a release).", refillRows(f), "size", "refills", "releases")
}
