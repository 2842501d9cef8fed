package explain

import (
	_ "embed"
	"html/template"
	"io"

	"github.com/seamgo/seam/cmd/seam/internal/chart"
	"github.com/seamgo/seam/cmd/seam/internal/htmlpage"
	"github.com/seamgo/seam/cmd/seam/internal/text"
)

//go:embed page.html
var pageSource string

//go:embed page.css
var pageStyle string

var pageKind = htmlpage.New(chart.Template+pageSource, chart.Style+pageStyle, template.FuncMap{
	"number":    func(i int) int { return i + 1 },
	"printable": text.Printable,
	"isLast":    func(i int, t *Table) bool { return t.Last && i == len(t.Rows)-1 },
})

// WriteHTML writes what is explained as one page that needs nothing else: no
// script, no network, and the same bytes for the same explanation.
func (d *Doc) WriteHTML(w io.Writer) error {
	return pageKind.Write(w, d)
}
