package report

import (
	"strconv"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/quantity"
)

// A scene is a drawing as the page's template wants it. Charts only say what
// goes where; classes name colours and strokes, which the page's style sheet
// knows for light, dark and paper.
type scene struct {
	Class  string // "wide" or "narrow"
	Name   string // for those who can't see it
	W, H   string
	Shapes []shape
}

// A shape is an SVG element. Numbers are text already, so that no template can
// write one that isn't a number.
type shape struct {
	Kind           string // line, rect, path, text, dot
	Class          string
	X, Y, X2, Y2   string // line: both ends; rect: X2, Y2 are width and height
	R              string
	D              string // path
	Anchor, String string // text
	Tip            string // shown when pointed at
}

// places reports whether all are numbers that may stand in a picture.
func places(vs ...float64) bool {
	for _, v := range vs {
		if !quantity.Usable(v) || v < -1e6 || v > 1e6 {
			return false
		}
	}
	return true
}

// px writes a coordinate to a tenth of a pixel.
func px(v float64) string {
	s := strconv.FormatFloat(v, 'f', 1, 64)
	s = strings.TrimSuffix(s, ".0")
	if s == "-0" {
		return "0"
	}
	return s
}

func (s *scene) add(sh shape, at ...float64) {
	if places(at...) {
		s.Shapes = append(s.Shapes, sh)
	}
}

func (s *scene) line(class string, x1, y1, x2, y2 float64) {
	s.add(shape{Kind: "line", Class: class, X: px(x1), Y: px(y1), X2: px(x2), Y2: px(y2)}, x1, y1, x2, y2)
}

func (s *scene) rect(class, tip string, x, y, w, h float64) {
	if w >= 0 && h >= 0 {
		s.add(shape{Kind: "rect", Class: class, Tip: tip, X: px(x), Y: px(y), X2: px(w), Y2: px(h)}, x, y, w, h)
	}
}

func (s *scene) text(class, anchor, str string, x, y float64) {
	if str != "" {
		s.add(shape{Kind: "text", Class: class, Anchor: anchor, String: str, X: px(x), Y: px(y)}, x, y)
	}
}

// A spot is a place in the picture.
type spot struct{ x, y float64 }

// polyline joins spots by straight lines.
func (s *scene) polyline(class string, spots []spot) {
	if len(spots) < 2 {
		return
	}
	var d strings.Builder
	for i, p := range spots {
		if !places(p.x, p.y) {
			return
		}
		command := "L"
		if i == 0 {
			command = "M"
		}
		d.WriteString(command + px(p.x) + " " + px(p.y))
	}
	s.Shapes = append(s.Shapes, shape{Kind: "path", Class: class, D: d.String()})
}

// markers are the forms of points, one for each line, so that lines can be told
// apart without colours.
const markers = 4

func (s *scene) marker(n int, class, tip string, x, y float64) {
	if !places(x, y) {
		return
	}
	sh := shape{Kind: "path", Class: class, Tip: tip}
	switch n % markers {
	case 0:
		sh.Kind, sh.X, sh.Y, sh.R = "dot", px(x), px(y), "3.2"
	case 1:
		sh.D = "M" + px(x-2.9) + " " + px(y-2.9) + "h5.8v5.8h-5.8z"
	case 2:
		sh.D = "M" + px(x) + " " + px(y-3.9) + "l3.8 6.6h-7.6z"
	case 3:
		sh.D = "M" + px(x) + " " + px(y-4.3) + "l4.3 4.3l-4.3 4.3l-4.3 -4.3z"
	}
	s.Shapes = append(s.Shapes, sh)
}

// diamond is the hollow marker of an article's figure.
func (s *scene) diamond(tip string, x, y float64) {
	if places(x, y) {
		s.Shapes = append(s.Shapes, shape{Kind: "path", Class: "ref", Tip: tip,
			D: "M" + px(x) + " " + px(y-5) + "l5 5l-5 5l-5 -5z"})
	}
}
