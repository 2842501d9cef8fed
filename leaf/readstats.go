//go:build cgo

package leaf

import (
	"cmp"
	"slices"
	"time"

	"github.com/seamgo/seam/leaf/internal/viacgo"
)

// ReadStats returns the figures of every C function called in guard mode, and of the watch.
func ReadStats() Stats {
	s := Stats{Functions: []FuncStats{}, Kept: viacgo.Kept()}
	watched.Range(func(_, v any) bool {
		g := v.(*guarded)
		s.Functions = append(s.Functions, FuncStats{
			Name:    g.name.String(),
			Calls:   g.calls.Load(),
			Over:    g.over.Load(),
			Total:   time.Duration(g.total.Load()),
			Longest: time.Duration(g.longest.Load()),
		})
		return true
	})
	slices.SortFunc(s.Functions, func(a, b FuncStats) int {
		return cmp.Or(cmp.Compare(b.Total, a.Total), cmp.Compare(a.Name, b.Name))
	})
	return s
}
