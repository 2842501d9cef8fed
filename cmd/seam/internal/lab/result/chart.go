package result

import "strings"

// A Chart is a picture described as data, so that every report can draw it its
// own way. The fields that a kind does not use are empty.
type Chart struct {
	Kind    ChartKind
	Title   string
	Caption string // one or two sentences below the chart
	XLabel  string // lines: both axes are logarithmic
	YLabel  string
	Unit    string   // of values
	Bars    []Bar    // Bars
	Stacks  []Stack  // Stacked
	Lines   []Line   // Lines
	Marks   []Mark   // Lines: vertical markers
	Table   *Table   // Grid
	Profile *Profile // Flame
}

// ChartKind says how a Chart is drawn.
type ChartKind int

const (
	Bars    ChartKind = iota // horizontal bars with intervals; logarithmic where the values span more than 50×
	Stacked                  // horizontal bars made of parts
	Lines                    // log–log lines with points
	Grid                     // a table of numbers
	Flame                    // functions above those that they call, as wide as their time
)

// A Bar is one value with its interval and the published figure (0: none).
type Bar struct {
	Label                    string
	Value, Lo, Hi, Reference float64
	Seam                     bool // it is a way of Seam's
}

// Bar returns the series as a bar.
func (s *Series) Bar() Bar {
	b := Bar{Label: s.Label, Value: s.Median, Lo: s.Lo, Hi: s.Hi, Seam: s.Seam()}
	if s.Reference != nil {
		b.Reference = s.Reference.Value
	}
	return b
}

// seams are the parts of names that say that a case is done by Seam's packages.
var seams = map[string]bool{
	"via=leaf": true, "via=guarded": true, "via=offload": true, "via=view": true, "via=fill": true, "via=registered": true,
	"via=coro": true, "via=coro-floating": true, "via=coro-batch": true, "via=coro-channel": true, "via=coro-floating-channel": true, "via=coro-loop": true,
	"idiom=view": true, "idiom=registered": true, "idiom=owner-view": true, "idiom=stack-fill": true, "idiom=fill": true,
	"idiom=registered-fill": true, "idiom=arena": true, "idiom=handle": true, "refs=mem-handle": true, "refs=pool": true,
}

// Seam reports whether the case is done by Seam's packages.
func (s *Series) Seam() bool {
	for part := range strings.SplitSeq(s.Name, "/") {
		if seams[part] {
			return true
		}
	}
	return false
}

// A Stack is one bar made of parts.
type Stack struct {
	Label string
	Parts []Part
}

// A Part is a piece of a Stack. Parts of the same name have the same colour.
type Part struct {
	Label string
	Value float64
}

// A Line is a named curve. Lines of the same Look have the same colour and
// marker in all charts of a report; 0 is the line's place in its chart, 1 the
// first colour.
type Line struct {
	Label  string
	Look   int
	Dashed bool
	Points []Point
}

// A Point of a Line; Lo and Hi are 0 where there is no interval.
type Point struct{ X, Y, Lo, Hi float64 }

// A Mark is a vertical marker with the interval of its place.
type Mark struct {
	X, Lo, Hi float64
	Label     string
}

// A Table is a grid of numbers with a heading for each column.
type Table struct {
	Head []string
	Rows [][]string
}
