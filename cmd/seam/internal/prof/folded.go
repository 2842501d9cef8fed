package prof

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// WriteFolded writes the stacks as other flame graph tools read them: the functions of a stack
// from the outermost on, and its nanoseconds of CPU time, on a line.
func (p *Profile) WriteFolded(to io.Writer) error {
	sums := map[string]int64{}
	for _, s := range p.Stacks {
		var names []string
		for _, n := range slices.Backward(s.Frames) {
			names = append(names, foldedName(p.Frames[n].Func))
		}
		if len(names) == 0 {
			names = []string{foldedName("")}
		}
		sums[strings.Join(names, ";")] += s.Values[0]
	}
	w := bufio.NewWriter(to)
	for _, stack := range slices.Sorted(maps.Keys(sums)) {
		if sums[stack] > 0 {
			fmt.Fprintf(w, "%s %d\n", stack, sums[stack])
		}
	}
	return w.Flush()
}

// foldedName is a name without what separates names and lines.
func foldedName(name string) string {
	if name == "" {
		return "[unknown]"
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r == ';':
			return ':'
		case r < ' ':
			return ' '
		}
		return r
	}, name)
}
