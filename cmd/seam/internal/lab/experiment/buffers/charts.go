package buffers

import (
	"fmt"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/reference"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
)

// withWords says which kind of work something is of.
func withWords(io bool) string {
	if io {
		return "with system calls"
	}
	return "without system calls"
}

// ratioChart draws the pool's time over the stack's against the size.
func (f analysis) ratioChart(io bool) result.Chart {
	c := result.Chart{Kind: result.Lines, Title: "Pool over stack, " + withWords(io), XLabel: "buffer, KB", YLabel: "pool over stack",
		Caption: "Below 1 the pool is faster. A line crosses 1 where the two change places."}
	for i, s := range situations {
		points := f.points(s)
		if s.io != io || len(points) == 0 {
			continue
		}
		plain := s
		plain.io = false
		line := result.Line{Label: plain.String(), Look: 1 + i/2}
		for _, p := range points {
			line.Points = append(line.Points, result.Point{X: float64(p.size >> 10), Y: p.ratio, Lo: p.lo, Hi: p.hi})
		}
		c.Lines = append(c.Lines, line)
		if at, w := cross(points); w == crosses {
			c.Marks = append(c.Marks, result.Mark{X: at.at / 1024, Lo: at.lo / 1024, Hi: at.hi / 1024, Label: plain.String()})
		}
	}
	if io && len(c.Lines) > 0 {
		line := result.Line{Label: "published", Look: 1, Dashed: true}
		for _, a := range reference.Buffers {
			line.Points = append(line.Points, result.Point{X: float64(a.Size >> 10), Y: a.Ratio()})
		}
		c.Lines = append(c.Lines, line)
		c.Caption += " Dashed: published, " + reference.StackBuffers.Setting() + "."
	}
	return c
}

// partsChart takes apart the time of one size.
func (f analysis) partsChart(io bool) result.Chart {
	warm := situation{state: stateWarm, io: io}
	size := f.typical(warm)
	c := result.Chart{Kind: result.Stacked, Unit: "ns", Title: fmt.Sprintf("Where the time goes, two buffers of %s, %s", kb(size), withWords(io)),
		Caption: "Parts are differences between cases: cleared once and each time; a goroutine with nothing to do; a slice that is kept, warm and after a collection; make with and without collections. Not split: what these differences don't explain beyond doubt."}
	if size == 0 {
		return c
	}
	for _, row := range []struct{ from, state string }{
		{fromReuse, stateWarm}, {fromStack, stateWarm}, {fromStack, stateFresh}, {fromStack, stateGC}, {fromPool, stateGC}, {fromMake, stateWarm},
	} {
		s := warm
		s.state = row.state
		t, ok := f.split(row.from, s, size)
		if !ok || len(t.parts) == 0 {
			continue
		}
		plain := s
		plain.io = false
		stack := result.Stack{Label: sourceLabels[row.from] + ", " + plain.String()}
		for _, p := range t.parts {
			stack.Parts = append(stack.Parts, result.Part{Label: p.what, Value: p.ns})
		}
		if t.rest > 0 {
			stack.Parts = append(stack.Parts, result.Part{Label: partRest, Value: t.rest})
		}
		c.Stacks = append(c.Stacks, stack)
	}
	return c
}

// table has the time of each source in each situation.
func (f analysis) table() result.Chart {
	t := &result.Table{Head: []string{"situation"}}
	t.Head = append(t.Head, froms...)
	t.Head = append(t.Head, "pool/stack", "interval", "verdict")
	for _, s := range situations {
		for _, size := range sizes {
			var cells []lab.Cell
			for _, from := range froms {
				cells = append(cells, lab.Cell{Name: s.name(from, size), Unit: nsPerOp, Write: quantity.Time})
			}
			compared := []string{quantity.Missing, quantity.Missing, quantity.Missing}
			if c := f.Compared(s.name(fromPool, size)); c != nil {
				compared = []string{quantity.NearOne(c.Ratio), quantity.Interval(c.Lo, c.Hi, "×"), c.Verdict}
			}
			f.Row(t, []string{s.String() + ", " + kb(size)}, cells, compared...)
		}
	}
	return result.Chart{Kind: result.Grid, Title: "One operation by source, size and situation", Table: t,
		Caption: "Faster: the pool is faster than the stack. A KB has 1024 bytes."}
}
