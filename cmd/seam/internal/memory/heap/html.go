package heap

import (
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/chart"
	"github.com/seamgo/seam/cmd/seam/internal/htmlpage"
	"github.com/seamgo/seam/cmd/seam/internal/memory"
	"github.com/seamgo/seam/cmd/seam/internal/prof"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
)

var (
	//go:embed page.html
	pageBody string
	//go:embed page.css
	pageStyle string
)

var page = htmlpage.NewWithScript(prof.FlameTemplate+chart.Template+pageBody, prof.FlameStyle+chart.Style+pageStyle, prof.FlameScript, nil)

// pictureWidth is the room of a screen, and inTable how many stacks the page's table has: the graph
// has all.
const pictureWidth, inTable = 1060, 50

// WriteHTML writes a page with a flame graph of what is live, was live at the peak, has grown or was
// allocated, and with what was live over time.
func (r *Report) WriteHTML(w io.Writer) error {
	table := htmlpage.Figures{Head: []string{"by", "live", "blocks", "grew", "at peak", "allocated", "temporary", ""}}
	for _, p := range r.Sites[:min(inTable, len(r.Sites))] {
		what := string(p.Class)
		if p.Mapped {
			what = "mmap"
		}
		table.Rows = append(table.Rows, []string{quantity.Printable(p.String()), size(p.Live), fmt.Sprint(p.LiveObjects), size(p.Grew), size(p.Peak), size(p.Bytes),
			fmt.Sprintf("%.0f %%", 100*float64(p.ShortObjects)/float64(max(1, p.Objects))), what})
	}
	account := ""
	if r.Account != nil {
		account = r.Account.Sentence()
	}
	command := fmt.Sprintf("process %d, %s", r.PID, r.Exe)
	if len(r.Command) > 0 {
		command = strings.Join(r.Command, " ")
	}
	var timeline []chart.Scene
	if len(r.Samples) > 1 {
		timeline = chart.Draw(r.timeline(), pictureWidth)
	}
	p := r.Profile()
	return page.Write(w, struct {
		Name, Sentence, Judged, Account, Command string
		Notes                                    []string
		Sides                                    []prof.Side
		Graph                                    prof.Graph
		Timeline                                 []chart.Scene
		Table                                    htmlpage.Figures
	}{quantity.Printable(base(r.Exe)), r.Sentence(), r.judged(), account, quantity.Printable(command), r.Notes, p.SidesOf(), r.graph(), timeline, table})
}

// timeline is what was live, and RSS where it was looked at, in steps of equal length.
func (r *Report) timeline() *chart.Timeline {
	n := min(len(r.Samples), 2*mostLooks)
	from, end := r.Samples[0].NS, r.Samples[len(r.Samples)-1].NS
	c := &chart.Timeline{Name: "What C has allocated and not freed, over time", Step: float64(end-from) / float64(n)}
	live := chart.Panel{Name: "live", Class: "area " + chart.Colour(0), Height: 110, Area: true, Rounding: chart.Binary, Tick: func(v float64) string { return size(int64(max(0, v))) }}
	at := 0
	for i := range n {
		for at+1 < len(r.Samples) && r.Samples[at+1].NS-from <= (end-from)/int64(n)*int64(i+1) {
			at++
		}
		if i == n-1 {
			at = len(r.Samples) - 1
		}
		s := r.Samples[at]
		live.Values = append(live.Values, float64(max(0, s.Live)))
		c.Tips = append(c.Tips, fmt.Sprintf("%s: %s live", time.Duration(s.NS).Round(time.Second/100), size(s.Live)))
	}
	c.Panels = append(c.Panels, live)
	if a := r.Account; a != nil && len(a.Samples) > 1 {
		rss := live
		rss.Name, rss.Class, rss.Values = "RSS", "area "+chart.Colour(1), nil
		for i := range n {
			ns := a.Samples[len(a.Samples)-1].NS / int64(n) * int64(i+1)
			k, _ := slices.BinarySearchFunc(a.Samples, ns, func(s memory.Sample, ns int64) int { return int(min(1, max(-1, s.NS-ns))) })
			rss.Values = append(rss.Values, float64(a.Samples[min(k, len(a.Samples)-1)].RSS))
		}
		c.Panels = append(c.Panels, rss)
	}
	return c
}
