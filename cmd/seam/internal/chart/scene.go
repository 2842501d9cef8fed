package chart

import (
	"slices"
	"strconv"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/quantity"
)

// A Scene is a picture as the template "scene" wants it.
type Scene struct {
	Class  string // "wide" or "narrow"
	Name   string // for those who can't see it
	W, H   string
	Shapes []Shape
}

// A Shape is an SVG element. Numbers are text already, so that no template can
// write one that isn't a number.
type Shape struct {
	Kind           string // line, rect, path, text, dot
	Class          string
	X, Y, X2, Y2   string // line: both ends; rect: X2, Y2 are width and height
	R              string
	D              string // path
	Anchor, String string // text
	Tip            string // shown when pointed at
}

// inPicture reports whether all are numbers that may stand in a picture.
func inPicture(vs ...float64) bool {
	return !slices.ContainsFunc(vs, func(v float64) bool { return !quantity.Usable(v) || v < -1e6 || v > 1e6 })
}

// Px writes a coordinate to a tenth of a pixel.
func Px(v float64) string {
	s := strings.TrimSuffix(strconv.FormatFloat(v, 'f', 1, 64), ".0")
	if s == "-0" {
		return "0"
	}
	return s
}

// Add adds a shape, if all the numbers it is made of may stand in a picture.
func (s *Scene) Add(sh Shape, at ...float64) {
	if inPicture(at...) {
		s.Shapes = append(s.Shapes, sh)
	}
}

// Line draws a line from one place to another.
func (s *Scene) Line(class string, x1, y1, x2, y2 float64) {
	s.Add(Shape{Kind: "line", Class: class, X: Px(x1), Y: Px(y1), X2: Px(x2), Y2: Px(y2)}, x1, y1, x2, y2)
}

// Rect draws a rectangle.
func (s *Scene) Rect(class, tip string, x, y, w, h float64) {
	if w >= 0 && h >= 0 {
		s.Add(Shape{Kind: "rect", Class: class, Tip: tip, X: Px(x), Y: Px(y), X2: Px(w), Y2: Px(h)}, x, y, w, h)
	}
}

// Text writes words at a place; anchor is SVG's text-anchor.
func (s *Scene) Text(class, anchor, words string, x, y float64) {
	if words != "" {
		s.Add(Shape{Kind: "text", Class: class, Anchor: anchor, String: words, X: Px(x), Y: Px(y)}, x, y)
	}
}

// A Spot is a place in a picture.
type Spot struct{ X, Y float64 }

// Polyline joins spots by straight lines; where closed, also the last with the first.
func (s *Scene) Polyline(class string, spots []Spot, closed bool) {
	if len(spots) < 2 {
		return
	}
	var d strings.Builder
	command := "M"
	for _, p := range spots {
		if !inPicture(p.X, p.Y) {
			return
		}
		d.WriteString(command + Px(p.X) + " " + Px(p.Y))
		command = "L"
	}
	if closed {
		d.WriteString("z")
	}
	s.Shapes = append(s.Shapes, Shape{Kind: "path", Class: class, D: d.String()})
}
