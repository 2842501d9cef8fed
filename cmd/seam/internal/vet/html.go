package vet

import (
	_ "embed"
	"html/template"
	"io"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/htmlpage"
)

//go:embed page.html
var pageSource string

//go:embed page.css
var pageStyle string

var pageKind = htmlpage.New(pageSource, pageStyle, template.FuncMap{
	"summary": func(r *Report) string { return r.summary(0) },
	"rule":    Named,
	"seen":    (*Seen).words,
	"trim":    strings.TrimSpace,
})

// WriteHTML writes the report as one page that needs nothing else.
func (r *Report) WriteHTML(w io.Writer) error { return pageKind.Write(w, r) }
