package compare

import (
	"io"
	"math"

	"golang.org/x/perf/benchunit"

	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
)

// readJSON reads a run of the lab.
func (f *File) readJSON(r io.Reader) error {
	run, err := result.Decode(r)
	if err != nil {
		return err
	}
	facts := map[string]string{}
	for _, fact := range run.Facts() {
		facts[fact.Name] = fact.Value
	}
	for _, k := range factOrder {
		if facts[k] != "" {
			f.addFact(k, []string{facts[k]})
		}
	}
	for _, name := range run.Bases() {
		f.bases[name] = true
	}
	if run.Interrupted {
		f.Warnings = append(f.Warnings, "the run was interrupted; it holds what had finished")
	}
	for i := range run.Experiments {
		e := &run.Experiments[i]
		for j := range e.Series {
			f.addSeries(e.Name, &e.Series[j])
		}
	}
	return nil
}

func (f *File) addSeries(experiment string, s *result.Series) {
	if s.NotMeasured != "" {
		f.notMeasured[s.Name] = quantity.Printable(s.NotMeasured)
		return
	}
	samples := s.Samples
	if len(samples) == 0 { // a file that was made smaller
		samples = []result.Sample{{Value: s.Median}}
	}
	for _, x := range samples {
		value, unit := benchunit.Tidy(x.Value, s.Unit)
		if math.IsInf(value, 0) {
			f.warn("%s: %v %s is too large", s.Name, x.Value, s.Unit)
			continue
		}
		f.add(experiment, key{s.Name, unit}, value, x.Round)
	}
}
