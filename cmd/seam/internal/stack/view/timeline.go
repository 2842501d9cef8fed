package view

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/htmlpage"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
	"github.com/seamgo/seam/cmd/seam/internal/stack/report"
)

// mostSpans bounds what is drawn; the reader keeps to 240.
const mostSpans = 1000

func spans(t *report.Timeline) []report.Span { return t.Spans[:min(len(t.Spans), mostSpans)] }

// A panel is one row of the timeline.
type panel struct {
	name, class, unit string
	height            float64
	of                func(s *report.Span) int64
}

var panels = []panel{
	{"memory of all stacks", "area", "B", 130, func(s *report.Span) int64 { return s.Live }},
	{"stacks for new goroutines and threads", "new", "count", 44, func(s *report.Span) int64 { return s.New }},
	{"growths", "grown", "count", 44, func(s *report.Span) int64 { return s.Grown }},
	{"shrinks", "shrunk", "count", 44, func(s *report.Span) int64 { return s.Shrunk }},
	{"bytes copied", "copied", "B", 44, func(s *report.Span) int64 { return s.Copied }},
}

// drawTimeline draws how the run went: an area for the memory, bars for what happened.
func drawTimeline(t *report.Timeline, r room) htmlpage.Scene {
	list := spans(t)
	s := htmlpage.Scene{Class: r.class, W: htmlpage.Px(r.width), Name: fmt.Sprintf("Timeline of %s in steps of %s; the table below has its figures", moment(int64(len(list))*t.Step), moment(t.Step))}
	left, right := 62.0, r.width-6
	if r.class == "narrow" {
		left = 56
	}
	each := (right - left) / float64(len(list))
	y := 0.0
	for _, p := range panels {
		values := make([]float64, len(list))
		some := false
		for i := range list {
			values[i] = float64(max(0, p.of(&list[i])))
			some = some || values[i] > 0
		}
		if !some {
			continue
		}
		c := scaleOf(values)
		if p.class == "area" {
			c = scaleOf(nil)
			for _, v := range values {
				c.hi = max(c.hi, v)
			}
		}
		name := p.name
		if c.log {
			name += ", logarithmic scale"
		}
		// On a phone the longest names need the whole width.
		at, wide := left, letterWidth*float64(len([]rune(name)))
		if wide > right-left {
			at, name = 2, strings.Replace(name, "logarithmic", "log", 1)
		}
		s.Text("name", "start", fitting(name, r.width-at), at, y+12)
		bottom := y + 20 + p.height
		tick := func(v float64) string {
			if p.unit == "B" {
				return size(int64(v))
			}
			return quantity.Compact(v)
		}
		for _, v := range c.ticks(int(p.height/22), p.unit == "B") {
			at := bottom - p.height*c.share(v)
			s.Line("grid", left, at, right, at)
			s.Text("tick", "end", tick(v), left-6, at+4)
		}
		if p.class == "area" {
			spots := []htmlpage.Spot{}
			for i, v := range values {
				at := bottom - p.height*c.share(v)
				spots = append(spots, htmlpage.Spot{X: left + each*float64(i), Y: at}, htmlpage.Spot{X: left + each*float64(i+1), Y: at})
			}
			area(&s, "live", spots, bottom)
		} else {
			for i, v := range values {
				if v > 0 {
					h := max(1, p.height*c.share(v))
					s.Rect("bar "+p.class, "", left+each*float64(i), bottom-h, max(0.6, each-min(1, each/4)), h)
				}
			}
		}
		s.Line("axis", left, bottom, right, bottom)
		y = bottom + 14
	}
	timeAxis(&s, t, list, left, right, y-14)
	for i := range list {
		s.Rect("hit", spanTip(t, i, &list[i]), left+each*float64(i), 16, each, y-30)
	}
	s.H = htmlpage.Px(y + 12)
	return s
}

// timeAxis writes times below the lowest panel.
func timeAxis(s *htmlpage.Scene, t *report.Timeline, list []report.Span, left, right, bottom float64) {
	whole := float64(t.Step) * float64(len(list))
	for _, v := range (scale{0, whole, false}).ticks(int((right-left)/90), false) {
		at := left + (right-left)*v/whole
		words := moment(int64(v))
		half := letterWidth * float64(len([]rune(words))) / 2
		s.Line("axis", at, bottom, at, bottom+4)
		s.Text("tick", "middle", words, min(at, right-half+6), bottom+17)
	}
}

// stepTime is when a step of the timeline begins, with as many digits as tell it from the
// next.
func stepTime(t *report.Timeline, i int) string {
	unit, name := 1e9, "s"
	switch whole := float64(len(t.Spans)) * float64(t.Step); {
	case whole < 1e6:
		unit, name = 1e3, "µs"
	case whole < 1e9:
		unit, name = 1e6, "ms"
	}
	decimals := 0
	for step := float64(t.Step) / unit; decimals < 9 && math.Abs(step-math.Round(step)) > 1e-6; decimals++ {
		step *= 10
	}
	return strconv.FormatFloat(float64(i)*float64(t.Step)/unit, 'f', decimals, 64) + " " + name
}

// spanTip tells all about a step of the timeline.
func spanTip(t *report.Timeline, i int, s *report.Span) string {
	words := fmt.Sprintf("%s to %s: %s new, %s", stepTime(t, i), stepTime(t, i+1), plural(s.New, "stack"), plural(s.Grown, "growth"))
	if s.Largest > 0 {
		words += " up to " + size(s.Largest)
	}
	words += ", " + plural(s.Shrunk, "shrink")
	if s.Copied > 0 {
		words += ", " + size(s.Copied) + " copied"
	}
	if s.Time > 0 {
		words += " in " + duration(s.Time)
	}
	return words + "; all stacks have " + size(s.Live)
}

// timelineRows are the steps in which anything happened.
func timelineRows(t *report.Timeline) [][]string {
	var rows [][]string
	list := spans(t)
	for i := range list {
		s := &list[i]
		if s.New == 0 && s.Grown == 0 && s.Shrunk == 0 && (i > 0 && s.Live == list[i-1].Live) {
			continue
		}
		largestGrown := ""
		if s.Largest > 0 {
			largestGrown = size(s.Largest)
		}
		rows = append(rows, []string{stepTime(t, i), count(s.New), count(s.Grown), count(s.Shrunk), size(s.Copied), duration(s.Time), size(s.Live), largestGrown})
	}
	return rows
}
