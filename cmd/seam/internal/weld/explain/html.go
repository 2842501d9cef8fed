package explain

import (
	"bufio"
	_ "embed"
	"fmt"
	"html/template"
	"io"

	"github.com/seamgo/seam/cmd/seam/internal/lab/report"
)

//go:embed page.html
var pageSource string

//go:embed page.css
var pageStyle string

// The style sheets are part of this program, so they may be put in as they are.
// All else that the page shows is escaped by html/template.
var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
	"style":     func() template.CSS { return template.CSS(report.Style() + pageStyle) },
	"number":    func(i int) int { return i + 1 },
	"printable": printable,
	"isLast":    func(i int, t *Table) bool { return t.Last && i == len(t.Rows)-1 },
	"empty": func(r ByteRow) int { // bytes after the struct's end
		n := 8
		for _, c := range r.Cells {
			n -= c.Span
		}
		return n
	},
}).Parse(pageSource))

// WriteHTML writes what is explained as one page that needs nothing else: no
// script, no network, and the same bytes for the same explanation.
func (d *Doc) WriteHTML(w io.Writer) error {
	b := bufio.NewWriter(w)
	if err := pageTemplate.Execute(b, d); err != nil {
		return fmt.Errorf("html page: %w", err)
	}
	return b.Flush()
}
