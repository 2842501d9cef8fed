package view

import (
	"fmt"
	"maps"
	"math/bits"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/htmlpage"
	"github.com/seamgo/seam/cmd/seam/internal/stack/report"
)

const (
	rowHeight  = 21.0
	drawnNodes = 400 // boxes at most
	shades     = 10  // of the style sheet, for larger and larger stacks
)

// sizeClass numbers sizes: 4 KB, 8 KB, and so on.
func sizeClass(to int64) int { return max(0, bits.Len64(uint64(max(0, to)))-13) }

// shading gives the sizes that occur in a tree their colours, as far apart as there are.
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

// drawTree draws the tree of doublings: goroutines on top, below them their first growths,
// below each of them the next ones, as wide as the time that they and all below took.
func drawTree(f *report.File, n names, r room) htmlpage.Scene {
	tree := largest(f, drawnNodes)
	s := htmlpage.Scene{Class: r.class, W: htmlpage.Px(r.width), Name: "Tree of doublings, as wide as " + weightName(f) + "; the list below has its figures"}
	deepest, colours := 0, shading(tree)
	var down func(b *branch, x, width float64, depth int)
	down = func(b *branch, x, width float64, depth int) {
		for _, c := range b.children {
			w := 0.0
			if b.weight > 0 && c.weight > 0 {
				w = width * float64(c.weight) / float64(b.weight)
			}
			if w >= 0.5 {
				deepest = max(deepest, depth)
				y := 2 + rowHeight*float64(depth)
				class, label := "box root", n.function(entryOf(c.node).Func)
				if c.node.Entry == nil {
					class = fmt.Sprintf("box g%d", colours[sizeClass(c.node.To)])
					label = size(c.node.To)
					if c.node.Callee != nil && (b.node == nil || b.node.Callee == nil || *b.node.Callee != *c.node.Callee) {
						label += " " + n.function(*c.node.Callee)
					}
				}
				s.Rect(class, nodeTip(c, b.node, n), x, y, w, rowHeight)
				s.Text("boxed", "start", fitting(label, w-8), x+5, y+14.5)
				down(c, x, w, depth+1)
			}
			x += w
		}
	}
	down(tree, 1, r.width-2, 0)
	s.H = htmlpage.Px(4 + rowHeight*float64(deepest+1))
	return s
}

func weightName(f *report.File) string {
	if f.Growth.Time > 0 {
		return "the time that a growth and all that followed took"
	}
	return "what a growth and all that followed copied"
}

func entryOf(n *report.Node) report.Entry {
	if n.Entry == nil {
		return report.Entry{}
	}
	return *n.Entry
}

// nodeTip tells all about a node. Its own figures and those of the growths that came after
// are two things.
func nodeTip(b *branch, parent *report.Node, n names) string {
	t := b.node.Totals
	words := fmt.Sprintf("%s: %s, %s copied", branchWords(b.node, parent, n), plural(t.Count, "growth"), size(t.Copied))
	if t.Time > 0 {
		words += " in " + duration(t.Time)
		if b.weight > t.Time {
			words += fmt.Sprintf("; with all that followed %s", duration(b.weight))
		}
	}
	if b.node.Others > 0 {
		words += fmt.Sprintf("; %s below are left out", plural(b.node.Others, "growth"))
	}
	return words
}

// A swatch is a colour of the tree and the size it stands for.
type swatch struct{ Class, Label string }

// legend lists the colours that are in the tree. Where there are more sizes than colours,
// neighbours share one.
func legend(f *report.File) []swatch {
	colours := shading(largest(f, drawnNodes))
	var list []swatch
	last := -1
	for _, class := range slices.Sorted(maps.Keys(colours)) {
		label := "to " + size(4096<<min(class, 50))
		if colours[class] == last {
			list[len(list)-1].Label += ", " + strings.TrimPrefix(label, "to ")
			continue
		}
		last = colours[class]
		list = append(list, swatch{fmt.Sprintf("box g%d", last), label})
	}
	return list
}
