package main

import (
	"math"
	"strconv"
)

const unitTime = "ns/op"

// nothing is wanted of a figure that stands beside goals, to judge them by.
var nothing = math.Inf(1)

// A goal is the most that a figure of the lab is to be.
type goal struct {
	what     string
	most     float64
	unit     string // behind figures
	measured func(*measurement) (figure, bool)
}

// The cases that goals are about, with messages of 128 bytes.
const (
	leafCall   = "Call/via=leaf"
	rapidLeaf  = "Payload/bytes=128/lib=rapidjson/via=leaf"
	rapidCopy  = "Payload/bytes=128/lib=rapidjson/via=cgo-copy"
	fastestGo  = "Payload/bytes=128/lib=go-json/via=go"
	saturation = "/load=saturation"
)

var goals = append([]goal{
	{"a leaf call, to a cgo call", 1.0 / 7, "×", func(m *measurement) (figure, bool) { return m.medians(leafCall, "Call/via=cgo") }},
	{"a leaf call, to a Go call", 1.8, "×", func(m *measurement) (figure, bool) { return m.ratio(leafCall, "Call/via=go") }},
	{"RapidJSON by leaf, to cgo with copies", 0.65, "×", func(m *measurement) (figure, bool) { return m.ratio(rapidLeaf, rapidCopy) }},
	{"RapidJSON by leaf, to goccy/go-json", 1, "×", func(m *measurement) (figure, bool) { return m.medians(rapidLeaf, fastestGo) }},
	{"its allocations", 0, "", func(m *measurement) (figure, bool) { return m.series(rapidLeaf, "allocs/op") }},
	{"its crossing's share of the call", 1.5, " %", func(m *measurement) (figure, bool) { return m.share(rapidLeaf, "crossing") }},
	{"its loss of requests to pure Go", 0, " %", func(m *measurement) (figure, bool) { return m.series(rapidLeaf+saturation, "loss-%") }},
}, ringGoals()...)

func (g goal) write(v float64) string {
	text := strconv.FormatFloat(v, 'f', 3, 64)
	if v == float64(int(v)) {
		text = strconv.Itoa(int(v))
	}
	return text + g.unit
}

func (g goal) interval(f figure) string {
	if f.lo == 0 && f.hi == 0 {
		return ""
	}
	return g.write(f.lo) + " to " + g.write(f.hi)
}
