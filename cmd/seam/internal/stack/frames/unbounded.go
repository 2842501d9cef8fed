package frames

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/quantity"
	"github.com/seamgo/seam/cmd/seam/internal/text"
)

const (
	ringsShown     = 3 // of each go statement
	functionsShown = 8 // of each ring
)

// unbounded writes the go statements whose goroutines can come to functions that
// call themselves, and main if it can.
func (t *writer) unbounded(b *Binary) {
	var list []*Goroutine
	total, inLoops := 0, 0
	for i := range b.Goroutines {
		g := &b.Goroutines[i]
		if g.Runtime {
			continue
		}
		total++
		if g.unbounded() {
			list = append(list, g)
			if g.Loop {
				inLoops++
			}
		}
	}
	if len(list) == 0 && len(b.MainRings) == 0 {
		return
	}
	fmt.Fprintln(t)
	head := "Goroutines without a bound (recursion): "
	if total > 0 {
		head += fmt.Sprintf("%d of %s, %d of them started in loops", len(list), quantity.Plural(total, "go statement"), inLoops)
	}
	switch {
	case len(b.MainRings) == 0:
	case len(list) > 0:
		head += "; and main"
	case total > 0:
		head += "; but main"
	default:
		head += "main"
	}
	t.Line(text.Bold, head)
	if len(b.MainRings) > 0 {
		t.Paragraph(text.Plain, "  ", "main and the packages' initialisation")
		t.rings(b, b.MainRings)
	}
	for _, g := range list[:min(t.top, len(list))] {
		words := t.place(g.Place)
		if g.Loop {
			words += " in a loop"
		}
		t.Paragraph(text.Plain, "  ", words+", runs "+short(g.Entry))
		t.rings(b, g.Chain.Rings)
	}
	t.more(len(list), t.top)
}

func (g *Goroutine) unbounded() bool { return g.Chain != nil && len(g.Chain.Rings) > 0 }

// rings writes the rings of one start.
func (t *writer) rings(b *Binary, rings []int) {
	for _, i := range rings[:min(ringsShown, len(rings))] {
		t.Paragraph(text.Caution, "    ", b.Rings[i].String())
	}
	if n := len(rings) - ringsShown; n > 0 {
		t.Paragraph(text.Faint, "    ", fmt.Sprintf("and %s (--json has all)", quantity.Plural(n, "more ring")))
	}
}

// String is the ring as people read it. A package is named once.
func (r *Ring) String() string {
	pkg := "main"
	var names []string
	for _, f := range r.Functions {
		name := short(f)
		if p := packageOf(f); p == pkg {
			name = bare(name)
		} else {
			pkg = p
		}
		names = append(names, name)
	}
	if n := len(names) - functionsShown; n > 1 {
		names = slices.Concat(names[:functionsShown-1], []string{fmt.Sprintf("%d more", n)}, names[len(names)-1:])
	}
	s := fmt.Sprintf("calls itself: %s, %d bytes a round, no bound", strings.Join(names, " → "), r.Bytes)
	if r.Members > len(r.Functions) {
		s += fmt.Sprintf("; one way round of %d functions that call each other", r.Members)
	}
	return s
}
