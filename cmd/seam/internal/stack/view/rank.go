package view

import (
	"cmp"
	"slices"

	"github.com/seamgo/seam/cmd/seam/internal/stack/report"
)

// What tells a growth during which the system ran something else from one of a large
// stack: it takes a time slice or a good part of one, and many times as long for its bytes
// as the site's other growths.
const (
	sliceTime  = 100_000 // nanoseconds
	slowerThan = 4
)

// interrupted is the time of a site's longest growth if that is more than half of all and
// seems to be the system's doing. Else it is 0.
func interrupted(s *report.Site) int64 {
	if s.Count < 3 || s.Longest < sliceTime || s.Longest <= s.Time/2 {
		return 0
	}
	for _, st := range s.Steps {
		if st.Longest != s.Longest || st.Count <= 0 {
			continue
		}
		// The last of a row of doublings copies as much as all before.
		bytes := float64(st.Copied) / float64(st.Count)
		rest := float64(s.Copied) - bytes
		if rest > 0 && float64(s.Longest) <= slowerThan*bytes*float64(s.Time-s.Longest)/rest {
			return 0
		}
		break
	}
	return s.Longest
}

// ranked is the report with the sites first that took most time, one growth left out that
// the system seems to have interrupted.
func ranked(f *report.File) *report.File {
	if f.Growth.Time <= 0 {
		return f
	}
	g := *f
	g.Sites = slices.Clone(f.Sites)
	slices.SortStableFunc(g.Sites, func(a, b report.Site) int {
		return cmp.Compare(b.Time-interrupted(&b), a.Time-interrupted(&a))
	})
	return &g
}
