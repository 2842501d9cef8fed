package view

import (
	"cmp"
	"slices"

	"github.com/seamgo/seam/cmd/seam/internal/stack/report"
)

// A growth during which the system ran something else differs from that of a large stack:
// it takes a good part of a time slice or more, and many times as long for its bytes as the
// site's other growths.
const (
	sliceTime  = 100_000 // nanoseconds
	slowerThan = 4
)

// interrupted is the time of a site's longest growth if that is more than half of the total
// and the system seems to have interrupted it. Otherwise it is 0.
func interrupted(s *report.Site) int64 {
	if s.Count < 3 || s.Longest < sliceTime || s.Longest <= s.Time/2 {
		return 0
	}
	for _, st := range s.Steps {
		if st.Longest != s.Longest || st.Count <= 0 {
			continue
		}
		// The last of a series of doublings copies as much as all the others.
		bytes := float64(st.Copied) / float64(st.Count)
		rest := float64(s.Copied) - bytes
		if rest > 0 && float64(s.Longest) <= slowerThan*bytes*float64(s.Time-s.Longest)/rest {
			return 0
		}
		break
	}
	return s.Longest
}

// ranked is the report with its sites in the order in which they are worth a look. First
// come those in which a part is the program's, which it can change, unless they are a small
// part of all; then those of the standard library alone. Within both, most time is first,
// not counting a growth that the system seems to have interrupted.
func ranked(f *report.File) *report.File {
	g := *f
	g.Sites = slices.Clone(f.Sites)
	of := weigh(f)
	whole := float64(of(f.Growth))
	place := func(s *report.Site) int {
		if own(s, f.Module) && float64(of(s.Totals)) >= slightShare*whole {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(g.Sites, func(a, b report.Site) int {
		first := cmp.Compare(place(&a), place(&b))
		if f.Growth.Time <= 0 {
			return first
		}
		return cmp.Or(first, cmp.Compare(b.Time-interrupted(&b), a.Time-interrupted(&a)))
	})
	return &g
}
