package report

import (
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/htmlpage"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
)

// A frame is the room that a chart is drawn for. Every chart is drawn twice:
// text must stay legible on a phone, so it can't just shrink.
type frame struct {
	class  string
	width  float64
	narrow bool
}

var frames = []frame{{"wide", 720, false}, {"narrow", 350, true}}

// Type sizes of the style sheet.
const (
	sizeLabel = 13.0
	sizeTick  = 11.0
)

// hbars is what bars and stacks share: rows of a label, a bar and a value.
type hbars struct {
	f          frame
	labels     [][]string // lines of each row's label
	values     []string   // shown right of the bars
	left       float64    // where bars begin
	right      float64    // where they end
	tops       []float64  // of the rows, and the end of the last
	barHeight  float64
	labelWidth float64
}

func layOut(f frame, labels, values []string) *hbars {
	h := &hbars{f: f, tops: []float64{4}}
	valueWidth := 0.0
	for _, v := range values {
		v = fit(v, sizeLabel, 120)
		h.values = append(h.values, v)
		valueWidth = max(valueWidth, textWidth(v, sizeLabel))
	}
	if f.narrow {
		// Label and value have lines of their own above the bar.
		h.labelWidth = f.width - valueWidth - 12
		h.left, h.right, h.barHeight = 1, f.width-8, 12
	} else {
		for _, l := range labels {
			h.labelWidth = max(h.labelWidth, textWidth(l, sizeLabel))
		}
		h.labelWidth = min(h.labelWidth, 230)
		h.left, h.right, h.barHeight = h.labelWidth+14, f.width-valueWidth-24, 14
	}
	for i, l := range labels {
		lines := wrapped(l, sizeLabel, h.labelWidth, 2)
		height := 34.0
		if f.narrow {
			height = 27 + lineHeight*float64(max(1, len(lines)))
		}
		h.labels = append(h.labels, lines)
		h.tops = append(h.tops, h.tops[i]+height)
	}
	return h
}

// lineHeight is the distance between lines of a label.
const lineHeight = 15.0

// bottom is where the last row ends.
func (h *hbars) bottom() float64 { return h.tops[len(h.tops)-1] }

// middle is the height of a row's bar.
func (h *hbars) middle(i int) float64 {
	if h.f.narrow {
		return h.tops[i+1] - 14
	}
	return (h.tops[i] + h.tops[i+1]) / 2
}

// write puts label and value of a row.
func (h *hbars) write(s *htmlpage.Scene, i int) {
	y, n := h.middle(i), float64(len(h.labels[i]))
	for k, l := range h.labels[i] {
		if h.f.narrow {
			s.Text("label", "start", l, 1, y-13-lineHeight*(n-1-float64(k)))
		} else {
			s.Text("label", "end", l, h.labelWidth, y+4.5+lineHeight*(float64(k)-(n-1)/2))
		}
	}
	if h.f.narrow {
		y -= 13 + 4.5
	}
	s.Text("value", "end", h.values[i], h.f.width-1, y+4.5)
}

// grid draws the scale below the rows and its lines behind them, and returns
// the height of the picture.
func (h *hbars) grid(s *htmlpage.Scene, x axis, unit string) float64 {
	bottom := h.bottom()
	var major, minor []float64
	if x.log {
		major, minor = logTicks(x.lo, x.hi)
	} else {
		major = linearTicks(x.lo, x.hi, int(h.f.width/100))
	}
	for _, v := range minor {
		s.Line("grid minor", x.at(v), 4, x.at(v), bottom)
	}
	for _, v := range major {
		s.Line("grid", x.at(v), 4, x.at(v), bottom)
	}
	width := func(v float64) float64 { return textWidth(quantity.Tick(v, unit), sizeTick) }
	for _, v := range thin(major, x, width) {
		at, half := x.at(v), width(v)/2
		at = min(max(at, half), h.f.width-half) // the outermost must not be cut off
		s.Text("tick", "middle", quantity.Tick(v, unit), at, bottom+15)
	}
	return bottom + 22
}

// barValues is all that the axis of a bar chart must have room for.
func barValues(c *result.Chart) []float64 {
	var values []float64
	for _, b := range c.Bars {
		values = append(values, b.Value)
		if b.Reference > 0 {
			values = append(values, b.Reference)
		}
		if whiskered(b.Lo, b.Hi) {
			values = append(values, b.Hi) // Lo lies inside the bar
		}
	}
	return values
}

// drawBars draws horizontal bars with their intervals and references.
func drawBars(c *result.Chart, f frame) htmlpage.Scene {
	labels := make([]string, len(c.Bars))
	shown := make([]string, len(c.Bars))
	for i, b := range c.Bars {
		labels[i], shown[i] = clean(b.Label), quantity.Format(b.Value, c.Unit)
	}
	h := layOut(f, labels, shown)
	x := barAxis(barValues(c), h.left, h.right)
	s := htmlpage.Scene{Class: f.class, Name: describe(c), W: htmlpage.Px(f.width)}
	s.H = htmlpage.Px(h.grid(&s, x, c.Unit))
	for i, b := range c.Bars {
		h.write(&s, i)
		y := h.middle(i)
		zero := x.a
		if !x.log {
			zero = x.at(0)
		}
		if quantity.Usable(b.Value) && (b.Value > 0 || !x.log) {
			end := x.at(b.Value)
			s.Rect("bar c0", tip(labels[i], b.Value, b.Lo, b.Hi, c.Unit),
				min(zero, end), y-h.barHeight/2, max(zero, end)-min(zero, end), h.barHeight)
			if whiskered(b.Lo, b.Hi) {
				whisker(&s, x, b.Lo, b.Hi, y)
			}
		}
		if quantity.Usable(b.Reference) && b.Reference > 0 {
			diamond(&s, "published: "+quantity.Format(b.Reference, c.Unit), x.at(b.Reference), y)
		}
	}
	s.Line("axis", x.a, 4, x.a, h.bottom())
	return s
}

// whiskered reports whether there is an interval to draw.
func whiskered(lo, hi float64) bool {
	return quantity.Usable(lo) && quantity.Usable(hi) && hi > lo
}

func whisker(s *htmlpage.Scene, x axis, lo, hi, y float64) {
	a, b := x.at(max(lo, x.lo)), x.at(hi)
	s.Line("whisker", a, y, b, y)
	s.Line("whisker", a, y-3.5, a, y+3.5)
	s.Line("whisker", b, y-3.5, b, y+3.5)
}

// tip is what pointing at a value shows.
func tip(label string, v, lo, hi float64, unit string) string {
	t := quantity.Format(v, unit)
	if label != "" {
		t = label + ": " + t
	}
	if r := quantity.Interval(lo, hi, unit); r != "" {
		t += " (" + r + ")"
	}
	return t
}

// describe says a chart in words, for those who can't see it.
func describe(c *result.Chart) string {
	var parts []string
	switch c.Kind {
	case result.Bars:
		for _, b := range c.Bars {
			parts = append(parts, clean(b.Label)+" "+quantity.Format(b.Value, c.Unit))
		}
	case result.Stacked:
		for _, st := range c.Stacks {
			parts = append(parts, clean(st.Label)+" "+quantity.Format(total(st), c.Unit))
		}
	case result.Lines:
		for _, l := range c.Lines {
			parts = append(parts, clean(l.Label))
		}
		for _, m := range c.Marks {
			parts = append(parts, clean(m.Label))
		}
	case result.Flame:
		_, rows := flameTable(c.Profile)
		for _, r := range rows {
			parts = append(parts, r.Name+" "+r.Values[1])
		}
	}
	return clean(c.Title) + ": " + strings.Join(parts, "; ")
}
