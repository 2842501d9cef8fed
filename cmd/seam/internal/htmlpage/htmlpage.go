// Package htmlpage writes the pages of verbs. A page needs nothing else: no script, no
// network, and the same bytes for the same data.
package htmlpage

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
)

//go:embed page.html
var source string

//go:embed page.css
var style string

// Figures is a table for the template "figures": its first column is names, the others
// are numbers. All rows are as long as Head, if there is one.
type Figures struct {
	Class string
	Head  []string
	Rows  [][]string
}

// A Page is a kind of page.
type Page struct{ template *template.Template }

// New makes a kind of page. The body is what stands in main, and defines the template
// "title"; it may show [Figures] by the template of that name. The style sheet is put behind the one that all pages have. Both must be part of this program: only what they show is
// escaped.
func New(body, styles string, funcs template.FuncMap) *Page {
	t := template.New("page").Funcs(funcs).Funcs(template.FuncMap{
		"style": func() template.CSS { return template.CSS(style + styles) },
	})
	template.Must(t.Parse(source))
	template.Must(t.New("body").Parse(body))
	return &Page{t}
}

// Write writes a page that shows data; nothing, if it can't be shown.
func (p *Page) Write(w io.Writer, data any) error {
	var b bytes.Buffer
	if err := p.template.Execute(&b, data); err != nil {
		return fmt.Errorf("html page: %w", err)
	}
	_, err := w.Write(b.Bytes())
	return err
}
