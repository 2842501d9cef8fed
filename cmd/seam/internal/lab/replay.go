package lab

import (
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
)

// Replay summarises, compares and explains samples that were taken before, as a run would
// that had taken them. A series whose name ends in #control is the second arm of a base.
func Replay(e Experiment, mode Mode, recorded *result.Experiment, seed uint64) (*result.Experiment, error) {
	col := newCollector(e, mode)
	col.finished = recorded.Rounds
	probe := ""
	for _, c := range col.cases {
		if c.Probe != nil {
			probe = c.Name
			break
		}
	}
	for _, s := range recorded.Series {
		name, control := strings.CutSuffix(s.Name, controlSuffix)
		switch c := col.find(name); {
		case s.NotMeasured != "":
			col.reasons[s.Name] = s.NotMeasured
		case c != nil && c.Probe == nil && s.Unit == nsPerOp:
			col.samples[armKey{name, control}] = s.Samples
		default:
			// Which case a metric is of shows nowhere but in its place in the table.
			of := probe
			if c != nil && c.Probe != nil {
				of = c.Name
			}
			m := &metric{metricEvent{Name: s.Name, Unit: s.Unit, Label: s.Label}, s.Samples}
			col.metrics[of] = append(col.metrics[of], m)
		}
	}
	found, _ := col.summarise(seed, false)
	found.Rounds = recorded.Rounds
	return &found, explain(e, &found)
}
