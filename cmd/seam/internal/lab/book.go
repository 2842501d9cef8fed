package lab

import (
	"errors"
	"fmt"

	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
)

// A book collects what the processes of one experiment report.
type book struct {
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

func newBook(e Experiment, mode Mode) *book {
	b := &book{
		Experiment: e,
		cases:      e.Cases(mode),
		samples:    map[armKey][]result.Sample{},
		metrics:    map[string][]*metric{},
		reasons:    map[string]string{},
	}
	b.groups, _ = groups(b.cases)
	return b
}

// find returns the case of that name, or nil.
func (b *book) find(name string) *Case {
	for i := range b.cases {
		if b.cases[i].Name == name {
			return &b.cases[i]
		}
	}
	return nil
}

// label is what people call a case and, for a timed one, its group.
func (b *book) label(name string) string {
	c := b.find(name)
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

// enter books one event. An error means that a case or the lab has a fault.
func (b *book) enter(round int, e event) error {
	if e.Kind == evDone {
		return nil
	}
	if b.find(e.Case) == nil {
		return fmt.Errorf("the worker reported on the unknown case %q", e.Case)
	}
	switch e.Kind {
	case evSamples:
		k := armKey{e.Case, e.Control}
		for _, s := range e.Samples {
			s.Round = round
			b.samples[k] = append(b.samples[k], s)
		}
	case evMetric:
		b.metric(round, e.Case, *e.Metric)
	case evProfile:
		return b.profile(e.Profile)
	case evSkip:
		b.reasons[e.Case] = e.Reason
	case evFail:
		b.reasons[e.Case] = "failed: " + e.Reason
		b.notes = append(b.notes, fmt.Sprintf("Round %d, %s failed: %s.", round+1, e.Case, e.Reason))
		return fmt.Errorf("%s: %s", e.Case, e.Reason)
	}
	return nil
}

func (b *book) metric(round int, name string, e metricEvent) {
	var m *metric
	for _, known := range b.metrics[name] {
		if known.Name == e.Name && known.Unit == e.Unit {
			m = known
		}
	}
	if m == nil {
		m = &metric{metricEvent: e}
		b.metrics[name] = append(b.metrics[name], m)
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
func (b *book) profile(p *result.Profile) error {
	for i := range b.profiles {
		known := &b.profiles[i]
		if known.Name != p.Name {
			continue
		}
		if known.Unit != p.Unit {
			return fmt.Errorf("the profile %s is in %s and in %s", p.Name, known.Unit, p.Unit)
		}
		known.Merge(p)
		return nil
	}
	b.profiles = append(b.profiles, *p)
	return nil
}

// heard is how many processes gave at least one figure.
func (b *book) heard() int {
	rounds := map[int]bool{}
	add := func(samples []result.Sample) {
		for _, s := range samples {
			rounds[s.Round] = true
		}
	}
	for _, samples := range b.samples {
		add(samples)
	}
	for _, metrics := range b.metrics {
		for _, m := range metrics {
			add(m.samples)
		}
	}
	return len(rounds)
}

// died books the end of a worker before its time.
func (b *book) died(round int, err error) {
	b.lastDied = err.Error()
	if d := (*death)(nil); errors.As(err, &d) {
		b.lastDied = d.brief()
	}
	b.notes = append(b.notes, fmt.Sprintf("Round %d is incomplete, its process died: %s.", round+1, b.lastDied))
}

// why says why a case has no figure.
func (b *book) why(name string, interrupted bool) string {
	switch {
	case b.reasons[name] != "":
		return b.reasons[name]
	case b.lastDied != "":
		return "the measuring process died: " + b.lastDied
	case interrupted:
		return "interrupted"
	}
	return "the experiment gave no figure"
}
