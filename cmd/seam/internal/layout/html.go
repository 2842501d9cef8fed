package layout

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"

	"github.com/seamgo/seam/cmd/seam/internal/chart"
	"github.com/seamgo/seam/cmd/seam/internal/htmlpage"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
)

//go:embed page.html
var pageSource string

//go:embed page.css
var pageStyle string

var pageKind = htmlpage.New(chart.Template+pageSource, chart.Style+pageStyle, template.FuncMap{
	"clean":  clean,
	"plural": quantity.Plural[int],
})

// A htmlSide is a side as the page shows it.
type htmlSide struct {
	Name string
	*Side
	Map chart.Bytes
}

type htmlPair struct {
	*Result
	Sides []htmlSide
}

// WriteHTML writes the report as one page that needs nothing else: no script, no
// network, and the same bytes for the same report.
func (r *Report) WriteHTML(w io.Writer) error {
	page := struct {
		*Report
		Shown []htmlPair
	}{Report: r}
	for i := range r.Pairs {
		p := &r.Pairs[i]
		page.Shown = append(page.Shown, htmlPair{p, []htmlSide{
			{"Go", &p.Go, p.Go.byteMap("Go", r.Line)}, {"C", &p.C, p.C.byteMap("C", r.Line)},
		}})
	}
	return pageKind.Write(w, page)
}

// colours is how many colours the fields share.
const colours = 6

func (s *Side) byteMap(language string, line int64) chart.Bytes {
	m := chart.Bytes{Name: fmt.Sprintf("The bytes of %s in %s, in rows of eight", clean(s.Type), language)}
	for _, r := range s.rows(line) {
		row := chart.ByteRow{Offset: r.Offset, Line: r.Line, Gap: r.Gap}
		for _, c := range r.Cells {
			cell := chart.ByteCell{Span: c.Span, Class: "padding", Tip: "padding, " + bytesOf(int64(c.Span))}
			if c.Field >= 0 {
				mark, name := c.Field, clean(s.Type)
				cell.Tip = name
				if c.Field < len(s.Fields) {
					f := &s.Fields[c.Field]
					mark, name = f.mark, clean(f.Name)
					cell.Tip = fmt.Sprintf("%s %s, %s at %d", name, clean(f.Type), bytesOf(f.Size), f.Offset)
				}
				cell.Class = fmt.Sprintf("f%d", mark%colours)
				cell.Label = s.Letter(c.Field)
				if c.First && c.Span >= 2 {
					cell.Label = name
				}
			}
			row.Cells = append(row.Cells, cell)
		}
		m.Rows = append(m.Rows, row)
	}
	return m
}
