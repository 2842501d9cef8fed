package grid

import (
	"fmt"
	"math"
	"runtime"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/lab/reference"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
)

// far is the factor from which a ratio is said to disagree with the published one.
const far = 1.25

// againstPublished compares our cgo/go with the published one and says which of the
// two sides moved.
func againstPublished(e *result.Experiment) string {
	var differ []string
	var agree, known int
	var cgoMoved, goMoved []float64
	for _, row := range reference.Grid {
		c := e.Compared(seriesName(row.Count, fold, viaCgo))
		if c == nil || c.Ratio <= 0 {
			continue
		}
		known++
		inside := c.Lo <= row.Ratio && row.Ratio <= c.Hi
		if inside || apart(c.Ratio, row.Ratio) < far {
			agree++
			continue
		}
		differ = append(differ, fmt.Sprintf("count %d: %s (published %v)", row.Count, quantity.Number(c.Ratio), row.Ratio))
		here, there := e.Find(seriesName(row.Count, fold, viaGo), "ns/op"), e.Find(seriesName(row.Count, fold, viaCgo), "ns/op")
		if here != nil && there != nil {
			goMoved = append(goMoved, here.Median/row.Go)
			cgoMoved = append(cgoMoved, there.Median/(reference.GridCgo.Value))
		}
	}
	switch {
	case known == 0:
		return ""
	case len(differ) == 0:
		return fmt.Sprintf("cgo/go agrees with the published ratios (%s) within a factor of %v at all %d counts.", reference.CgoCost.Setting(), far, known)
	}
	note := fmt.Sprintf("cgo/go agrees with the published ratios (%s) within a factor of %v at %d of %d counts and differs at %s.",
		reference.CgoCost.Setting(), far, agree, known, strings.Join(differ, ", "))
	if len(cgoMoved) > 0 {
		c, g := geomean(cgoMoved), geomean(goMoved)
		more := "the call"
		if apart(g, 1) > apart(c, 1) {
			more = "the Go loop"
		}
		note += fmt.Sprintf(" Where they differ, a cgo call takes %.2f times as long here as there and the Go loop %.2f times, so %s moved more. This is %s on %s/%s. One run can't separate the machine's share from Go's.",
			c, g, more, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	}
	return note
}

// apart returns how many times the larger of two positive numbers is the
// smaller.
func apart(a, b float64) float64 { return max(a/b, b/a) }

func geomean(list []float64) float64 {
	var sum float64
	for _, v := range list {
		sum += math.Log(v)
	}
	return math.Exp(sum / float64(len(list)))
}

// breakAgainstPublished places our break-even against the published table.
func breakAgainstPublished(e *result.Experiment) string {
	count, _ := breakEven(e, fold, viaCgo)
	if count == nil {
		return ""
	}
	place := "lies inside that"
	switch {
	case count.Hi < reference.BreakEvenLo:
		place = "lies below that"
	case count.Lo > reference.BreakEvenHi:
		place = "lies above that"
	case count.Lo < reference.BreakEvenLo || count.Hi > reference.BreakEvenHi:
		place = "overlaps that"
	}
	return fmt.Sprintf("The published table has the break-even of cgo between count %d and %d; here it is %s (%s to %s), which %s.",
		reference.BreakEvenLo, reference.BreakEvenHi, quantity.Number(count.Median), quantity.Number(count.Lo), quantity.Number(count.Hi), place)
}
