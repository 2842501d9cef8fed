package frames

import (
	"cmp"
	"slices"

	"github.com/seamgo/seam/cmd/seam/internal/stack/report"
)

// Seen is what a report of seam stack trace tells of the goroutines of a go statement.
type Seen struct {
	Goroutines int64 `json:"goroutines"` // that grew
	Growths    int64 `json:"growths"`
	Largest    int64 `json:"largest"` // bytes of the largest stack that a growth made
}

// See adds to the go statements what a traced run has seen of them, and to the list
// those that it saw and the code doesn't show: those that grew come first.
func (r *Report) See(f *report.File) {
	r.Traced = true
	for i := range r.Binaries {
		b := &r.Binaries[i]
		b.see(f)
		slices.SortStableFunc(b.Goroutines, func(x, y Goroutine) int {
			return cmp.Or(cmp.Compare(y.Seen.growths(), x.Seen.growths()), 0)
		})
	}
}

func (s *Seen) growths() int64 {
	if s == nil {
		return 0
	}
	return s.Growths
}

func (b *Binary) see(f *report.File) {
	type statement struct {
		Place
		entry string
	}
	at := map[statement][]int{}
	for i := range b.Goroutines {
		g := &b.Goroutines[i]
		at[statement{Place: g.Place}] = append(at[statement{Place: g.Place}], i)
		at[statement{g.Place, g.Entry}] = append(at[statement{g.Place, g.Entry}], i)
	}
	for _, root := range f.Tree {
		if root == nil || root.Entry == nil || root.Count == 0 {
			continue
		}
		e := root.Entry
		where := Place{e.Go.File, e.Go.Line}
		// Of several statements in a line the one that starts this function; a value's
		// has no name in the code.
		list := at[statement{where, e.Func.Func}]
		if len(list) == 0 {
			list = at[statement{Place: where}]
		}
		if len(list) == 0 {
			continue // of another program, or the runtime's
		}
		g := &b.Goroutines[list[0]]
		if g.Seen == nil {
			g.Seen = &Seen{}
		}
		if g.Entry == "" {
			g.Entry = e.Func.Func
		}
		g.Seen.Goroutines += e.Count
		g.Seen.Growths += root.Count
		g.Seen.Largest = max(g.Seen.Largest, largest(root))
	}
}

// largest is the largest stack below a node.
func largest(n *report.Node) int64 {
	most := n.To
	for _, c := range n.Children {
		if c != nil {
			most = max(most, largest(c))
		}
	}
	return most
}
