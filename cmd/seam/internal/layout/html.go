package layout

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"

	"github.com/seamgo/seam/cmd/seam/internal/htmlpage"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
)

//go:embed page.html
var pageSource string

//go:embed page.css
var pageStyle string

var pageKind = htmlpage.New(pageSource, pageStyle, template.FuncMap{
	"clean":  clean,
	"plural": quantity.Plural[int],
})

// Letter is a field's in the picture.
func (s htmlSide) Letter(i int) string { return s.letter(i) }

// A htmlSide is a side as the page shows it.
type htmlSide struct {
	Name string
	*Side
	Rows []htmlRow
}

type htmlRow struct {
	row
	Cells []htmlCell
	Rest  int // bytes of the row behind the end
}

type htmlCell struct {
	Span         int
	Class, Label string
	Title        string
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
			{"Go", &p.Go, p.Go.htmlRows(r.Line)}, {"C", &p.C, p.C.htmlRows(r.Line)},
		}})
	}
	return pageKind.Write(w, page)
}

// colours is how many colours fields take turns with.
const colours = 6

func (s *Side) htmlRows(line int64) []htmlRow {
	var list []htmlRow
	for _, r := range s.rows(line) {
		h := htmlRow{row: r, Rest: rowBytes}
		for _, c := range r.Cells {
			h.Rest -= c.Span
			cell := htmlCell{Span: c.Span, Class: "padding", Title: fmt.Sprintf("padding, %s", bytesOf(int64(c.Span)))}
			if c.Field >= 0 {
				mark := c.Field
				if c.Field < len(s.Fields) {
					mark = s.Fields[c.Field].mark
				}
				cell.Class = fmt.Sprintf("f%d", mark%colours)
				name := s.Type
				if c.Field < len(s.Fields) {
					f := &s.Fields[c.Field]
					name = f.Name
					cell.Title = fmt.Sprintf("%s %s, %s at %d", clean(f.Name), clean(f.Type), bytesOf(f.Size), f.Offset)
				} else {
					cell.Title = clean(s.Type)
				}
				cell.Label = s.letter(c.Field)
				if c.First && c.Span >= 2 {
					cell.Label = clean(name)
				}
			}
			h.Cells = append(h.Cells, cell)
		}
		list = append(list, h)
	}
	return list
}
