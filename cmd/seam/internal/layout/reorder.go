package layout

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A Suggestion is an order of the fields that takes less memory or straddles
// fewer cache lines.
type Suggestion struct {
	Order  []string `json:"order"` // names in Go
	Before Figures  `json:"before"`
	After  Figures  `json:"after"`
	Go     string   `json:"go"` // declarations
	C      string   `json:"c"`
	// Exhaustive says that no order is better; else it is the best that was
	// found.
	Exhaustive bool `json:"exhaustive"`
}

// Figures are what an order costs.
type Figures struct {
	Size       int64 `json:"size"`
	Padding    int64 `json:"padding"`
	Straddling int   `json:"straddling"` // fields in more cache lines than they need
}

// better reports whether f is worse than o in nothing and better in something.
func (f Figures) better(o Figures) bool {
	return f.Size <= o.Size && f.Straddling <= o.Straddling && f != o && (f.Size < o.Size || f.Straddling < o.Straddling)
}

// Up to so many fields all orders are tried (40,320 of them), and up to so many
// every field is moved to every place until nothing gets better.
const (
	maxExhaustive = 8
	maxClimb      = 48
)

// An item is a field that may be moved.
type item struct {
	goField, cField     member
	goAlign, cAlign     int64
	size                int64
	place               int // in the present order
	goType, declaration string
}

// arrangement is what all orders of a struct have in common.
type arrangement struct {
	items  []item
	last   *member // C's flexible array
	cAlign int64   // of the struct
	goFree int64   // alignment of the struct in Go
	line   int64
	used   int64
}

// suggest looks for a better order; nil for none.
func suggest(p Pair, pkg string, g, k *Type, line int64) *Suggestion {
	a := arrange(pkg, g, k, line)
	if a == nil || len(a.items) < 2 {
		return nil
	}
	before := Figures{Size: k.Size, Padding: k.Size - a.used, Straddling: len(straddling(cMembers(k), line))}
	order := make([]int, len(a.items))
	for i := range order {
		order[i] = i
	}
	best, found := a.search(order, before)
	if best == nil {
		return nil
	}
	s := &Suggestion{Before: before, After: found, Exhaustive: len(order) <= maxExhaustive}
	for _, i := range best {
		s.Order = append(s.Order, a.items[i].goField.Name)
	}
	s.Go = a.declareGo(p.Go, best)
	s.C = a.declareC(k.Name, best)
	return s
}

// arrange says what may be moved; nil where the order is not ours to change or
// the effect can't be predicted.
func arrange(pkg string, g, k *Type, line int64) *arrangement {
	if g.Kind != Struct || k.Kind != Struct || k.Packed || k.class || k.system || g.fromCgo || strings.HasPrefix(k.Name, "class ") {
		return nil
	}
	cm := cMembers(k)
	if len(cm) != len(k.Fields) || len(cm) > 4*maxRows {
		return nil
	}
	gm := goMembers(g, cm)
	partner := match(gm, cm)
	taken := map[int]bool{}
	a := &arrangement{cAlign: k.Align, line: line}
	for j, i := range partner {
		c := cm[j]
		switch {
		case c.bits != nil || c.access == "":
			return nil
		case c.Size == 0 && j == len(cm)-1:
			a.last = &cm[j]
			if i >= 0 {
				return nil
			}
			continue
		case c.Size == 0:
			return nil
		case i < 0 && c.field.filler():
			continue
		case i < 0 || gm[i].Size != c.Size || gm[i].field.Embedded:
			return nil
		}
		taken[i] = true
		if gm[i].field.filler() && c.field.filler() {
			continue
		}
		declaration := declare(c.Type, c.Name)
		if c.Align > c.Type.Align {
			declaration += fmt.Sprintf(" __attribute__((aligned(%d)))", c.Align)
		}
		if elem, _ := dimensions(c.Type); strings.Contains(declaration, "[]") || c.Type.anonymous || elem.anonymous {
			return nil
		}
		a.items = append(a.items, item{
			goField: gm[i], cField: c, goAlign: gm[i].Align, cAlign: c.Align, size: c.Size, place: len(a.items),
			goType: goSpelling(gm[i].Type, pkg), declaration: declaration,
		})
		a.used += c.Size
		a.goFree = max(a.goFree, gm[i].Align)
	}
	for i := range gm {
		if !taken[i] && (!gm[i].field.filler() || gm[i].Size == 0) {
			return nil
		}
	}
	return a
}

// cost lays the fields out in an order as C does. It is false where Go can't
// follow, even by blank fields.
func (a *arrangement) cost(order []int) (Figures, bool) {
	at, used := int64(0), int64(0)
	f := Figures{}
	for _, i := range order {
		x := &a.items[i]
		at = roundUp(at, x.cAlign)
		if at%x.goAlign != 0 {
			return f, false
		}
		if straddles(at, x.size, a.line) {
			f.Straddling++
		}
		at += x.size
		used += x.size
	}
	if a.last != nil {
		at = roundUp(at, a.last.Align)
	}
	f.Size = roundUp(at, a.cAlign)
	f.Padding = f.Size - used
	return f, f.Size%max(1, a.goFree) == 0
}

func roundUp(n, to int64) int64 { return (n + to - 1) / to * to }

// search finds the best order that is better than what there is.
func (a *arrangement) search(order []int, before Figures) ([]int, Figures) {
	var best []int
	var bestCost Figures
	moved := 0
	try := func(order []int) {
		f, ok := a.cost(order)
		if !ok || !f.better(before) {
			return
		}
		m := inversions(order)
		if best == nil || f.Size < bestCost.Size || f.Size == bestCost.Size && (f.Straddling < bestCost.Straddling ||
			f.Straddling == bestCost.Straddling && m < moved) {
			best, bestCost, moved = slices.Clone(order), f, m
		}
	}
	if len(order) <= maxExhaustive {
		permute(order, len(order), try)
		return best, bestCost
	}
	// The classics: by alignment, largest first, as the fields stand otherwise.
	byAlign := slices.Clone(order)
	slices.SortStableFunc(byAlign, func(x, y int) int { return cmp.Compare(a.items[y].cAlign, a.items[x].cAlign) })
	try(byAlign)
	bySize := slices.Clone(byAlign)
	slices.SortStableFunc(bySize, func(x, y int) int {
		return cmp.Or(cmp.Compare(a.items[y].cAlign, a.items[x].cAlign), cmp.Compare(a.items[y].size, a.items[x].size))
	})
	try(bySize)
	if len(order) > maxClimb {
		return best, bestCost
	}
	for _, start := range [][]int{order, byAlign} {
		a.climb(start, try)
	}
	return best, bestCost
}

// climb moves one field at a time for as long as that makes it better.
func (a *arrangement) climb(start []int, try func([]int)) {
	now := slices.Clone(start)
	cost, ok := a.cost(now)
	for range len(now) {
		better := false
		for from := range now {
			for to := range now {
				next := slices.Insert(slices.Delete(slices.Clone(now), from, from+1), to, now[from])
				f, fits := a.cost(next)
				if fits && (!ok || f.better(cost)) {
					now, cost, ok, better = next, f, true, true
				}
			}
		}
		try(now)
		if !better {
			return
		}
	}
}

// permute calls each for every order of the first n.
func permute(order []int, n int, each func([]int)) {
	if n <= 1 {
		each(order)
		return
	}
	for i := range n {
		permute(order, n-1, each)
		j := 0
		if n%2 == 0 {
			j = i
		}
		order[j], order[n-1] = order[n-1], order[j]
	}
}

// inversions counts how far an order is from the present one.
func inversions(order []int) int {
	n := 0
	for i := range order {
		for j := range i {
			if order[j] > order[i] {
				n++
			}
		}
	}
	return n
}

// declareGo writes the struct of Go in an order, with blank fields where C has
// padding that Go would not have.
func (a *arrangement) declareGo(name string, order []int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "type %s struct {\n", name)
	var rows [][2]string
	goAt, cAt := int64(0), int64(0)
	pad := func(n int64) {
		if n > 0 {
			rows = append(rows, [2]string{"_", fmt.Sprintf("[%d]byte", n)})
		}
	}
	for _, i := range order {
		x := &a.items[i]
		cAt = roundUp(cAt, x.cAlign)
		pad(cAt - roundUp(goAt, x.goAlign))
		rows = append(rows, [2]string{x.goField.Name, x.goType})
		cAt += x.size
		goAt = cAt
	}
	if a.last != nil {
		cAt = roundUp(cAt, a.last.Align)
	}
	pad(roundUp(cAt, a.cAlign) - roundUp(goAt, max(1, a.goFree)))
	width := 0
	for _, r := range rows {
		width = max(width, len([]rune(r[0])))
	}
	for _, r := range rows {
		fmt.Fprintf(&b, "\t%-*s %s\n", width, r[0], r[1])
	}
	return b.String() + "}\n"
}

// declareC writes the struct of C in an order.
func (a *arrangement) declareC(name string, order []int) string {
	var b strings.Builder
	natural := int64(1)
	typedef := !strings.Contains(name, " ")
	if typedef {
		b.WriteString("typedef struct {\n")
	} else {
		fmt.Fprintf(&b, "%s {\n", name)
	}
	for _, i := range order {
		fmt.Fprintf(&b, "\t%s;\n", a.items[i].declaration)
		natural = max(natural, a.items[i].cAlign)
	}
	if a.last != nil {
		fmt.Fprintf(&b, "\t%s;\n", declare(a.last.Type, a.last.Name))
		natural = max(natural, a.last.Align)
	}
	b.WriteString("}")
	if a.cAlign > natural {
		fmt.Fprintf(&b, " __attribute__((aligned(%d)))", a.cAlign)
	}
	if typedef {
		b.WriteString(" " + name)
	}
	return b.String() + ";\n"
}
