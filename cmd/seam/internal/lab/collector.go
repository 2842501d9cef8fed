package lab

import (
	"errors"
	"fmt"
	"slices"

	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
)

// A collector gathers what the processes of one experiment report.
type collector struct {
	Experiment
	cases    []Case
	groups   []group
	samples  map[armKey][]result.Sample // of timed cases
	metrics  map[string][]*metric       // of a probe case, in order of appearance
	profiles []result.Profile
	reasons  map[string]string // of a case: why it has no figure
	notes    []string
	finished int
	lastDied string // how the last worker that died did so
	late     bool   // there was no time for it
}

type armKey struct {
	name    string
	control bool
}

// A metric is one thing that a probe found, in all rounds.
type metric struct {
	metricEvent
	samples []result.Sample
}

func newCollector(e Experiment, mode Mode) *collector {
	col := &collector{
		Experiment: e,
		cases:      e.Cases(mode),
		samples:    map[armKey][]result.Sample{},
		metrics:    map[string][]*metric{},
		reasons:    map[string]string{},
	}
	col.groups, _ = groups(col.cases)
	return col
}

// find returns the case of that name, or nil.
func (col *collector) find(name string) *Case {
	if i := slices.IndexFunc(col.cases, func(c Case) bool { return c.Name == name }); i >= 0 {
		return &col.cases[i]
	}
	return nil
}

// label is what people call a case and, for a timed one, its group.
func (col *collector) label(name string) string {
	c := col.find(name)
	switch {
	case c == nil:
		return name
	case c.Probe == nil && c.Group != "":
		return c.Group
	case c.Label != "":
		return c.Label
	}
	return name
}

// add takes one event. An error means that a case or the lab has a fault.
func (col *collector) add(round int, e event) error {
	if e.Kind == evDone {
		return nil
	}
	if col.find(e.Case) == nil {
		return fmt.Errorf("the worker reported on the unknown case %q", e.Case)
	}
	switch e.Kind {
	case evSamples:
		k := armKey{e.Case, e.Control}
		for _, s := range e.Samples {
			s.Round = round
			col.samples[k] = append(col.samples[k], s)
		}
	case evMetric:
		col.metric(round, e.Case, *e.Metric)
	case evProfile:
		return col.profile(e.Profile)
	case evSkip:
		col.reasons[e.Case] = e.Reason
	case evFail:
		col.reasons[e.Case] = "failed: " + e.Reason
		col.notes = append(col.notes, fmt.Sprintf("Round %d, %s failed: %s.", round+1, e.Case, e.Reason))
		return fmt.Errorf("%s: %s", e.Case, e.Reason)
	}
	return nil
}

func (col *collector) metric(round int, name string, e metricEvent) {
	var m *metric
	for _, known := range col.metrics[name] {
		if known.Name == e.Name && known.Unit == e.Unit {
			m = known
		}
	}
	if m == nil {
		m = &metric{metricEvent: e}
		col.metrics[name] = append(col.metrics[name], m)
	}
	block := 0 // of this round: a probe may report the same thing several times
	for _, s := range m.samples {
		if s.Round == round {
			block++
		}
	}
	m.samples = append(m.samples, result.Sample{Round: round, Block: block, N: 1, Value: e.Value})
}

// profile adds p to what the processes before found.
func (col *collector) profile(p *result.Profile) error {
	for i := range col.profiles {
		known := &col.profiles[i]
		if known.Name != p.Name {
			continue
		}
		if known.Unit != p.Unit {
			return fmt.Errorf("the profile %s is in %s and in %s", p.Name, known.Unit, p.Unit)
		}
		known.Merge(p)
		return nil
	}
	col.profiles = append(col.profiles, *p)
	return nil
}

// processes is how many of them gave at least one figure.
func (col *collector) processes() int {
	rounds := map[int]bool{}
	add := func(samples []result.Sample) {
		for _, s := range samples {
			rounds[s.Round] = true
		}
	}
	for _, samples := range col.samples {
		add(samples)
	}
	for _, metrics := range col.metrics {
		for _, m := range metrics {
			add(m.samples)
		}
	}
	return len(rounds)
}

// died notes the end of a worker before its time.
func (col *collector) died(round int, err error) {
	col.lastDied = err.Error()
	if d := (*death)(nil); errors.As(err, &d) {
		col.lastDied = d.brief()
	}
	col.notes = append(col.notes, fmt.Sprintf("Round %d is incomplete, its process died: %s.", round+1, col.lastDied))
}

// why says why a case has no figure.
func (col *collector) why(name string, interrupted bool) string {
	switch {
	case col.reasons[name] != "":
		return col.reasons[name]
	case col.lastDied != "":
		return "the measuring process died: " + col.lastDied
	case interrupted:
		return "interrupted"
	case col.late:
		return "the time that was given did not last (--for)"
	}
	return "the experiment gave no figure"
}
