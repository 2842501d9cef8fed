package lab

import (
	"slices"

	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
	"github.com/seamgo/seam/cmd/seam/internal/stats"
)

// Margin is the difference between two cases that doesn't matter, unless the
// run's own control shows that it can't see so little.
const Margin = 0.02

// controlSuffix marks the second arm of a base case.
const controlSuffix = "#control"

const nsPerOp = "ns/op"

// summarise turns what was gathered into a result. empty tells that there is not one
// figure in it.
func (col *collector) summarise(seed uint64, interrupted bool) (e result.Experiment, empty bool) {
	e = result.Experiment{
		Name: col.Name, Title: col.Title, About: col.About,
		Rounds: col.finished, Notes: col.notes, Profiles: col.profiles,
	}
	for _, s := range col.Sources {
		e.Articles = append(e.Articles, s.Number)
		e.Sources = append(e.Sources, *s)
	}
	for _, c := range col.cases {
		s := result.Series{Name: c.Name, Unit: nsPerOp, Label: c.Label, Group: c.Group, Reference: c.Reference}
		switch {
		case c.Probe == nil && len(col.samples[armKey{c.Name, false}]) > 0:
			e.Series = append(e.Series, summarised(s, col.samples[armKey{c.Name, false}], seed))
		case c.Probe != nil && len(col.metrics[c.Name]) > 0:
			for _, m := range col.metrics[c.Name] {
				s := s
				if m.Name != c.Name {
					s.Reference = nil // it is the case's own
				}
				s.Name, s.Unit, s.Label = m.Name, m.Unit, m.Label
				e.Series = append(e.Series, summarised(s, m.samples, seed))
			}
		default:
			s.NotMeasured = col.why(c.Name, interrupted)
			if c.Probe != nil {
				s.Unit = "" // only the probe knows
			}
			e.Series = append(e.Series, s)
		}
	}
	for _, g := range col.groups {
		col.compare(&e, g, seed)
	}
	for _, c := range col.cases {
		if c.Yardstick && len(col.samples[armKey{c.Name, false}]) > 0 {
			e.Yardsticks = append(e.Yardsticks, c.Name)
		}
	}
	empty = !slices.ContainsFunc(e.Series, func(s result.Series) bool { return s.NotMeasured == "" })
	return e, empty
}

// summarised adds samples and what they say to a series.
func summarised(s result.Series, samples []result.Sample, seed uint64) result.Series {
	values, cluster := make([]float64, len(samples)), make([]int, len(samples))
	for i, m := range samples {
		values[i], cluster[i] = m.Value, m.Round
	}
	sum := stats.Summarize(values, cluster, seed)
	s.Median, s.Lo, s.Hi = sum.Median, sum.Lo, sum.Hi
	s.Samples = samples
	for i, out := range stats.Outliers(values) {
		s.Samples[i].Outlier = out
		if out {
			s.Outliers++
		}
	}
	return s
}

// compare sets the cases of a group against its base, the base's second arm
// first.
func (col *collector) compare(e *result.Experiment, g group, seed uint64) {
	if g.base < 0 {
		return
	}
	base := g.cases[g.base].Name
	baseBlocks := result.Blocks(col.samples[armKey{base, false}])
	margin := Margin
	if blocks := result.Paired(baseBlocks, result.Blocks(col.samples[armKey{base, true}])); len(blocks) > 0 {
		c := stats.CompareMedians(blocks, col.quotient(armKey{base, false}, armKey{base, true}), Margin, seed)
		e.Controls = append(e.Controls, comparison(base, base+controlSuffix, c))
		// The same thing measured twice differs by this much here today: no
		// smaller difference is worth a verdict.
		margin = max(margin, c.Ratio-1, 1/c.Ratio-1)
	}
	for i, other := range g.cases {
		if i == g.base || other.Yardstick {
			continue
		}
		blocks := result.Paired(result.Blocks(col.samples[armKey{other.Name, false}]), baseBlocks)
		if len(blocks) == 0 {
			continue
		}
		c := judged(stats.CompareMedians(blocks, col.quotient(armKey{other.Name, false}, armKey{base, false}), margin, seed))
		e.Comparisons = append(e.Comparisons, comparison(other.Name, base, c))
	}
}

// quotient is that of the medians of two arms.
func (col *collector) quotient(a, b armKey) float64 {
	return median(col.samples[a]) / median(col.samples[b])
}

func median(samples []result.Sample) float64 {
	values := make([]float64, len(samples))
	for i, s := range samples {
		values[i] = s.Value
	}
	return stats.Median(values)
}

func comparison(name, base string, c stats.Comparison) result.Comparison {
	return result.Comparison{
		Name: name, Base: base, Unit: nsPerOp,
		Ratio: c.Ratio, Lo: c.Lo, Hi: c.Hi, Blocks: c.Blocks, Verdict: string(c.Verdict), Finds: c.Finds,
	}
}
