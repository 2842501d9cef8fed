// Package htmlpage writes the HTML pages of verbs. A page is one file that needs no
// network, and has the same bytes for the same data. It has a script only where nobody could
// find a way in its figures without.
package htmlpage

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
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

// New makes a kind of page. The body is what main holds, and defines the template
// "title"; it may use "figures" for [Figures], and "notes" for a list of strings. The
// style sheet follows the one that all pages have. Both must be part of this program:
// only what they show is escaped.
func New(body, styles string, funcs template.FuncMap) *Page {
	return NewWithScript(body, styles, "", funcs)
}

// NewWithScript is New with a script, which is run when the page is there. It must be part of
// this program too. No other script can run: the page names its hash.
func NewWithScript(body, styles, script string, funcs template.FuncMap) *Page {
	t := template.New("page").Funcs(funcs).Funcs(template.FuncMap{
		"style":  func() template.CSS { return template.CSS(style + styles) },
		"script": func() template.JS { return template.JS(script) },
		"scriptHash": func() string {
			if script == "" {
				return ""
			}
			sum := sha256.Sum256([]byte(script))
			return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
		},
	})
	template.Must(t.Parse(source))
	template.Must(t.New("body").Parse(body))
	return &Page{t}
}

// Write writes a page that shows data, or nothing if that fails.
func (p *Page) Write(w io.Writer, data any) error {
	var b bytes.Buffer
	if err := p.template.Execute(&b, data); err != nil {
		return fmt.Errorf("html page: %w", err)
	}
	_, err := w.Write(b.Bytes())
	return err
}
