package rewrite

import (
	"maps"
	"slices"

	"github.com/seamgo/seam/cmd/seam/internal/nearest"
	"github.com/seamgo/seam/cmd/seam/internal/weld/cgofile"
)

// didYouMean suggests the function that was meant.
func didYouMean(name string, known map[string]cgofile.Function) string {
	near := nearest.Names(name, slices.Sorted(maps.Keys(known)))
	if len(near) == 0 {
		return ""
	}
	return " (did you mean " + near[0] + "?)"
}
