package chart

import "testing"

func TestPanelTicks(t *testing.T) {
	for _, c := range []struct {
		name     string
		values   []float64
		rounding Rounding
		log      bool
		ticks    int // at least
	}{
		{"nothing", nil, Whole, false, 1},
		{"alike", []float64{3, 4, 5}, Whole, false, 2},
		{"far apart", []float64{1, 90, 3000}, Whole, true, 2},
		{"bytes", []float64{0, 2048, 4096}, Binary, false, 2},
		{"bytes far apart", []float64{100, 1 << 30}, Binary, true, 2},
		{"one", []float64{1}, Whole, false, 2},
		{"huge", []float64{1, 1 << 62}, Binary, true, 2},
	} {
		p := &Panel{Height: 66, Values: c.values, Rounding: c.rounding}
		x := p.axis(100)
		if x.log != c.log {
			t.Errorf("%s: logarithmic %v", c.name, x.log)
		}
		ticks := p.ticks(x)
		if len(ticks) < c.ticks || len(ticks) > 8 {
			t.Errorf("%s: ticks %v", c.name, ticks)
		}
		for _, v := range append(ticks, c.values...) {
			if at := x.at(v); at < 34 || at > 100 {
				t.Errorf("%s: %v is at %v", c.name, v, at)
			}
		}
		for _, v := range c.values {
			if v > 0 && x.at(v) == 100 {
				t.Errorf("%s: %v can't be seen", c.name, v)
			}
		}
	}
}

func TestEmptyPanelsAreLeftOut(t *testing.T) {
	c := &Timeline{Step: 1e6, Tips: []string{"a", "b"}}
	for _, values := range [][]float64{{0, 3}, {0, 0}, {1, 0}} {
		c.Panels = append(c.Panels, Panel{Name: "events", Height: 44, Values: values, Tick: func(float64) string { return "" }})
	}
	for _, s := range Draw(c, 720) {
		names := 0
		for _, sh := range s.Shapes {
			if sh.Class == "name" {
				names++
			}
		}
		if names != 2 {
			t.Errorf("%s: %d panels, want 2", s.Class, names)
		}
	}
}
