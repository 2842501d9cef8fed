// Package chart draws charts as SVG for HTML pages: bars, stacked bars, lines, flame
// graphs and timelines. A chart needs no script, is drawn to the same
// bytes for the same data, and leaves out what isn't a number.
//
// A page that shows charts is made by htmlpage.New with [Template] in front of its body
// and [Style] in front of its style sheet. Classes name colours and strokes, which the
// style sheet knows for light, dark and paper.
package chart

import _ "embed"

// Template defines "scene" and "legend", which show a [Scene] and a list of [Item].
//
//go:embed chart.html
var Template string

// Style is the style sheet of charts.
//
//go:embed chart.css
var Style string

// A Chart is data that can be drawn.
type Chart interface{ draw(f frame) Scene }

// A frame is the room that a chart is drawn for.
type frame struct {
	class  string
	width  float64
	narrow bool
}

// narrowWidth is the room that a phone has.
const narrowWidth = 350

// Draw draws a chart for a screen with so much room, and again for a phone: text must
// stay legible there, so the picture can't just shrink.
func Draw(c Chart, width float64) []Scene {
	return []Scene{c.draw(frame{"wide", width, false}), c.draw(frame{"narrow", narrowWidth, true})}
}

// scene is an empty picture as wide as the frame.
func (f frame) scene(name string) Scene { return Scene{Class: f.class, Name: name, W: Px(f.width)} }

// palette is how many colours the style sheet has for parts and lines.
const palette = 7

// Colour is the class of the n-th colour.
func Colour(n int) string {
	return [palette]string{"c0", "c1", "c2", "c3", "c4", "c5", "c6"}[max(0, n)%palette]
}

// An Item of a legend says what a sign means.
type Item struct {
	Key   Scene // nothing where the label says it all
	Label string
}

// Swatch is the sample of an area's colour.
func Swatch(class string) Scene {
	s := Scene{Class: "swatch", W: "12", H: "12"}
	s.Rect(class, "", 0, 0, 12, 12)
	return s
}

// key is an empty sample of a sign.
func key() Scene { return Scene{Class: "key", W: "28", H: "12"} }
