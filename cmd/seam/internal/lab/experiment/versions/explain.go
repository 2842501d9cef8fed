package versions

import (
	"strconv"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
)

func explain(e *result.Experiment) {
	a := lab.Analysis{Experiment: e}
	newest := releases[len(releases)-1]
	a.Headline(name(things[0], newest), unitTime, "for a C call under the newest Go")
	for _, t := range things {
		a.Say(lab.Tell(t.words+", under the oldest release and the newest: %s.",
			a.Each(unitTime, name(t, oldest), lab.Named{Name: name(t, oldest)}, lab.Named{Name: name(t, newest)})))
	}
	a.Draw(lines(a))
	for _, t := range things {
		var names []string
		for _, r := range releases {
			names = append(names, name(t, r))
		}
		a.Draw(a.Bars(result.Chart{Title: t.label, Unit: "ns", Caption: "By release of Go, each by its last toolchain."}, unitTime, names...))
	}
}

// lines are all things in one picture, as they compare with the oldest release.
func lines(a lab.Analysis) result.Chart {
	c := result.Chart{
		Kind: result.Lines, Title: "Time by release, against Go " + oldest.name, XLabel: "Go 1.N", YLabel: "time, as a multiple", Unit: "×",
		Caption: "Ratios of blocks in which all releases took turns. Below one is faster than Go " + oldest.name + ".",
	}
	for _, t := range things {
		line := result.Line{Label: t.label}
		for _, r := range releases {
			x, err := strconv.ParseFloat(strings.TrimPrefix(r.name, "1."), 64)
			if err != nil {
				continue
			}
			if r == oldest && a.Find(name(t, r), unitTime) != nil {
				line.Points = append(line.Points, result.Point{X: x, Y: 1, Lo: 1, Hi: 1})
			}
			if p := a.Against(name(t, r), name(t, oldest), unitTime); p != nil {
				line.Points = append(line.Points, result.Point{X: x, Y: p.Ratio, Lo: p.Lo, Hi: p.Hi})
			}
		}
		if len(line.Points) > 1 {
			c.Lines = append(c.Lines, line)
		}
	}
	return c
}
