package trial

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/chart"
	"github.com/seamgo/seam/cmd/seam/internal/htmlpage"
)

//go:embed page.html
var pageSource string

var pageKind = htmlpage.New(chart.Template+pageSource, chart.Style+"main { max-width: 900px; }\n", template.FuncMap{})

type page struct {
	Command, Verdict string
	Caveats          []string
	Lead             string
	Scenes           []chart.Scene
	Legend           []chart.Item
	Figures          htmlpage.Figures
	Notes            []string
}

// WriteHTML writes the result as one page that needs nothing else.
func (r *Result) WriteHTML(w io.Writer, m Made) error {
	bars := &chart.Bars{Name: "speedup by welding", Unit: "×"}
	p := page{Command: strings.Join(r.Command, " "), Verdict: r.proven(), Caveats: r.Caveats("measure again for longer"), Lead: r.head(), Notes: r.notes()}
	for _, row := range r.Rows {
		s := speedup(row.Comparison)
		bars.Bars = append(bars.Bars, chart.Bar{Label: r.label(row), Value: s.Ratio, Lo: s.Lo, Hi: s.Hi, Reference: 1, ReferenceTip: "as fast as before"})
	}
	p.Figures.Head, p.Figures.Rows = r.table()
	p.Notes = append(p.Notes, fmt.Sprintf("%s, %s/%s, %s, %s, seam %s", m.CPU, m.OS, m.Arch, m.Go, m.Time.Format("2006-01-02 15:04 MST"), m.Seam))
	p.Legend, p.Scenes = bars.Legend("interval", "as fast as before"), chart.Draw(bars, pictureWidth)
	return pageKind.Write(w, p)
}

// pictureWidth is the room for a picture on a wide page.
const pictureWidth = 720
