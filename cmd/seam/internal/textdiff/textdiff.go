// Package textdiff shows how two texts differ, line by line.
package textdiff

import (
	"fmt"
	"slices"
	"strings"
)

const (
	around  = 3    // unchanged lines that are shown around a change
	maxEdit = 1000 // lines that are compared one by one; beyond, what differs is one change
)

// An edit is a run of lines that one text has in place of those of the other.
type edit struct {
	a, aEnd, b, bEnd int
}

// Unified gives the differences in the unified format of diff -u, "" where
// there are none.
func Unified(nameA, nameB, a, b string) string {
	if a == b {
		return ""
	}
	linesA, linesB := lines(a), lines(b)
	edits := compare(linesA, linesB)
	var out strings.Builder
	fmt.Fprintf(&out, "--- %s\n+++ %s\n", nameA, nameB)
	for len(edits) > 0 {
		// Changes whose surroundings meet are one hunk.
		n := 1
		for n < len(edits) && edits[n].a-edits[n-1].aEnd <= 2*around {
			n++
		}
		hunk(&out, linesA, linesB, edits[:n])
		edits = edits[n:]
	}
	return out.String()
}

// A Change puts Text in the place of the lines from From to before To, of which the first is 1.
type Change struct {
	From, To int
	Text     string
}

// Changes returns what makes a text another, from the first line to the last.
func Changes(a, b string) (changes []Change) {
	if a == b {
		return nil
	}
	linesA, linesB := slices.Collect(strings.Lines(a)), slices.Collect(strings.Lines(b))
	for _, e := range compare(linesA, linesB) {
		changes = append(changes, Change{e.a + 1, e.aEnd + 1, strings.Join(linesB[e.b:e.bEnd], "")})
	}
	return changes
}

// lines splits a text; the last line says so if it has no end.
func lines(s string) []string {
	list := slices.Collect(strings.Lines(s))
	if n := len(list); n > 0 && !strings.HasSuffix(list[n-1], "\n") {
		list[n-1] += "\n\\ No newline at end of file\n"
	}
	return list
}

func hunk(out *strings.Builder, a, b []string, edits []edit) {
	first, last := edits[0], edits[len(edits)-1]
	before := min(around, first.a)
	after := min(around, len(a)-last.aEnd)
	fmt.Fprintf(out, "@@ -%s +%s @@\n",
		span(first.a-before, last.aEnd+after), span(first.b-before, last.bEnd+after))
	at := first.a - before
	for _, e := range edits {
		write(out, " ", a[at:e.a])
		write(out, "-", a[e.a:e.aEnd])
		write(out, "+", b[e.b:e.bEnd])
		at = e.aEnd
	}
	write(out, " ", a[at:last.aEnd+after])
}

func write(out *strings.Builder, mark string, lines []string) {
	for _, line := range lines {
		out.WriteString(mark + line)
	}
}

// span is a range of lines as the heads of hunks have it.
func span(from, to int) string {
	switch to - from {
	case 0:
		return fmt.Sprintf("%d,0", from)
	case 1:
		return fmt.Sprint(from + 1)
	}
	return fmt.Sprintf("%d,%d", from+1, to-from)
}

// compare finds the fewest lines to take out and put in (Myers' algorithm),
// apart from what the texts begin and end with in common.
func compare(a, b []string) []edit {
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	edits := shortest(a[head:len(a)-tail], b[head:len(b)-tail])
	for i := range edits {
		e := &edits[i]
		e.a, e.aEnd, e.b, e.bEnd = e.a+head, e.aEnd+head, e.b+head, e.bEnd+head
	}
	return edits
}

// shortest runs the algorithm: reach[k] is how far into a the best path with
// d edits gets on diagonal k = a - b. A copy of it for each d leads back.
func shortest(a, b []string) []edit {
	whole := []edit{{0, len(a), 0, len(b)}}
	if len(a) == 0 || len(b) == 0 {
		return whole
	}
	limit := min(len(a)+len(b), maxEdit)
	reach := make([]int, 2*limit+3)
	zero := limit + 1
	var history [][]int
	for d := 0; d <= limit; d++ {
		history = append(history, slices.Clone(reach[zero-d:zero+d+1]))
		for k := -d; k <= d; k += 2 {
			x := 0
			if k == -d || k != d && reach[zero+k-1] < reach[zero+k+1] {
				x = reach[zero+k+1]
			} else {
				x = reach[zero+k-1] + 1
			}
			y := x - k
			for x < len(a) && y < len(b) && a[x] == b[y] {
				x, y = x+1, y+1
			}
			reach[zero+k] = x
			if x >= len(a) && y >= len(b) {
				return back(a, b, history)
			}
		}
	}
	return whole
}

// back follows the best path from its end and joins its steps to edits.
func back(a, b []string, history [][]int) []edit {
	x, y := len(a), len(b)
	var edits []edit
	add := func(e edit) {
		if n := len(edits); n > 0 && edits[n-1].a == e.aEnd && edits[n-1].b == e.bEnd {
			edits[n-1].a, edits[n-1].b = e.a, e.b
			return
		}
		edits = append(edits, e)
	}
	for d := len(history) - 1; d > 0; d-- {
		before := history[d] // of the diagonals -d to d, after d-1 edits
		k := x - y
		if k == -d || k != d && before[d+k-1] < before[d+k+1] {
			px := before[d+k+1]
			add(edit{px, px, px - k - 1, px - k})
			x, y = px, px-k-1
		} else {
			px := before[d+k-1]
			add(edit{px, px + 1, px - k + 1, px - k + 1})
			x, y = px, px-k+1
		}
	}
	slices.Reverse(edits)
	return edits
}
