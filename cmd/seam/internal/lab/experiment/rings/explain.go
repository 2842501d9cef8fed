package rings

import (
	"fmt"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
)

func explain(e *result.Experiment) {
	a := lab.Analysis{Experiment: e}
	a.Headline(trips[0].name(64, viaSeam), unitTime, "a record of 64 bytes between goroutines, through a ring")
	for _, t := range trips {
		var others []lab.Named
		for _, via := range t.vias[1:] {
			others = append(others, lab.Named{Name: t.name(latencySize, via), Words: viaLabels[via]})
		}
		if len(others) == 0 {
			continue
		}
		base := t.vias[0]
		a.Say(lab.Tell("%s: %s.",
			lab.Set(sentence(t)+", "+placeLabels[[2]string{t.mode, t.peer}]),
			a.Each(unitTime, t.name(latencySize, base), append([]lab.Named{{Name: t.name(latencySize, base), Words: viaLabels[base]}}, others...)...)))
	}
	for _, t := range trips {
		if t.mode == xproc && t.op == park {
			a.Say(lab.Tell("Single round trips %s, asleep, median: %s. The slowest of a hundred: %s.", lab.Set(placeLabels[[2]string{t.mode, t.peer}]),
				each(a, t, unitMedian), each(a, t, unitTail)))
		}
	}
	for _, peer := range []string{peerGo, peerC} {
		for _, rate := range rates {
			of := func(unit string) lab.Part {
				var all []lab.Named
				for _, via := range rateVias(peer) {
					all = append(all, lab.Named{Name: rateName(peer, rate, via), Words: viaLabels[via]})
				}
				return a.Each(unit, rateName(peer, rate, viaUnix), all...)
			}
			a.Say(lab.Tell("With %s %s, median: %s. The slowest of a hundred: %s.", lab.Set(fmt.Sprintf("%d round trips a second", rate)), lab.Set(placeLabels[[2]string{xproc, peer}]), of(unitMedian), of(unitTail)))
		}
	}
	for _, t := range trips {
		a.Draw(lines(a, t))
	}
	a.Draw(result.Chart{Kind: result.Grid, Title: "Records of 64 bytes", Table: table(a)})
}

func sentence(t trip) string {
	switch t.op {
	case throughput:
		return "A record of 64 bytes"
	case spin:
		return "There and back while both sides look"
	}
	return "There and back where both sleep"
}

func each(a lab.Analysis, t trip, unit string) lab.Part {
	var all []lab.Named
	for _, via := range t.vias {
		all = append(all, lab.Named{Name: t.name(latencySize, via), Words: viaLabels[via]})
	}
	return a.Each(unit, t.name(latencySize, t.vias[0]), all...)
}

// lines draws the time of a record against its size.
func lines(a lab.Analysis, t trip) result.Chart {
	c := result.Chart{Kind: result.Lines, Title: t.op + ", " + placeLabels[[2]string{t.mode, t.peer}], XLabel: "bytes in a record", YLabel: "time", Unit: "ns"}
	for _, via := range t.vias {
		line := result.Line{Label: viaLabels[via]}
		for _, size := range allSizes {
			if s := a.Find(t.name(size, via), unitTime); s != nil && s.Median > 0 {
				line.Points = append(line.Points, result.Point{X: float64(size), Y: s.Median, Lo: s.Lo, Hi: s.Hi})
			}
		}
		if len(line.Points) > 1 {
			c.Lines = append(c.Lines, line)
		}
	}
	return c
}

// table has the small records in one place.
func table(a lab.Analysis) *result.Table {
	t := &result.Table{Head: []string{"what", "where", "through", "mean", "median", "p99"}}
	for _, trip := range trips {
		for _, via := range trip.vias {
			name := trip.name(latencySize, via)
			a.Row(t, []string{trip.op, placeLabels[[2]string{trip.mode, trip.peer}], viaLabels[via]}, []lab.Cell{
				{Name: name, Unit: unitTime, Write: quantity.Time},
				{Name: name, Unit: unitMedian, Write: quantity.Time},
				{Name: name, Unit: unitTail, Write: quantity.Time},
			})
		}
	}
	return t
}
