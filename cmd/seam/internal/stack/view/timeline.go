package view

import (
	"fmt"
	"math"
	"strconv"

	"github.com/seamgo/seam/cmd/seam/internal/chart"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
	"github.com/seamgo/seam/cmd/seam/internal/stack/report"
)

// mostSpans bounds what is drawn; the reader keeps to 240.
const mostSpans = 1000

func spans(t *report.Timeline) []report.Span { return t.Spans[:min(len(t.Spans), mostSpans)] }

var panels = []struct {
	name, class string
	height      float64
	of          func(s *report.Span) int64
	rounding    chart.Rounding // Binary: of bytes
}{
	{"memory of all stacks", "live", 130, func(s *report.Span) int64 { return s.Live }, chart.Binary},
	{"stacks for new goroutines and threads", "new", 44, func(s *report.Span) int64 { return s.New }, chart.Whole},
	{"growths", "grown", 44, func(s *report.Span) int64 { return s.Grown }, chart.Whole},
	{"shrinks", "shrunk", 44, func(s *report.Span) int64 { return s.Shrunk }, chart.Whole},
	{"bytes copied", "copied", 44, func(s *report.Span) int64 { return s.Copied }, chart.Binary},
}

// timeline shows how the run went: an area for the memory, bars for what happened.
func timeline(t *report.Timeline) *chart.Timeline {
	list := spans(t)
	c := &chart.Timeline{Name: fmt.Sprintf("Timeline of %s in steps of %s; the table below has its figures", moment(int64(len(list))*t.Step), moment(t.Step)), Step: float64(t.Step)}
	for i := range list {
		c.Tips = append(c.Tips, spanTip(t, i, &list[i]))
	}
	for _, p := range panels {
		panel := chart.Panel{Name: p.name, Class: p.class, Height: p.height, Area: p.class == "live", Rounding: p.rounding, Tick: quantity.Compact}
		if p.rounding == chart.Binary {
			panel.Tick = func(v float64) string { return size(int64(v)) }
		}
		for i := range list {
			panel.Values = append(panel.Values, float64(max(0, p.of(&list[i]))))
		}
		c.Panels = append(c.Panels, panel)
	}
	return c
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

// spanTip describes a step of the timeline.
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
	return words + "; all stacks take " + size(s.Live)
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
