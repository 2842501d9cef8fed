package chart

import "testing"

func TestMarkLabelsDoNotTouch(t *testing.T) {
	c := &Lines{Lines: []Line{{Label: "a", Points: []Point{{X: 1, Y: 1}, {X: 1e4, Y: 10}}}}}
	for _, x := range []float64{100, 101, 102, 150, 5000, 9000, 9000} {
		c.Marks = append(c.Marks, Mark{X: x, Label: "pays off from here on, for certain"})
	}
	for _, f := range []frame{{"wide", 720, false}, {"narrow", narrowWidth, true}} {
		p := plan(c, f)
		n := 0
		for _, row := range p.rows {
			for i, a := range row {
				n++
				if a.from < 0 || a.to > f.width+0.01 {
					t.Errorf("%s: label from %v to %v", f.class, a.from, a.to)
				}
				for _, b := range row[:i] {
					if a.from < b.to && b.from < a.to {
						t.Errorf("%s: labels at %v and %v touch", f.class, a.at, b.at)
					}
				}
			}
		}
		if n != len(c.Marks) {
			t.Errorf("%s: %d labels placed, want %d", f.class, n, len(c.Marks))
		}
	}
}
