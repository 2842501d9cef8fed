package view

import (
	"fmt"
	"maps"
	"math/bits"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/chart"
	"github.com/seamgo/seam/cmd/seam/internal/stack/report"
)

const (
	drawnNodes = 400 // boxes at most
	shades     = 10  // of the style sheet, for larger and larger stacks
)

// sizeClass numbers sizes: 4 KB, 8 KB, and so on.
func sizeClass(to int64) int { return max(0, bits.Len64(uint64(max(0, to)))-13) }

// shading gives the sizes that occur in a tree colours that are as far apart as possible.
func shading(tree *branch) map[int]int {
	in := map[int]bool{}
	walk(tree, 0, func(b, _ *branch, _ int) {
		if b.node != nil && b.node.Entry == nil {
			in[sizeClass(b.node.To)] = true
		}
	})
	colours := map[int]int{}
	for i, class := range slices.Sorted(maps.Keys(in)) {
		if len(in) == 1 {
			colours[class] = shades / 2
		} else {
			colours[class] = i * (shades - 1) / (len(in) - 1)
		}
	}
	return colours
}

// flame is the tree of doublings as a graph: goroutines on top, below them their first
// growths, below each of them the next ones, as wide as the time that they and all below
// took.
func flame(f *report.File, n names) *chart.Flame {
	tree := largest(f, drawnNodes)
	c := &chart.Flame{Name: "Tree of doublings, as wide as " + weightName(f) + "; the list below has its figures", Total: float64(max(1, tree.weight))}
	colours, index := shading(tree), map[*branch]int{tree: -1}
	walk(tree, 0, func(b, parent *branch, _ int) {
		if b.node == nil {
			return
		}
		class, label := "box root", n.function(entryOf(b.node).Func)
		if b.node.Entry == nil {
			class, label = fmt.Sprintf("box g%d", colours[sizeClass(b.node.To)]), size(b.node.To)
			if b.node.Callee != nil && (parent.node == nil || parent.node.Callee == nil || *parent.node.Callee != *b.node.Callee) {
				label += " " + n.function(*b.node.Callee)
			}
		}
		index[b] = len(c.Boxes)
		c.Boxes = append(c.Boxes, chart.Box{Parent: index[parent], Value: float64(max(0, b.weight)), Class: class, Labels: []string{label}, Tip: nodeTip(b, parent.node, n)})
	})
	return c
}

func weightName(f *report.File) string {
	if f.Growth.Time > 0 {
		return "the time that a growth and all those after it took"
	}
	return "how much a growth and all those after it copied"
}

func entryOf(n *report.Node) report.Entry {
	if n.Entry == nil {
		return report.Entry{}
	}
	return *n.Entry
}

// nodeTip tells all about a node: its own figures, and those of the growths that followed.
func nodeTip(b *branch, parent *report.Node, n names) string {
	t := b.node.Totals
	words := fmt.Sprintf("%s: %s, %s copied", branchWords(b.node, parent, n), plural(t.Count, "growth"), size(t.Copied))
	if t.Time > 0 {
		words += " in " + duration(t.Time)
		if b.weight > t.Time {
			words += fmt.Sprintf("; %s with all those after it", duration(b.weight))
		}
	}
	if b.node.Others > 0 {
		words += fmt.Sprintf("; %s below are not shown", plural(b.node.Others, "growth"))
	}
	return words
}

// legend lists the colours in the tree. If there are more sizes than colours, neighbouring
// sizes share one.
func legend(f *report.File) []chart.Item {
	colours := shading(largest(f, drawnNodes))
	var list []chart.Item
	last := -1
	for _, class := range slices.Sorted(maps.Keys(colours)) {
		label := "to " + size(4096<<min(class, 50))
		if colours[class] == last {
			list[len(list)-1].Label += ", " + strings.TrimPrefix(label, "to ")
			continue
		}
		last = colours[class]
		list = append(list, chart.Item{Key: chart.Swatch(fmt.Sprintf("box g%d", last)), Label: label})
	}
	return list
}
