package main

import (
	"fmt"
	"html"
	"strings"

	"github.com/seamgo/seam/internal/results"
)

// A theme is the colours of a picture, which are those of Seam's pages.
type theme struct{ name, page, ink, soft, seam, other string }

var themes = []theme{
	{"light", "#ffffff", "#1b1e22", "#5a6068", "#0072b2", "#b9bec5"},
	{"dark", "#0d1117", "#e8e8e4", "#a2a8b0", "#56a8e0", "#4b525b"},
}

// Where things are, in pixels.
const (
	width    = 720
	barsFrom = 220
	barsTo   = 620
	rowStep  = 22
	barDepth = 14
	headStep = 30
	panelGap = 10
)

// pictures returns the files.
func pictures(all results.All) (map[string]string, error) {
	found, err := bars(all)
	if err != nil {
		return nil, err
	}
	files := map[string]string{}
	for _, t := range themes {
		files["docs/pictures/prices-"+t.name+".svg"] = t.draw(found)
	}
	return files, nil
}

func (t theme) draw(panels []panel) string {
	var body, told strings.Builder
	y := 0
	text := func(x, y int, anchor, colour, weight, words string) {
		fmt.Fprintf(&body, `<text x="%d" y="%d" text-anchor="%s" fill="%s" font-weight="%s">%s</text>`+"\n", x, y, anchor, colour, weight, html.EscapeString(words))
	}
	for _, p := range panels {
		longest := 0.0
		for _, r := range p.rows {
			longest = max(longest, r.value)
		}
		y += headStep
		text(8, y-8, "start", t.ink, "600", p.title)
		fmt.Fprintf(&told, "%s:", p.title)
		for _, r := range p.rows {
			fill := t.other
			if r.seam {
				fill = t.seam
			}
			long := r.value / longest * (barsTo - barsFrom)
			text(barsFrom-10, y+barDepth-2, "end", t.soft, "400", r.label)
			fmt.Fprintf(&body, `<rect x="%d" y="%d" width="%.1f" height="%d" rx="2" fill="%s"/>`+"\n", barsFrom, y, long, barDepth, fill)
			fmt.Fprintf(&body, `<text x="%.1f" y="%d" fill="%s" font-weight="600">%s</text>`+"\n", barsFrom+long+8, y+barDepth-2, t.ink, html.EscapeString(r.words))
			fmt.Fprintf(&told, " %s %s;", r.label, r.words)
			y += rowStep
		}
		y += panelGap
	}
	height := y + 20
	text(8, height-10, "start", t.soft, "400", "Each part has a linear scale of its own. All on one machine: docs/results says on which and how.")
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-label="%s" font-family="system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'DejaVu Sans', sans-serif" font-size="13">
<!-- Made from docs/results by internal/figures. -->
<rect width="100%%" height="100%%" fill="%s"/>
%s</svg>
`, width, height, width, height, html.EscapeString(strings.TrimSuffix(told.String(), ";")), t.page, body.String())
}
