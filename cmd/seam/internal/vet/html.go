package vet

import (
	_ "embed"
	"html/template"
	"io"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/htmlpage"
	"github.com/seamgo/seam/cmd/seam/internal/vet/rule"
)

//go:embed page.html
var pageSource string

//go:embed page.css
var pageStyle string

var pageKind = htmlpage.New(pageSource, pageStyle, template.FuncMap{
	"groups":  (*Report).groups,
	"summary": func(r *Report) string { return r.summary(0) },
	"rule":    Named,
	"seen":    (*Seen).words,
	"trim":    strings.TrimSpace,
})

// WriteHTML writes the report as one page that needs nothing else.
func (r *Report) WriteHTML(w io.Writer) error { return pageKind.Write(w, r) }

// group is a finding, and the others of its kind where there are many.
type group struct {
	*Finding
	Others []*Finding
}

// groups are the findings in their order, those of a kind with the first of it where the text
// shows that one alone.
func (r *Report) groups() (all []group) {
	kinds := r.kinds(rule.Note)
	for i := range r.Findings {
		f := &r.Findings[i]
		switch same := kinds[f.kind()]; {
		case f.Confirmed != nil && f.Confirmed.Seen || len(same) == 0:
			all = append(all, group{Finding: f})
		case same[0] == f:
			all = append(all, group{f, same[1:]})
		}
	}
	return all
}
