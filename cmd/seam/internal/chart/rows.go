package chart

// Type sizes of the style sheet.
const (
	sizeLabel = 13.0
	sizeName  = 12.0
	sizeTick  = 11.0
)

// rows is what bars and stacked bars share: rows of a label, a bar and a value.
type rows struct {
	f          frame
	labels     [][]string // lines of each row's label
	values     []string   // shown right of the bars
	left       float64    // where bars begin
	right      float64    // where they end
	tops       []float64  // of the rows, and the end of the last
	barHeight  float64
	labelWidth float64
}

func layOut(f frame, labels, values []string) *rows {
	r := &rows{f: f, tops: []float64{4}}
	valueWidth := 0.0
	for _, v := range values {
		v = fit(v, sizeLabel, 120)
		r.values = append(r.values, v)
		valueWidth = max(valueWidth, textWidth(v, sizeLabel))
	}
	if f.narrow {
		// Label and value have lines of their own above the bar.
		r.labelWidth = f.width - valueWidth - 12
		r.left, r.right, r.barHeight = 1, f.width-8, 12
	} else {
		for _, l := range labels {
			r.labelWidth = max(r.labelWidth, textWidth(l, sizeLabel))
		}
		r.labelWidth = min(r.labelWidth, 230)
		r.left, r.right, r.barHeight = r.labelWidth+14, f.width-valueWidth-24, 14
	}
	for i, l := range labels {
		lines := wrapped(l, sizeLabel, r.labelWidth, 2)
		height := 34.0
		if f.narrow {
			height = 27 + lineHeight*float64(max(1, len(lines)))
		}
		r.labels = append(r.labels, lines)
		r.tops = append(r.tops, r.tops[i]+height)
	}
	return r
}

// lineHeight is the distance between lines of a label.
const lineHeight = 15.0

// bottom is where the last row ends.
func (r *rows) bottom() float64 { return r.tops[len(r.tops)-1] }

// middle is the height of a row's bar.
func (r *rows) middle(i int) float64 {
	if r.f.narrow {
		return r.tops[i+1] - 14
	}
	return (r.tops[i] + r.tops[i+1]) / 2
}

// write puts label and value of a row.
func (r *rows) write(s *Scene, i int) {
	y, n := r.middle(i), float64(len(r.labels[i]))
	for k, l := range r.labels[i] {
		if r.f.narrow {
			s.Text("label", "start", l, 1, y-13-lineHeight*(n-1-float64(k)))
		} else {
			s.Text("label", "end", l, r.labelWidth, y+4.5+lineHeight*(float64(k)-(n-1)/2))
		}
	}
	if r.f.narrow {
		y -= 13 + 4.5
	}
	s.Text("value", "end", r.values[i], r.f.width-1, y+4.5)
}

// scale draws the scale below the rows and its lines behind them, and ends the picture
// there.
func (r *rows) scale(s *Scene, x axis, unit string) {
	bottom := r.bottom()
	major, minor := x.ticks(int(r.f.width/100), roundingOf(unit))
	x.verticals(s, "grid minor", minor, 4, bottom)
	x.verticals(s, "grid", major, 4, bottom)
	x.labelsBelow(s, major, inUnit(unit), r.f.width, bottom+15)
	s.H = Px(bottom + 22)
}
