package memory

import (
	"cmp"
	_ "embed"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/chart"
	"github.com/seamgo/seam/cmd/seam/internal/htmlpage"
	"github.com/seamgo/seam/cmd/seam/internal/memory/account"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
)

var (
	//go:embed page.html
	pageBody string
	//go:embed page.css
	pageStyle string
)

var page = htmlpage.New(chart.Template+pageBody, chart.Style+pageStyle, nil)

// pictureWidth is the room of a screen.
const pictureWidth = 1060

// WriteHTML writes a page with the account and, of more than one look, the parts over time.
func (r *Report) WriteHTML(w io.Writer) error {
	table := htmlpage.Figures{Head: []string{"", "now", "of RSS", "grew", "pieces"}}
	row := func(what string, n, before uint64, how string) {
		table.Rows = append(table.Rows, []string{quantity.Printable(what), size(n), fmt.Sprintf("%.1f %%", 100*float64(n)/float64(max(1, r.Last.RSS))), change(int64(n) - int64(before)), how})
	}
	for _, k := range r.kinds() {
		row(k.String(), k.now, k.before, r.about(k))
		for _, p := range k.parts {
			if len(k.parts) > 1 {
				row("– "+cmp.Or(p.Owner, "not known"), p.Bytes, before(r.First, p), number(p))
			}
		}
	}
	row("RSS", r.Last.RSS, r.First.RSS, "")
	judged := ""
	if r.Verdict != nil {
		judged = r.Judged()
	}
	command := fmt.Sprintf("process %d, %s", r.Last.PID, r.Last.Exe)
	if len(r.Command) > 0 {
		command = strings.Join(r.Command, " ")
	}
	var timeline []chart.Scene
	if len(r.Samples) > 1 {
		timeline = chart.Draw(r.timeline(), pictureWidth)
	}
	return page.Write(w, struct {
		Name, Sentence, Judged, Command string
		Notes                           []string
		Timeline                        []chart.Scene
		Heaps                           []arena
		Table                           htmlpage.Figures
	}{quantity.Printable(filepath.Base(r.Last.Exe)), r.Sentence(), judged, quantity.Printable(command), r.Last.Notes, timeline, r.arenas(), table})
}

// An arena is a line of the page's map: a heap of malloc's, and the classes of its cells.
type arena struct {
	Says  string
	Cells []string
}

// mostArenas are drawn, those with the most bytes.
const mostArenas = 32

func (r *Report) arenas() (list []arena) {
	heaps := slices.Clone(r.Last.Heaps)
	slices.SortStableFunc(heaps, func(a, b account.Heap) int { return cmp.Compare(b.Used+b.Free, a.Used+a.Free) })
	for _, h := range heaps[:min(mostArenas, len(heaps))] {
		a := arena{Says: fmt.Sprintf("%s at %#x: %s, %s handed out, %s kept free", strings.TrimPrefix(h.Owner, "the "), h.At, size(h.Size), size(h.Used), size(h.Free))}
		for _, c := range h.Map {
			class := "none"
			switch {
			case c >= '9':
				class = "full"
			case c >= '5':
				class = "most"
			case c >= '1':
				class = "some"
			case c == '0':
				class = "free"
			}
			a.Cells = append(a.Cells, class)
		}
		list = append(list, a)
	}
	return list
}

// timeline is RSS and each kind, in steps of equal length: looks may be less evenly spaced.
func (r *Report) timeline() *chart.Timeline {
	n := min(len(r.Samples), 2*mostSamples)
	end := r.Samples[len(r.Samples)-1].NS
	steps := make([]*Sample, n)
	at := 0
	for i := range steps {
		for at+1 < len(r.Samples) && r.Samples[at+1].NS <= end/int64(n)*int64(i+1) {
			at++
		}
		steps[i] = &r.Samples[at]
	}
	steps[n-1] = &r.Samples[len(r.Samples)-1]
	c := &chart.Timeline{Name: "Resident memory over time, by kind; the table below has the last step's figures", Step: float64(end) / float64(n)}
	for _, s := range steps {
		var words []string
		for _, k := range account.Kinds {
			if v := s.Kinds[k]; v > 0 {
				words = append(words, size(v)+" "+k.String())
			}
		}
		c.Tips = append(c.Tips, fmt.Sprintf("%s: RSS %s: %s", time.Duration(s.NS).Round(time.Second/100), size(s.RSS), strings.Join(words, ", ")))
	}
	add := func(name string, height float64, colour int, of func(*Sample) uint64) {
		p := chart.Panel{Name: name, Class: "area " + chart.Colour(colour), Height: height, Area: true, Rounding: chart.Binary, Tick: func(v float64) string { return size(uint64(max(0, v))) }}
		for _, s := range steps {
			p.Values = append(p.Values, float64(of(s)))
		}
		c.Panels = append(c.Panels, p)
	}
	add("RSS", 110, 0, func(s *Sample) uint64 { return s.RSS })
	for i, k := range account.Kinds {
		add(k.String(), 44, i+1, func(s *Sample) uint64 { return s.Kinds[k] })
	}
	return c
}
